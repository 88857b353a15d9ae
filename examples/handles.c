/* Precise roots. This thread's stack is not scanned, so every reference that has to survive an
 * allocation sits in a handle. */
#include <stddef.h>
#include <stdio.h>

#include "tide/tide.h"

struct pair {
  void *first, *second;
};

static tide_layout pair_layout;

/* Builds (1 leaf, (leaf, (… , NULL))): a handle carries the tail across the next allocation. */
static struct pair *chain(struct tide_mutator *me, int length) {
  size_t scope = tide_scope_open(me);
  struct pair **tail = (struct pair **)tide_handle(me, NULL);
  for (int i = 0; tail && i < length; i++) {
    struct pair *pair = tide_alloc(me, pair_layout, sizeof *pair);
    if (!pair) break;
    pair->second = *tail;
    *tail = pair; /* from here on the pair is reachable */
    pair->first = tide_alloc(me, TIDE_LAYOUT_LEAF, sizeof(long));
    (*tail)->first = pair->first; /* objects never move, so `pair` is still good */
  }
  struct pair *result = tail ? *tail : NULL;
  tide_scope_close(me, scope); /* the caller puts the result into a handle before it allocates */
  return result;
}

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  struct tide_attach_options options;
  tide_attach_options_init(&options);
  options.stack = TIDE_STACK_PRECISE;
  struct tide_mutator *me = heap ? tide_attach(heap, &options, &error) : NULL;
  if (!me) {
    fprintf(stderr, "handles: %s\n", error.text);
    return 1;
  }
  const size_t references[] = {offsetof(struct pair, first), offsetof(struct pair, second)};
  pair_layout = tide_layout_offsets(heap, sizeof(struct pair), references, 2, &error);

  size_t scope = tide_scope_open(me);
  struct pair **kept = (struct pair **)tide_handle(me, chain(me, 1000));
  chain(me, 1000); /* dropped */
  tide_collect(me);
  int length = 0;
  for (struct pair *pair = *kept; pair; pair = pair->second)
    length++;
  printf("the chain has %d pairs\n", length);
  tide_scope_close(me, scope);

  tide_detach(me);
  return tide_heap_destroy(heap) == TIDE_OK && length == 1000 ? 0 : 1;
}
