/* SPDX-License-Identifier: MIT */
/* Marking in the small, a part of marking.h: how an execution begins, and what must be true when it
 * is over. */
#ifndef TD_TESTS_MODEL_MARKING_CHECK_H
#define TD_TESTS_MODEL_MARKING_CHECK_H

static inline void marking_init(_Atomic(uint8_t) *flags, void *storage, size_t bytes) {
  atomic_init(&MODEL_STATE.term.active, 0u);
  atomic_init(&MODEL_STATE.root_next, UINT64_C(0));
  atomic_init(&MODEL_STATE.flagged, 0u);
  if (MODEL_REGIONS) marking_init_regions();
  MODEL_STATE.heap.flags = flags;
  for (unsigned i = 0; i < MODEL_MARKERS; i++) {
    TD_PLAIN_STORE(&MODEL_STATE.scanned[i], UINT64_C(0));
    if (MODEL_MODE(i) == 'd') continue;
    td_bwos_init(&MODEL_STATE.queue[i], &MODEL_STATE.owner[i], (char *)storage + i * bytes,
                 MARKING_BLOCKS, MARKING_ENTRIES);
  }
  for (unsigned i = 0; i < MODEL_PAGES; i++)
    atomic_init(&flags[i], (uint8_t)0);
  TD_PLAIN_STORE(&MODEL_STATE.description, UINT64_C(0));
}

/* Marker 0: from here on others may join. */
static inline void marking_start(void) {
  TD_PLAIN_STORE(&MODEL_STATE.description, UINT64_C(1));
  td_term_start(&MODEL_STATE.term);
}

static inline unsigned marking_reachable(void) {
  unsigned reached = 0;
  for (unsigned slice = 0; slice < MODEL_SLICES; slice++)
    reached |= (unsigned)(MODEL_ROOTS >> (8 * slice)) & 0xffu;
  for (unsigned round = 0; round < MARKING_OBJECTS; round++)
    for (unsigned object = 0; object < MARKING_OBJECTS; object++)
      if ((reached >> object & 1) != 0) reached |= marking_children(object);
  return reached;
}

/* Marker 0, after the end. */
static inline void marking_check(void) {
  unsigned reached = marking_reachable();
  uint64_t scanned = 0, items[MARKING_STEAL];
  for (unsigned i = 0; i < MODEL_MARKERS; i++) {
    scanned |= (uint32_t)TD_PLAIN_LOAD(&MODEL_STATE.scanned[i]);
    TD_PLAIN_STORE(&MODEL_STATE.scanned[i], UINT64_C(0));
    if (MODEL_MODE(i) == 'd') continue;
    MODEL_ASSERT(td_bwos_get(&MODEL_STATE.queue[i], &MODEL_STATE.owner[i]) == 0);
    for (unsigned look = 0; look <= MARKING_BLOCKS; look++)
      MODEL_ASSERT(td_bwos_steal(&MODEL_STATE.queue[i], items, MARKING_STEAL) == 0);
  }
  TD_PLAIN_STORE(&MODEL_STATE.description, UINT64_C(2));
  MODEL_ASSERT((uint32_t)scanned == reached);
  MODEL_ASSERT(!marking_roots_left());
  for (unsigned r = 0; MODEL_REGIONS && r < MARKING_REGIONS; r++)
    MODEL_ASSERT(td_region_look(&MODEL_STATE.region[r]) == 0);
  for (unsigned object = 0; object < 2 * MODEL_PAGES; object++) {
    uint8_t wanted = (reached >> object & 1) != 0 ? MARKING_EPOCH : 0;
    MODEL_ASSERT(td_mark_load(marking_mark(object)) == wanted);
  }
  for (unsigned page = 0; page < MODEL_PAGES; page++)
    MODEL_ASSERT(!td_flag_peek(&MODEL_STATE.heap, page));
  MODEL_ASSERT(td_term_over(&MODEL_STATE.term));
}

#endif
