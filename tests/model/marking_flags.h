/* SPDX-License-Identifier: MIT */
/* Marking in the small, a part of marking.h: marks, and what is deferred, as in
 * marker/base/deferred.c. */
#ifndef TD_TESTS_MODEL_MARKING_FLAGS_H
#define TD_TESTS_MODEL_MARKING_FLAGS_H

static inline uint8_t *marking_mark(unsigned object) {
  return &MODEL_MARKS[object];
}

static inline bool marking_is_marked(unsigned object) {
  return (td_mark_load(marking_mark(object)) & (TD_DEFERRED - 1)) == MARKING_EPOCH;
}

/* td_deferred_flag */
static inline void marking_flag(struct marking_loop *l, unsigned page) {
  l->flagged |= 1u << page;
  if (!TD_STEP(flag, always) && td_flag_peek(&MODEL_STATE.heap, page)) return;
  if (TD_STEP(flag, whole))
    td_flag_set(&MODEL_STATE.heap, page);
  else
    atomic_store_explicit(&MODEL_STATE.heap.flags[page], 1, memory_order_release);
}

/* td_defer_grey */
static inline void marking_defer_grey(struct marking_loop *l, unsigned object) {
  /* relaxed, both: as shipped */
  if (TD_STEP(flag, announce) &&
      atomic_load_explicit(&MODEL_STATE.flagged, memory_order_relaxed) == 0)
    atomic_store_explicit(&MODEL_STATE.flagged, 1u, memory_order_relaxed);
  if (TD_STEP(flag, last)) td_mark_store(marking_mark(object), MARKING_EPOCH | TD_DEFERRED);
  marking_flag(l, object / 2);
  if (!TD_STEP(flag, last)) td_mark_store(marking_mark(object), MARKING_EPOCH | TD_DEFERRED);
}

static inline bool marking_take_flag(struct marking_loop *l, unsigned page) {
  if (!td_flag_take(&MODEL_STATE.heap, page)) return false;
  if ((l->flagged >> page & 1) == 0) MODEL_MET(FOREIGN);
  return true;
}

/* If the object was deferred, this marker scans it from here on. */
static inline bool marking_take_object(unsigned object) {
  if ((td_mark_load(marking_mark(object)) & TD_DEFERRED) == 0) return false;
  td_mark_store(marking_mark(object), TD_STEP(marking, keep) ? MARKING_EPOCH : 0);
  return true;
}

/* td_deferred_find: a flagged page + 1; 0: none */
static inline unsigned marking_find_flagged(void) {
  /* relaxed: as shipped */
  if (atomic_load_explicit(&MODEL_STATE.flagged, memory_order_relaxed) == 0) return 0;
  for (unsigned page = 0; page < MODEL_PAGES; page++)
    if (td_flag_peek(&MODEL_STATE.heap, page)) return page + 1;
  return 0;
}

#endif
