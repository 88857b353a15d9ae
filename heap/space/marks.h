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
 * [flag] Each page has a flag. Whoever has made an object of the page deferred exchanges the flag
 * for 1, always, without testing it first: the test could be answered before the byte is visible.
 * Nor is the flag stored: the later of two stores would hide from the taker what the earlier
 * released, while an exchange continues it. The taker exchanges the flag for 0 and then reads the
 * bytes. So it sees the bytes of all whose exchange came before its own, and the others leave a 1
 * behind. tests/model/marking.h and beside.cpp are clients. */
#ifndef TD_HEAP_SPACE_MARKS_H
#define TD_HEAP_SPACE_MARKS_H

#include <string.h>

#include "heap/space/space.h"

typedef uint64_t __attribute__((may_alias)) td_mark_word;
#define TD_DEFERRED_WORD UINT64_C(0x8080808080808080) /* TD_DEFERRED in each byte */

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

/* Stores the bytes of `count` granules. memset writes a byte in one piece, too, but ThreadSanitizer
 * does not know that. */
static inline void td_marks_fill(uint8_t *marks, uint8_t value, size_t count) {
#ifdef __SANITIZE_THREAD__
  for (size_t i = 0; i < count; i++)
    td_mark_store(&marks[i], value);
#else
  memset(marks, value, count);
#endif
}

/* Returns eight mark bytes; the number of the first granule is divisible by eight. */
static inline uint64_t td_mark_load_word(const uint8_t *mark) {
  return __atomic_load_n((const td_mark_word *)mark, __ATOMIC_RELAXED); /* relaxed: [mark] */
}

/* Returns whether the flag was set. */
static inline bool td_flag_set(const struct td_space *space, size_t page) {
  /* release [flag]: after the deferred byte; pairs with td_flag_take. */
  return atomic_exchange_explicit(&space->flags[page], 1, memory_order_release) != 0;
}

static inline bool td_flag_peek(const struct td_space *space, size_t page) {
  /* relaxed: the answer only decides whether to try td_flag_take. */
  return atomic_load_explicit(&space->flags[page], memory_order_relaxed) != 0;
}

/* Returns the flags of eight pages, a byte for each; `page` is the first one, a multiple of eight.
 */
static inline uint64_t td_flag_peek_eight(const struct td_space *space, size_t page) {
  /* relaxed: as in td_flag_peek. */
  return __atomic_load_n((const td_mark_word *)(const void *)&space->flags[page], __ATOMIC_RELAXED);
}

/* Takes the flag of a page. Returns whether it was set: the caller then scans the page's deferred
 * objects. */
static inline bool td_flag_take(const struct td_space *space, size_t page) {
  if (!td_flag_peek(space, page)) return false;
  /* acquire [flag]: pairs with td_flag_set; the bytes are read afterwards. */
  return atomic_exchange_explicit(&space->flags[page], 0, memory_order_acquire) != 0;
}

/* Takes the flags of eight pages at once. Returns them. */
static inline uint64_t td_flag_take_eight(const struct td_space *space, size_t page) {
  if (!td_flag_peek_eight(space, page)) return 0;
  /* acquire [flag]: as in td_flag_take, for each byte. */
  return __atomic_exchange_n((td_mark_word *)(void *)&space->flags[page], 0, __ATOMIC_ACQUIRE);
}

#endif
