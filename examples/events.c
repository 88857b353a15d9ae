/* SPDX-License-Identifier: MIT */
/* Watching collections: an event callback measures pauses and marking. */
#include <err.h>
#include <stdio.h>

#include "tide/stats.h"
#include "tide/tide.h"

struct watch {
  uint64_t cycle_began_ns, mark_began_ns;
  uint64_t pause_ns, mark_ns; /* sums */
  unsigned cycles;
};

/* Runs on the collecting thread while the others stand still: short, and no allocation. */
static void on_event(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                     void *context) {
  struct watch *watch = context;
  (void)heap;
  switch (event) {
  case TIDE_EVENT_CYCLE_BEGIN:
    watch->cycle_began_ns = now_ns;
    break;
  case TIDE_EVENT_MARK_BEGIN:
    watch->mark_began_ns = now_ns;
    break;
  case TIDE_EVENT_MARK_END:
    watch->mark_ns += now_ns - watch->mark_began_ns;
    break;
  case TIDE_EVENT_CYCLE_END:
    watch->pause_ns += now_ns - watch->cycle_began_ns;
    watch->cycles++;
    break;
  default:
    break;
  }
}

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  if (!heap) errx(1, "cannot create a heap: %s", error.text);
  struct tide_mutator *me = tide_attach(heap, NULL, &error);
  if (!me) errx(1, "cannot attach this thread: %s", error.text);
  struct watch watch = {0};
  tide_heap_on_event(heap, on_event, &watch);
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 10000; j++)
      if (!tide_alloc(me, TIDE_LAYOUT_LEAF, 64))
        errx(1, "no leaf: %s", tide_status_text(tide_alloc_status(me)));
    tide_collect(me);
  }
  tide_heap_on_event(heap, NULL, NULL);
  unsigned long long cycles = watch.cycles ? watch.cycles : 1;
  printf("mean pause %llu ns, of which marking %llu ns\n", watch.pause_ns / cycles,
         watch.mark_ns / cycles);
  printf("at least five collections were seen: %s\n", watch.cycles >= 5 ? "yes" : "no");
  tide_detach(me);
  tide_heap_destroy(heap);
  if (fflush(stdout) != 0) err(1, "cannot write the result");
  return watch.cycles >= 5 && watch.mark_ns <= watch.pause_ns ? 0 : 1;
}
