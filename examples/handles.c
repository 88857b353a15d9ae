/* SPDX-License-Identifier: MIT */
/* Precise roots. This thread's stack is not scanned, so every reference that has to survive an
 * allocation sits in a handle. */
#include <err.h>
#include <stddef.h>
#include <stdio.h>

#include "tide/tide.h"

enum { PAIRS = 1000 };

struct pair {
  void *first, *second;
};

static tide_layout pair_layout;

/* Ends the program if there was no memory. */
static void *needed(struct tide_mutator *me, void *memory) {
  if (!memory) errx(1, "no pair: %s", tide_status_text(tide_alloc_status(me)));
  return memory;
}

/* Builds (leaf, (leaf, … NULL)). A handle carries the tail across the next allocation. */
static struct pair *chain(struct tide_mutator *me, int length) {
  size_t scope = tide_scope_open(me);
  if (scope == SIZE_MAX) errx(1, "no memory for a scope");
  struct pair **tail = (struct pair **)tide_handle(me, NULL);
  if (!tail) errx(1, "no memory for a handle");
  for (int i = 0; i < length; i++) {
    struct pair *pair = needed(me, tide_alloc(me, pair_layout, sizeof *pair));
    pair->second = *tail;
    *tail = pair; /* from here on the pair is reachable */
    void *leaf = needed(me, tide_alloc(me, TIDE_LAYOUT_LEAF, sizeof(long)));
    tide_write(me, pair, &pair->first, leaf); /* objects never move: `pair` is still good */
  }
  struct pair *result = *tail;
  tide_scope_close(me, scope); /* the caller puts the result into a handle before it allocates */
  return result;
}

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  if (!heap) errx(1, "cannot create a heap: %s", error.text);
  struct tide_attach_options options;
  tide_attach_options_init(&options);
  options.stack = TIDE_STACK_PRECISE;
  struct tide_mutator *me = tide_attach(heap, &options, &error);
  if (!me) errx(1, "cannot attach this thread: %s", error.text);
  const size_t references[] = {offsetof(struct pair, first), offsetof(struct pair, second)};
  pair_layout = tide_layout_offsets(heap, sizeof(struct pair), references, 2, &error);
  if (pair_layout == TIDE_LAYOUT_INVALID) errx(1, "cannot make a layout: %s", error.text);

  size_t scope = tide_scope_open(me);
  if (scope == SIZE_MAX) errx(1, "no memory for a scope");
  struct pair **kept = (struct pair **)tide_handle(me, chain(me, PAIRS));
  if (!kept) errx(1, "no memory for a handle");
  chain(me, PAIRS); /* dropped */
  tide_collect(me);
  int length = 0;
  for (struct pair *pair = *kept; pair; pair = pair->second)
    length++;
  printf("the chain has %d pairs\n", length);
  tide_scope_close(me, scope);

  tide_detach(me);
  tide_heap_destroy(heap);
  if (fflush(stdout) != 0) err(1, "cannot write the result");
  return length == PAIRS ? 0 : 1;
}
