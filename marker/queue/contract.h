/* The contract of a marking queue, and the few helpers every queue shares.
 *
 * A queue belongs to one owner thread, which puts and gets; any other thread may steal.  Each queue
 * Q is one header, marker/queue_Q.h, of static inline functions, so that the tracing loop is
 * compiled around it and a model checker compiles the very same lines.  Q is one of
 * serial, bwos, bwos_paper, bwos_fifo, abp, abp_sc, chase_lev, mutex.
 *
 *   struct td_Q            shared part.  Thieves touch it; it needs cache-line alignment.
 *   struct td_Q_owner      the owner's part.  Plain data: the owner may copy it into a local
 * variable (its cursor then lives in registers) and write it back when it goes idle. Thieves never
 * read it.
 *
 *   size_t td_Q_storage_bytes(uint32_t blocks, uint32_t entries)
 *       Bytes of storage for blocks * entries items; 0 if the numbers are invalid: zero, no power
 * of two, beyond the queue's limits (TD_Q_MAX_ENTRIES...) or too large for a size_t. void
 * td_Q_init(struct td_Q *q, struct td_Q_owner *o, void *storage, uint32_t blocks, uint32_t entries)
 *       storage: td_Q_storage_bytes(blocks, entries) bytes, aligned to TD_CACHE_LINE, the caller's;
 *       it outlives the queue.  Numbers as accepted by td_Q_storage_bytes.  No thread uses q yet.
 *   bool td_Q_put(struct td_Q *q, struct td_Q_owner *o, uint64_t item)
 *       Owner.  false: full, nothing was stored.  item != 0.
 *   uint64_t td_Q_get(struct td_Q *q, struct td_Q_owner *o)
 *       Owner.  The newest item (bwos_fifo: the oldest); 0: none.  After 0 every item ever put has
 *       been returned by get or claimed by a thief, until the owner puts again.
 *   int32_t td_Q_steal(struct td_Q *q, uint64_t *out, uint32_t max)
 *       Any thread but the owner.  > 0: so many items, at most max, are in out, oldest first;
 *       0: nothing to take at the moment; -1: lost a race, another try may succeed.  A failing
 *       steal costs O(1).  out may be overwritten (up to max) even when nothing is taken.
 *   void td_Q_want(struct td_Q *q)
 *       Thief: "grant something before a block is full, please".  Nothing where every item is
 *       visible to thieves anyway.
 *   bool td_Q_wanted(struct td_Q const *q)
 *       Owner: is there such a wish?  One relaxed load of a line nobody writes without need.
 *   void td_Q_grant(struct td_Q *q, struct td_Q_owner *o)
 *       Owner: make the older half of the private items visible and clear the wish.  With fewer
 *       than two private items nothing happens and the wish stays.
 *   uint64_t td_Q_size(struct td_Q const *q)
 *       Any thread: roughly what thieves could take, for choosing a victim.  Never waits.
 *
 * TD_ORDER(queue, site, order) is memory_order_<order>, and TD_STEP(queue, site) is 1.  Both exist
 * so that tests/model can weaken one order or leave out one step of the very code that is shipped,
 * and show that each of them matters.  Orders written without TD_ORDER are relaxed, and say why.
 * [q.tag] names a release/acquire pair; both sides carry the tag.
 */
#ifndef TD_MARKER_QUEUE_CONTRACT_H
#define TD_MARKER_QUEUE_CONTRACT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_CACHE_LINE 64

#ifndef TD_ORDER
#define TD_ORDER(queue, site, order) memory_order_##order
#define TD_STEP(queue, site) 1
#endif

/* Slow paths are out of line, so that the hot loop around them stays small, and get a copy of the
 * owner's state: otherwise its address would escape and the cursor could not live in a register. */
#define TD_SLOW_PATH __attribute__((noinline, cold, unused)) static
#ifndef TD_ON_COPY
#define TD_ON_COPY(type, owner, copy, statement)                                                   \
  do {                                                                                             \
    type copied_ = *(owner);                                                                       \
    type *copy = &copied_;                                                                         \
    statement;                                                                                     \
    *(owner) = copied_;                                                                            \
  } while (0)
#endif

/* Tells the compiler what the contract promises, so that "empty" and "item == 0" are one branch. */
#ifndef TD_ASSUME
#define TD_ASSUME(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif

#define TD_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TD_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Storage is raw memory: its atomics begin to exist here. */
#ifndef TD_STORAGE_ATOMIC_INIT
#define TD_STORAGE_ATOMIC_INIT(pointer, value) atomic_init(pointer, value)
#endif

/* Slots that are never accessed by two threads at once; a checker may watch for that. */
#ifndef TD_PLAIN
#define TD_PLAIN(type) type
#define TD_PLAIN_LOAD(pointer) (*(pointer))
#define TD_PLAIN_STORE(pointer, value) ((void)(*(pointer) = (value)))
#define TD_STORAGE_PLAIN_INIT(pointer, value) ((void)(*(pointer) = (value)))
#endif

static inline bool td_queue_is_power_of_two(uint64_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

/* blocks * entries * slot_bytes + blocks * block_bytes, or 0 if that is invalid or too large. */
static inline size_t td_queue_bytes(uint32_t blocks, uint32_t entries, size_t slot_bytes,
                                    size_t block_bytes) {
  if (!td_queue_is_power_of_two(blocks) || !td_queue_is_power_of_two(entries)) return 0;
  uint64_t items = (uint64_t)blocks * entries; /* < 2^64 */
  uint64_t half = SIZE_MAX / 2;
  if (items > half / slot_bytes) return 0;
  if (block_bytes != 0 && blocks > half / block_bytes) return 0;
  return (size_t)items * slot_bytes + (size_t)blocks * block_bytes;
}

#endif
