/* SPDX-License-Identifier: MIT */
/* The contract of a marking queue, and the few helpers that every queue shares.
 *
 * A queue belongs to one thread, its owner, which puts items in and gets them out. Any other
 * thread may steal. Each queue Q of marker/queue/list.h is one header, marker/queue/Q.h, of static
 * inline functions. The tracing loop is compiled around them, and a model checker compiles the very
 * same lines.
 *
 * struct td_Q is the shared part, which thieves touch. It needs the alignment of a cache line.
 * struct td_Q_owner is the owner's part: plain data that thieves never read. The owner may keep a
 * copy of it in a local variable, so that its cursor lives in registers, and write it back when it
 * goes idle.
 *
 * In the following, q is a struct td_Q and o its struct td_Q_owner.
 *
 * ---- Setting up, while no other thread uses the queue ----
 *
 * size_t td_Q_storage_bytes(uint32_t blocks, uint32_t entries)
 *     Returns the bytes of storage for blocks * entries items. Returns 0 if a number is no power
 *     of two or beyond the queue's limits, or if the bytes are beyond size_t.
 *
 * void td_Q_init(q, o, void *storage, uint32_t blocks, uint32_t entries)
 *     Makes an empty queue. The storage is the caller's and outlives the queue. It is aligned to
 *     TD_CACHE_LINE and has td_Q_storage_bytes(blocks, entries) bytes, which is not 0.
 *
 * void td_Q_grow_from(q, td_queue_more *more, void *context)
 *     A queue that can grow asks `more` for memory when it is full, from now on. Others ignore it.
 *
 * void td_Q_shrink(q, o)
 *     The queue is empty. It goes back to the storage of td_Q_init; what `more` gave is free again.
 *
 * void td_Q_join(q, struct td_Q *first)
 *     q becomes one of the set of queues that begins with `first`, which outlives it: from now on
 *     they share what the queues of a pool share. Others ignore it.
 *
 * ---- The owner ----
 *
 * bool td_Q_put(q, o, uint64_t item)
 *     Stores the item, which is not 0. Returns false, and stores nothing, if the queue is full.
 * What the owner wrote before is seen by whoever gets or steals the item: tests/model/relacy.cpp.
 *
 * uint64_t td_Q_get(q, o)
 *     Returns an item, which one enum td_queue_order of marker/queue/list.h says, or 0 if there is
 *     none. After 0, every item ever put has been returned by get or claimed by a thief, until the
 *     owner puts again.
 *
 * bool td_Q_wanted(q)
 *     Returns true if a thief has wished for a grant. Costs one relaxed load of a cache line that
 *     is written only when a wish comes or goes.
 *
 * void td_Q_grant(q, o)
 *     Makes the older half of the private items visible to thieves and clears the wish. With fewer
 *     than two private items it does nothing, and the wish stays.
 *
 * uint64_t td_Q_owned(o)
 *     Returns roughly how many items the owner could share; 0 if it has put none.
 *
 * ---- A thief ----
 *
 * int32_t td_Q_steal(q, uint64_t *out, uint32_t max)
 *     Takes up to max items into out, oldest first. Returns how many; 0 if there is nothing to take
 *     at the moment; -1 if another thread was faster, so that another try may succeed. A failing
 *     steal costs O(1). out[0] to out[max - 1] may be overwritten even when nothing is taken.
 *
 * void td_Q_want(q)
 *     Wishes that the owner would grant something before a block is full. Does nothing where every
 *     item is visible to thieves anyway.
 *
 * ---- Any thread ----
 *
 * bool td_Q_offer(q, uint64_t item)
 *     Gives an item, which is not 0, to the queues of a pool: any owner's get and any thief may
 *     find it. Returns false, and stores nothing, if there is no room, or no such pool.
 *
 * uint64_t td_Q_size(q)
 *     Returns roughly how many items thieves could take. Never waits.
 *
 * ---- Memory orders ----
 *
 * TD_ORDER(queue, site, order) is memory_order_<order>, and TD_STEP(queue, site) is 1. Both exist
 * so that tests/model can weaken one order, or leave out one step, of the very code that is
 * shipped, and show that each of them matters. An order written without TD_ORDER is relaxed, and a
 * comment says why that is enough. A tag like [chase_lev.item] names a release and acquire pair;
 * both sides carry the tag. */
