/* SPDX-License-Identifier: MIT */
/* A program that knows of Tidemark only what was installed. */
#include <stdio.h>
#include <string.h>

#ifdef SINGLE_FILE
#include "tidemark.h"
#else
#include <tide/stats.h>
#include <tide/tide.h>
#endif

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  struct tide_mutator *me = heap ? tide_attach(heap, NULL, &error) : NULL;
  if (!me) {
    fprintf(stderr, "consumer: %s\n", error.text);
    return 1;
  }
  static void *root;
  if (tide_root_add(heap, &root) != TIDE_OK) return 1;
  for (int i = 0; i < 20000; i++) {
    void **cell = (void **)tide_alloc(me, TIDE_LAYOUT_REFS, 2 * sizeof(void *));
    if (!cell) return 1;
    cell[0] = root;
    root = cell;
  }
  if (tide_collect(me) != TIDE_OK) return 1;
  struct tide_check check;
  if (tide_check_marks(me, &check) != TIDE_OK || !check.equal) return 1;
  int length = 0;
  for (void **cell = (void **)root; cell; cell = (void **)cell[0])
    length++;
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", TIDE_VERSION_MAJOR, TIDE_VERSION_MINOR,
           TIDE_VERSION_PATCH);
  printf("consumer: Tidemark %s, %d cells\n", tide_version(), length);
  tide_root_remove(heap, &root);
  tide_detach(me);
  return tide_heap_destroy(heap) == TIDE_OK && length == 20000 &&
                 strcmp(version, tide_version()) == 0
             ? 0
             : 1;
}
