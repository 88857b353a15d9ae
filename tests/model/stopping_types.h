/* SPDX-License-Identifier: MIT */
/* For stopping.h: what the files under test use of headers that are not. Their types have the
 * fields that matter there, and no others. GRANULES says how long the table of marks is. */
#ifndef TD_TESTS_MODEL_STOPPING_TYPES_H
#define TD_TESTS_MODEL_STOPPING_TYPES_H

#include "tests/model/left_out.h"

#define TD_GC_STATE_MUTATOR_H
#define TD_GC_OBJECT_RUNS_H
#define TD_GC_STATS_STATS_H
#define TD_GC_THREADS_THREAD_H
#define TD_GC_THREADS_STOP_LATE_H
#define TD_GC_THREADS_STOP_REGISTERS_H
#define STOP_SPINS 0 /* everybody sleeps at once */
#define TD_LATE_NS 1000u
#define TD_LATE_AGAIN_NS 1000u

#define TD_SAFE 1u
#define TD_STOP 2u
#define TD_FORK 4u
#define TD_STOP_ONE 8u
#define TD_BLOCK_LOG2 16u
#define TD_BLOCK_PAGES 1u
#define TD_SLAB_BLOCKS 1u /* and a slab is a page */
#define TD_SLAB_BYTES TD_PAGE_BYTES
#define TD_PAGE_BYTES ((size_t)GRANULES * TD_GRANULE_BYTES)
#define TD_PAGE_GRANULES GRANULES
#define TD_EPOCH_FIRST_OLD 64u
enum {
  TD_KIND_BITMAP,
  TD_KIND_LEAF,
  TD_KIND_REFS,
  TD_KIND_PREFIXED,
  TD_KIND_CONSERVATIVE,
  TD_KIND_REPEATED,
  TD_KIND_TRACED
};

enum tide_stack { TIDE_STACK_PRECISE };
enum tide_status { TIDE_OK, TIDE_ERROR_STATE, TIDE_ERROR_ARGUMENT, TIDE_ERROR_ENVIRONMENT };
enum tide_event_kind { TIDE_EVENT_STOP_LATE };
struct tide_error {
  int unused;
};
struct tide_bump {
  int unused;
};
struct tide_mutator_fast {
  MODEL_HINT stop;
  uint32_t inside;
  struct tide_bump *bump;
  const MODEL_MARK *marks;
  uintptr_t mark_mask;
};
struct td_layout {
  size_t words;
  uint64_t element;
};
struct td_block {
  uint8_t kind, map;
  uint16_t cell_granules;
  unsigned layout;
};
struct td_space {
  uintptr_t base;
  size_t granules, mark_span;
  uint8_t *marks, *logged_slabs;
  struct td_block *blocks;
  _Atomic(uint8_t) *flags;
  bool has_young, bears_old;
  uint8_t epoch;
  uint32_t frontier;
  struct {
    struct td_layout *at;
  } layouts;
};
static inline uint32_t td_block_of(const struct td_space *space, uintptr_t address) {
  return (uint32_t)((address - space->base) >> TD_BLOCK_LOG2);
}
struct td_self;
struct tide_heap;
struct tide_mutator {
  struct tide_mutator_fast fast;
  struct tide_heap *heap;
  struct td_self *signalled;
  struct tide_mutator *next, *thread_next;
  long thread_id;
  int stop_signal;
  enum tide_stack stack_kind;
  uint32_t door, blocking_depth;
  bool section_safe, interrupted, released;
  _Atomic(bool) suspended;
  uint64_t logged, overwritten;
  _Atomic(uint32_t) state;
};
#define pthread_cond_init(condition, attributes) (*(condition) = 0)
#define pthread_cond_destroy(condition) (void)(condition)
#define pthread_cond_wait(condition, lock) (void)(condition)
#define pthread_cond_broadcast(condition) (void)(condition)
struct td_world {
  pthread_mutex_t lock;
  struct tide_mutator *mutators;
  _Atomic(uint32_t) count, awaited, gate;
  int cancel_state;
  bool stands_still, beside;
  int ended; /* nothing goes on beside the program here */
  unsigned after_end;
  _Atomic(const void *) holder;
  MODEL_MADE_OF_ZERO(td_world)
};
struct tide_heap {
  struct td_space space;
  struct td_world *world;
  bool marking;
  /* Nothing is marked beside the program: beside.h. */
  struct td_markers *markers;
  const void *concurrent;
  signed char beside;
  _Atomic(bool) gave;
};
struct td_self {
  struct tide_mutator *mutators;
  uint32_t worlds;
  _Atomic(uint32_t) inside;
  volatile bool at_doors, waits_at_door, put_off;
  void (*answer)(struct td_self *self);
};

#endif