#ifndef TD_MARKER_QUEUE_CONTRACT_H
#define TD_MARKER_QUEUE_CONTRACT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/bwos.h"

#define TD_CACHE_LINE 64

#ifndef TD_ORDER
#define TD_ORDER(queue, site, order) memory_order_##order
#define TD_STEP(queue, site) 1
#endif

/* As in the queue that can be used alone. TD_ASSUME tells the compiler what the contract promises,
 * so that one branch tests both "the queue is empty" and "the item is 0". */
#define TD_SLOW_PATH TIDE_BWOS_SLOW
#define TD_ON_COPY TIDE_BWOS_ON_COPY
#define TD_ASSUME TIDE_BWOS_ASSUME

#define TD_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TD_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Storage is raw memory: its atomics begin to exist here. */
#ifndef TD_STORAGE_ATOMIC_INIT
#define TD_STORAGE_ATOMIC_INIT(pointer, value) atomic_init(pointer, value)
#endif

/* Slots that two threads never access at once. A checker may watch for that. */
#ifndef TD_PLAIN
#define TD_PLAIN(type) type
#define TD_PLAIN_LOAD(pointer) (*(pointer))
#define TD_PLAIN_STORE(pointer, value) ((void)(*(pointer) = (value)))
#define TD_STORAGE_PLAIN_INIT(pointer, value) ((void)(*(pointer) = (value)))
#endif

static inline bool td_queue_is_power_of_two(uint64_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

/* Returns blocks * entries * slot_bytes + blocks * block_bytes, or 0 if a number is no power of two
 * or the result is too large. */
static inline size_t td_queue_bytes(uint32_t blocks, uint32_t entries, size_t slot_bytes,
                                    size_t block_bytes) {
  if (!td_queue_is_power_of_two(blocks) || !td_queue_is_power_of_two(entries)) return 0;
  uint64_t items = (uint64_t)blocks * entries; /* < 2^64 */
  uint64_t half = SIZE_MAX / 2;
  if (items > half / slot_bytes) return 0;
  if (block_bytes != 0 && blocks > half / block_bytes) return 0;
  return (size_t)items * slot_bytes + (size_t)blocks * block_bytes;
}

/* Returns memory for a larger queue, aligned to TD_CACHE_LINE, or NULL if there is none. */
typedef void *td_queue_more(void *context, size_t bytes);

/* Defines the functions that do nothing in a queue without early grants. */
#define TD_QUEUE_WITHOUT_WISHES(Q)                                                                 \
  static inline void td_##Q##_want(struct td_##Q *q) {                                             \
    (void)q;                                                                                       \
  }                                                                                                \
  static inline bool td_##Q##_wanted(struct td_##Q const *q) {                                     \
    (void)q;                                                                                       \
    return false;                                                                                  \
  }                                                                                                \
  static inline void td_##Q##_grant(struct td_##Q *q, struct td_##Q##_owner *o) {                  \
    (void)q, (void)o;                                                                              \
  }                                                                                                \
  struct td_##Q /* takes the semicolon */

/* Defines the functions that do nothing in a queue of fixed size. */
#define TD_QUEUE_BOUNDED(Q)                                                                        \
  static inline void td_##Q##_grow_from(struct td_##Q *q, td_queue_more *more, void *context) {    \
    (void)q, (void)more, (void)context;                                                            \
  }                                                                                                \
  static inline void td_##Q##_shrink(struct td_##Q *q, struct td_##Q##_owner *o) {                 \
    (void)q, (void)o;                                                                              \
  }                                                                                                \
  struct td_##Q /* takes the semicolon */

/* Defines the functions of a queue that is no pool's. */
#define TD_QUEUE_BY_ITSELF(Q)                                                                      \
  static inline void td_##Q##_join(struct td_##Q *q, struct td_##Q *first) {                       \
    (void)q, (void)first;                                                                          \
  }                                                                                                \
  static inline bool td_##Q##_offer(struct td_##Q *q, uint64_t item) {                             \
    (void)q, (void)item;                                                                           \
    return false;                                                                                  \
  }                                                                                                \
  struct td_##Q /* takes the semicolon */

/* For code that is compiled around one queue, whose identifier is TD_QUEUE. */
#define TD_QUEUE_PASTE(a, b, c) a##b##c
#define TD_QUEUE_JOIN(a, b, c) TD_QUEUE_PASTE(a, b, c)

#endif
