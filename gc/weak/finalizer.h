/* Registered and pending finalizers. */
#ifndef TD_GC_WEAK_FINALIZER_H
#define TD_GC_WEAK_FINALIZER_H

#include "gc/arrays/table.h"
#include "gc/state/heap.h"
#include "gc/weak/settled.h"

struct td_finalizer {
  uintptr_t object; /* 0: removed */
  tide_finalizer_fn call;
  void *context;
  size_t next;  /* of the same object, in order of registration; TD_TABLE_NONE ends */
  uint8_t fate; /* in a collection: enum td_fate */
};
struct td_finalizers {
  pthread_mutex_t lock;
  struct td_finalizer *at; /* in order of registration */
  size_t count, capacity, removed;
  struct td_table index; /* object -> first entry */
  _Atomic(bool) ever;    /* set under the lock; relaxed readers skip the lock without it */
  /* Pending, a ring of `capacity` entries so that queueing cannot fail. The objects stand in an
   * array of their own because they are roots. */
  uintptr_t *pending_objects;
  struct td_finalizer *pending;
  uintptr_t *pending_contexts; /* roots as well; 0 where the context is none */
  size_t pending_capacity, pending_first, pending_count;
  size_t pending_before; /* how many when the last collection began */
  struct td_set_finalizers set;
};

bool td_finalizers_init(struct td_finalizers *finalizers);
void td_finalizers_deinit(struct td_finalizers *finalizers);
/* The part that takes the lock. */
size_t td_finalizers_forget_slow(struct tide_heap *heap, uintptr_t object);
/* Removes an object's finalizers. Returns how many. */
static inline size_t td_finalizers_forget(struct tide_heap *heap, uintptr_t object) {
  /* relaxed: who frees an object comes after who registered it, by the program's own order. */
  bool ever = atomic_load_explicit(&heap->finalizers->ever, memory_order_relaxed);
  return TIDE_LIKELY(!ever) ? 0 : td_finalizers_forget_slow(heap, object);
}

/* Under the lock: makes room in the queue for one more than is registered. Returns false if there
 * is no memory. */
bool td_finalizers_grow_pending(struct td_finalizers *f);
/* Under the lock: number `at` of the set goes to the queue, which has room. */
void td_finalizers_queue_settled(struct td_finalizers *f, size_t at);
/* Takes the oldest pending one off the queue; false: there is none. Takes the lock. */
bool td_finalizers_take(struct td_finalizers *f, struct td_finalizer *taken);

#endif
