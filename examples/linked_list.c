/* The smallest program: a list that is kept by its root, and garbage that is not. */
#include <stddef.h>
#include <stdio.h>

#include "tide/stats.h"
#include "tide/tide.h"

struct node {
  struct node *next;
  long value;
};

static size_t length(const struct node *node) {
  size_t count = 0;
  for (; node; node = node->next)
    count++;
  return count;
}

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  struct tide_mutator *me = heap ? tide_attach(heap, NULL, &error) : NULL;
  if (!me) {
    fprintf(stderr, "linked_list: %s\n", error.text);
    return 1;
  }
  const size_t references[] = {offsetof(struct node, next)};
  tide_layout layout = tide_layout_offsets(heap, sizeof(struct node), references, 1, &error);

  static struct node *list; /* a root: the collector starts here */
  tide_root_add(heap, &list);
  for (long i = 0; i < 100000; i++) {
    struct node *node = tide_alloc(me, layout, sizeof *node);
    struct node *garbage = tide_alloc(me, layout, sizeof *garbage);
    if (!node || !garbage) return 1;
    node->value = i;
    node->next = list;
    list = node;
  }
  tide_collect(me);

  struct tide_cycle_stats cycle;
  tide_cycle_stats(heap, &cycle);
  printf("the list has %zu nodes\n", length(list));
  bool reclaimed = cycle.objects < 100100; /* a stale register may keep a few more */
  printf("garbage was reclaimed: %s\n", reclaimed ? "yes" : "no");

  tide_root_remove(heap, &list);
  tide_detach(me);
  return tide_heap_destroy(heap) == TIDE_OK && reclaimed ? 0 : 1;
}
