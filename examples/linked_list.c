/* SPDX-License-Identifier: MIT */
/* The smallest program: a list that is kept by its root, and garbage that is not. */
#include <err.h>
#include <stddef.h>
#include <stdio.h>

#include "tide/stats.h"
#include "tide/tide.h"

enum { NODES = 100000 };

struct node {
  struct node *next;
  long value;
};

static struct node *list; /* a root: the collector starts here */

static void grow_list(struct tide_mutator *me, tide_layout layout) {
  for (long i = 0; i < NODES; i++) {
    struct node *garbage = tide_alloc(me, layout, sizeof *garbage);
    struct node *node = tide_alloc(me, layout, sizeof *node);
    if (!node || !garbage) errx(1, "no node: %s", tide_status_text(tide_alloc_status(me)));
    node->value = i;
    node->next = list; /* the object is fresh; into an older one: tide_write */
    list = node;
  }
}

static size_t length(const struct node *node) {
  size_t count = 0;
  for (; node; node = node->next)
    count++;
  return count;
}

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  if (!heap) errx(1, "cannot create a heap: %s", error.text);
  struct tide_mutator *me = tide_attach(heap, NULL, &error);
  if (!me) errx(1, "cannot attach this thread: %s", error.text);
  const size_t references[] = {offsetof(struct node, next)};
  tide_layout layout = tide_layout_offsets(heap, sizeof(struct node), references, 1, &error);
  if (layout == TIDE_LAYOUT_INVALID) errx(1, "cannot make a layout: %s", error.text);
  enum tide_status status = tide_root_add(heap, &list);
  if (status != TIDE_OK) errx(1, "cannot add the root: %s", tide_status_text(status));

  grow_list(me, layout);
  tide_collect(me);
  uint64_t live = tide_count_marked(me);
  printf("the list has %zu nodes\n", length(list));
  bool reclaimed = live < NODES + 100; /* a stale register may keep a few more */
  printf("garbage was reclaimed: %s\n", reclaimed ? "yes" : "no");

  tide_root_remove(heap, &list);
  tide_detach(me);
  tide_heap_destroy(heap);
  if (fflush(stdout) != 0) err(1, "cannot write the result");
  return reclaimed ? 0 : 1;
}
