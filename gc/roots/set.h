/* SPDX-License-Identifier: MIT */
/* Registered roots of all kinds, and the list of what marking starts from. */
#ifndef TD_GC_ROOTS_SET_H
#define TD_GC_ROOTS_SET_H

#include "gc/arrays/registry.h"
#include "gc/arrays/root_list.h"
#include "gc/state/heap.h"

enum td_registered {
  TD_REGISTERED_SLOT,         /* uintptr_t: the address of a slot */
  TD_REGISTERED_RANGE,        /* struct td_root_range */
  TD_REGISTERED_CONSERVATIVE, /* the same */
  TD_REGISTERED_CALLBACK,     /* struct td_root_callback */
  TD_REGISTERED_SOURCE,       /* struct tide_root_source */
  TD_REGISTERED_KINDS
};
struct td_root_range {
  uintptr_t start; /* as it was given */
  size_t bytes;
  struct td_span span;
};
struct td_root_callback {
  tide_root_fn call;
  void *context;
};

struct td_root_set {
  /* Of what is registered, but for sources, which are under the world's lock. */
  pthread_mutex_t lock;
  struct td_registry registered[TD_REGISTERED_KINDS];
  /* World stopped: what the last collection saw, or the walk that came after. Its words are those
   * of stacks and registers that lie inside the heap. */
  struct td_root_list list;
  struct td_root_list told; /* by sources, to the last collection */
  /* Written under the world's lock, read without: gc/cycle/turn.h. */
  _Atomic(bool) may_wait;          /* a source stops the world inside a lock of its own */
  _Atomic(uint64_t) asks_since_ns; /* sources are asked, and the world does not stand still; or 0 */
};

bool td_roots_init(struct td_root_set *roots, struct td_root_room room[2]);
void td_roots_deinit(struct td_root_set *roots);

/* Ends the process with a message if memory that was registered as a root cannot be read, before a
 * marker meets it. A system call for each page of roots, so TIDE_VERIFY=1 only. World stopped, the
 * roots' lock held. */
void td_roots_demand_readable(const struct tide_heap *heap);

#endif
