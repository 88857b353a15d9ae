/* SPDX-License-Identifier: MIT */
/* Writes a graph file, or says why the library cannot. Usage: graph_file PATH */
#include <stdio.h>

#include "tidemark.h"

int main(int argc, char **argv) {
  struct tide_error error = {TIDE_OK, ""};
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  struct tide_mutator *me = heap ? tide_attach(heap, NULL, &error) : NULL;
  if (!me || argc != 2) return 2;
  enum tide_status status = tide_heap_snapshot_thg(me, argv[1], &error);
  printf("%s: %s\n", tide_status_text(status), error.text);
  tide_detach(me);
  return tide_heap_destroy(heap) != TIDE_OK;
}
