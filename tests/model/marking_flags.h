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
static inline void marking_flag(struct marking_loop *l, unsigned id, unsigned page) {
  unsigned row = id % MODEL_ROWS;
  if (TD_STEP(marking, own)) l->has_flagged = true;
  _Atomic(uint8_t) *flag = &td_flag_row(&MODEL_STATE.heap, row)[page];
  /* relaxed: a mutant's */
  if (!TD_STEP(flag, always) && atomic_load_explicit(flag, memory_order_relaxed) != 0) return;
  if (MODEL_MARKERS > MODEL_ROWS && TD_STEP(flag, fenced)) {
    td_flag_fence();
    td_flag_set_shared(flag);
  } else {
    td_flag_store(flag);
  }
}

/* td_defer_grey */
static inline void marking_defer_grey(struct marking_loop *l, unsigned id, unsigned object) {
  /* relaxed, both: as shipped */
  if (TD_STEP(flag, announce) &&
      atomic_load_explicit(&MODEL_STATE.flagged, memory_order_relaxed) == 0)
    atomic_store_explicit(&MODEL_STATE.flagged, 1u, memory_order_relaxed);
  if (TD_STEP(flag, last)) td_mark_store(marking_mark(object), MARKING_EPOCH | TD_DEFERRED);
  marking_flag(l, id, object / 2);
  if (!TD_STEP(flag, last)) td_mark_store(marking_mark(object), MARKING_EPOCH | TD_DEFERRED);
}

/* td_deferred_take, td_deferred_taken */
static inline bool marking_take_flag(struct marking_loop *l, unsigned id, unsigned page) {
  bool taken = false;
  for (unsigned row = 0; row < MODEL_ROWS; row++) {
    if (!td_flag_peek(&MODEL_STATE.heap, row, page) || !td_flag_take(&MODEL_STATE.heap, row, page))
      continue;
    if (row != id % MODEL_ROWS) MODEL_MET(FOREIGN);
    taken = true;
  }
  if (taken && MODEL_MARKERS > MODEL_ROWS) td_flag_fence_taken();
  return taken;
}

/* If the object was deferred, this marker scans it from here on. */
static inline bool marking_take_object(unsigned object) {
  if ((td_mark_load(marking_mark(object)) & TD_DEFERRED) == 0) return false;
  td_mark_store(marking_mark(object), TD_STEP(marking, keep) ? MARKING_EPOCH : 0);
  return true;
}

/* A look at `rows` rows: a flagged page + 1; 0: none */
static inline unsigned marking_flagged(unsigned first, unsigned rows) {
  /* relaxed: as shipped */
  if (atomic_load_explicit(&MODEL_STATE.flagged, memory_order_relaxed) == 0) return 0;
  for (unsigned page = 0; page < MODEL_PAGES; page++)
    for (unsigned row = first; row < first + rows; row++)
      if (td_flag_peek(&MODEL_STATE.heap, row, page)) return page + 1;
  return 0;
}

/* td_deferred_glance: among many it need not find anything. */
static inline unsigned marking_glance(unsigned id, unsigned from_row) {
  if (MODEL_MANY && (MODEL_MANY > 1 || id != 0)) return 0;
  return marking_flagged(from_row, MODEL_ROWS - from_row);
}

/* td_deferred_find */
static inline unsigned marking_find_flagged(struct marking_loop *l, unsigned id) {
  if (!MODEL_MANY || !l->has_flagged) return marking_glance(id, 0);
  unsigned flagged = marking_flagged(id % MODEL_ROWS, 1);
  if (flagged != 0) return flagged;
  l->has_flagged = false;
  return marking_glance(id, 1); /* marker 0 has looked at its row, which is the first */
}

#endif
