/* Access to marks and flags while several markers run.
 *
 * [mark] A mark byte is written by any marker, racing. Every store puts the same epoch there,
 * with or without TD_DEFERRED, so a race can only have an object scanned twice:
 *   - two markers read "unmarked", both store, both scan: a duplicate;
 *   - one stores epoch (it will scan the object itself) and the other epoch | TD_DEFERRED (it sets
 *     the page's flag afterwards, and whoever takes the flag scans every deferred object): the
 *     object is scanned once or twice, whichever store is last.
 * No store takes an object back to unmarked, and a deferred object is set to plain epoch only by
 * the marker that then scans it. So relaxed order is enough: object contents were published when
 * the world stopped, and marking writes none of them.
 *
 * [flag] A page has a flag in each row; a marker always uses the same row. The flag is stored 1
 * after each deferred byte, always, never tested first: a test could be answered before the byte is
 * visible. The taker exchanges it for 0 and then reads the bytes: it either sees the byte or leaves
 * the later 1 behind. With more
 * markers than rows, two may store one flag: a plain store by the second would hide from the taker
 * that the first one released its byte, so shared rows are stored by exchange, which keeps the
 * earlier release alive (tests/model/termination.cpp has both as clients). */
#ifndef TD_HEAP_MARKS_H
#define TD_HEAP_MARKS_H

#include "heap/space.h"

typedef uint64_t __attribute__((may_alias)) td_mark_word;
#define TD_DEFERRED_WORD UINT64_C(0x8080808080808080) /* TD_DEFERRED in each byte */

static inline uint8_t td_mark_load(const uint8_t *mark) {
  return __atomic_load_n(mark, __ATOMIC_RELAXED); /* relaxed: [mark] */
}

static inline void td_mark_store(uint8_t *mark, uint8_t value) {
  __atomic_store_n(mark, value, __ATOMIC_RELAXED); /* relaxed: [mark] */
}

/* Eight mark bytes from a granule number divisible by eight. */
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

/* The same for a row that several markers use. */
static inline void td_flag_store_shared(_Atomic(uint8_t) *flag) {
  /* release [flag]: an exchange continues the release sequence of the store before it. */
  atomic_exchange_explicit(flag, 1, memory_order_release);
}

static inline bool td_flag_peek(const struct td_space *space, unsigned row, size_t page) {
  /* relaxed: only tells whether to try td_flag_take. */
  return atomic_load_explicit(&td_flag_row(space, row)[page], memory_order_relaxed) != 0;
}

static inline bool td_flag_take(struct td_space *space, unsigned row, size_t page) {
  /* acquire [flag]: pairs with td_flag_store; the bytes are read afterwards. */
  return atomic_exchange_explicit(&td_flag_row(space, row)[page], 0, memory_order_acquire) != 0;
}

#endif
