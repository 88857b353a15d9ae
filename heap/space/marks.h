/* SPDX-License-Identifier: MIT */
/* Access to mark bytes and page flags while several markers run.
 *
 * [mark] Any marker may write a mark byte at any time. Every store puts the same epoch there, with
 * or without TD_DEFERRED, so the worst that a race does is to have an object scanned twice:
 *   - Two markers read "unmarked", and both store and scan. That is a duplicate.
 *   - One stores the epoch, because it will scan the object itself. The other stores the epoch and
 *     TD_DEFERRED, and then sets the page's flag, because the taker of the flag scans every
 *     deferred object of the page. Whichever store is last, the object is scanned once or twice.
 * No store makes an object unmarked again, and only the marker that then scans a deferred object
 * takes TD_DEFERRED away. Relaxed order is enough: the contents of objects were published when the
 * world stopped, and marking writes none of them.
 *
 * [flag] A page has a flag in each row, and a marker always uses the same row. Of few markers each
 * has a row of its own. It stores 1 in the flag after each deferred byte, always, without testing
 * the flag first: the test could be answered before the byte is visible. The taker of the flag
 * exchanges it for 0 and then reads the bytes, so it either sees the byte or leaves the later 1
 * behind.
 *
 * [flag.beside] Beside the program mutators set flags in row 0, too, which is a marker's. The later
 * of two stores there would hide from the taker what the earlier one released. So everybody
 * exchanges the flag for 1: that continues what was released before, and the taker sees the bytes
 * of all. tests/model/beside.cpp is the client.
 *
 * [flag.fence] More markers share one row, whose lines would pass from core to core with each
 * store. There a marker stores deferred bytes, as many as it likes, executes a fence, and then sets
 * the flags that are not set already. The taker of flags executes a fence as well before it reads
 * bytes. One of the two fences comes first. If it is the taker's, the other marker finds the flag
 * taken, and sets it anew. If not, the taker sees the byte, whichever marker has set the flag. Both
 * ways are clients in tests/model/termination.cpp. */
#ifndef TD_HEAP_SPACE_MARKS_H
#define TD_HEAP_SPACE_MARKS_H

#include "heap/space/space.h"

typedef uint64_t __attribute__((may_alias)) td_mark_word;
#define TD_DEFERRED_WORD UINT64_C(0x8080808080808080) /* TD_DEFERRED in each byte */
#define TD_FLAGS_EIGHT UINT64_C(0x0101010101010101)   /* eight flags, all set */

/* A slot of an object that a marker scans. Beside the marking, mutators write slots, which their
 * machine does in one piece. What was there before they have marked themselves. */
static inline uintptr_t td_slot_load(const uintptr_t *slot) {
  return __atomic_load_n(slot, __ATOMIC_RELAXED); /* relaxed: see above */
}

static inline uint8_t td_mark_load(const uint8_t *mark) {
  return __atomic_load_n(mark, __ATOMIC_RELAXED); /* relaxed: [mark] */
}

static inline void td_mark_store(uint8_t *mark, uint8_t value) {
  __atomic_store_n(mark, value, __ATOMIC_RELAXED); /* relaxed: [mark] */
}

/* Returns eight mark bytes; the number of the first granule is divisible by eight. */
static inline uint64_t td_mark_load_word(const uint8_t *mark) {
  return __atomic_load_n((const td_mark_word *)mark, __ATOMIC_RELAXED); /* relaxed: [mark] */
}

static inline _Atomic(uint8_t) *td_flag_row(const struct td_space *space, unsigned row) {
  return space->flags + row * space->flag_pages;
}

static inline void td_flag_store(_Atomic(uint8_t) *flag) {
  /* release [flag]: after the deferred byte; pairs with td_flag_take. */
  atomic_store_explicit(flag, 1, memory_order_release);
}

/* Returns whether the flag was set. */
static inline bool td_flag_set_beside(_Atomic(uint8_t) *flag) {
  /* release [flag.beside]: as in td_flag_store. */
  return atomic_exchange_explicit(flag, 1, memory_order_release) != 0;
}

#ifndef TD_FLAG_ORDER_FENCE /* a model can weaken both */
#define TD_FLAG_ORDER_FENCE memory_order_seq_cst
#define TD_FLAG_ORDER_FENCE_TAKE memory_order_seq_cst
#endif

/* Comes between deferred bytes and td_flag_set_shared, in a row that several markers use. */
static inline void td_flag_fence(void) {
  /* seq_cst [flag.fence]: pairs with td_flag_fence_taken. */
  atomic_thread_fence(TD_FLAG_ORDER_FENCE);
}

static inline void td_flag_set_shared(_Atomic(uint8_t) *flag) {
  /* relaxed, both: td_flag_fence orders them after the byte. */
  if (atomic_load_explicit(flag, memory_order_relaxed)) return;
  atomic_store_explicit(flag, 1, memory_order_relaxed);
}

/* Comes between taking flags of such a row and reading the bytes. */
static inline void td_flag_fence_taken(void) {
  /* seq_cst [flag.fence]: pairs with td_flag_fence. */
  atomic_thread_fence(TD_FLAG_ORDER_FENCE_TAKE);
}

static inline bool td_flag_peek(const struct td_space *space, unsigned row, size_t page) {
  /* relaxed: the answer only decides whether to try td_flag_take. */
  return atomic_load_explicit(&td_flag_row(space, row)[page], memory_order_relaxed) != 0;
}

/* Returns the flags of eight pages, a byte for each; `page` is the first one, a multiple of eight.
 */
static inline uint64_t td_flag_peek_eight(const struct td_space *space, unsigned row, size_t page) {
  /* relaxed: as in td_flag_peek. */
  return __atomic_load_n((const td_mark_word *)(const void *)(td_flag_row(space, row) + page),
                         __ATOMIC_RELAXED);
}

/* Takes the flags of eight pages at once. Returns them. */
static inline uint64_t td_flag_take_eight(struct td_space *space, unsigned row, size_t page) {
  /* acquire [flag]: as in td_flag_take, for each byte. */
  return __atomic_exchange_n((td_mark_word *)(void *)(td_flag_row(space, row) + page), 0,
                             __ATOMIC_ACQUIRE);
}

static inline bool td_flag_take(struct td_space *space, unsigned row, size_t page) {
  /* acquire [flag] [flag.beside]: pairs with td_flag_store and td_flag_set_beside; the bytes are
   * read afterwards. */
  return atomic_exchange_explicit(&td_flag_row(space, row)[page], 0, memory_order_acquire) != 0;
}

#endif
