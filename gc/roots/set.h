/* The set of registered roots. */
#ifndef TD_GC_ROOTS_SET_H
#define TD_GC_ROOTS_SET_H

#include "gc/arrays/table.h"
#include "gc/state/heap.h"
#include "gc/threads/mutator/sink.h"

struct td_root_range {
  const void *start;
  size_t count; /* words */
};
struct td_root_ranges {
  struct td_root_range *at;
  size_t count, capacity;
  struct td_table index; /* start -> position */
};
struct td_root_callback {
  tide_root_fn call;
  void *context;
};
struct td_root_set {
  pthread_mutex_t lock;
  uintptr_t *slots; /* addresses of single slots, dense */
  size_t slot_count, slot_capacity;
  struct td_table slot_index; /* address -> position */
  struct td_root_ranges ranges, conservative;
  struct td_root_callback *callbacks;
  size_t callback_count, callback_capacity;
  /* World stopped: words of stacks and registers that lie inside the heap, as the last
   * collection saw them, and the list of spans under construction. */
  uintptr_t *stack_words;
  size_t stack_word_count, stack_word_capacity;
  bool words_incomplete; /* for want of memory: verification cannot see all roots */
  struct td_span *spans;
  size_t span_count, span_capacity;
};

bool td_roots_init(struct td_root_set *roots);
void td_roots_deinit(struct td_root_set *roots);

#endif
