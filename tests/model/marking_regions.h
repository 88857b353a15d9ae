/* SPDX-License-Identifier: MIT */
/* Marking by regions in the small, a part of marking.h: a marker in mode 'r' or 's' throws its
 * frontier to the regions that it leads to, and visits these; one in mode 's' gives up after each
 * visit. What then waits is taken chunk by chunk, by markers in any mode. A marker that has used up
 * its chunks defers what it would throw or scan.
 *
 * The word of a region (marker/region/region.h) is the shipped one. Around it are the steps of
 * marker/region/visit.c, scan_fresh.c and throw.c, and their names. How chunks are used again is
 * another model's (chunks.cpp): here each is used once. That owners find marks exactly, and each of
 * the announcements alone, is region.cpp's: here others mark at the same time. */
#ifndef TD_TESTS_MODEL_MARKING_REGIONS_H
#define TD_TESTS_MODEL_MARKING_REGIONS_H

static inline unsigned marking_region(unsigned object) {
  return object >> MARKING_SHIFT;
}

static inline bool marking_visits(unsigned id) {
  return MODEL_MODE(id) == 'r' || MODEL_MODE(id) == 's';
}

/* ---- Throwing ---- */

/* td_defer */
static inline void marking_defer(struct marking_loop *l, unsigned id, unsigned object) {
  if (!marking_is_marked(object)) marking_defer_grey(l, object);
}

static inline bool marking_is_scarce(unsigned id) {
  return MODEL_STATE.chunks_used[id] == MODEL_CHUNKS;
}

/* td_chunks_get; 0: there is none */
static inline unsigned marking_get_chunk(unsigned id) {
  if (marking_is_scarce(id)) return 0;
  return 1 + id * MARKING_CHUNKS + MODEL_STATE.chunks_used[id]++;
}

/* td_regions_announce */
static inline void marking_announce(void) {
  /* relaxed, both: as shipped */
  if (TD_STEP(regions, announce) &&
      atomic_load_explicit(&MODEL_STATE.used, memory_order_relaxed) == 0)
    atomic_store_explicit(&MODEL_STATE.used, 1u, memory_order_relaxed);
}

static inline void marking_push(struct marking_loop *l, unsigned r) {
  unsigned number = l->open[r];
  MODEL_STATE.chunk[number].count = l->filled[r];
  marking_announce();
  td_region_push(&MODEL_STATE.region[r], &MODEL_STATE.chunk[number], number);
  l->open[r] = 0;
}

/* td_visitor_next_chunk; false: the reference has been deferred */
static inline bool marking_next_chunk(struct marking_loop *l, unsigned id, unsigned object) {
  unsigned r = marking_region(object), number = marking_get_chunk(id);
  if (number != 0) {
    if (l->open[r] != 0) marking_push(l, r);
    l->open[r] = number;
  } else {
    MODEL_MET(SHORT);
    if (l->open[r] == 0) {
      if (TD_STEP(regions, defer)) marking_defer(l, id, object);
      return false;
    }
    for (unsigned i = 0; i < TD_CHUNK_REFERENCES; i++)
      if (TD_STEP(regions, defer_chunk))
        marking_defer(l, id, (uint32_t)MODEL_STATE.chunk[l->open[r]].at[i]);
  }
  l->filled[r] = 0;
  return true;
}

/* td_throw, of each of the objects */
static inline void marking_throw(struct marking_loop *l, unsigned id, unsigned objects) {
  for (unsigned object = 0; object < MARKING_OBJECTS; object++) {
    unsigned r = marking_region(object);
    if ((objects >> object & 1) == 0) continue;
    bool full = l->open[r] == 0 || l->filled[r] == TD_CHUNK_REFERENCES;
    if (full && !marking_next_chunk(l, id, object)) continue;
    MODEL_STATE.chunk[l->open[r]].at[l->filled[r]++] = object;
  }
}

/* td_visitor_close */
static inline void marking_close(struct marking_loop *l) {
  if (!TD_STEP(regions, close)) return;
  for (unsigned r = 0; r < MARKING_REGIONS; r++) {
    if (l->open[r] != 0 && l->filled[r] > 0) marking_push(l, r);
    l->open[r] = 0;
  }
}

/* ---- Visiting ---- */

static inline void marking_sift(struct marking_loop *l, unsigned number, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    unsigned object = (uint32_t)MODEL_STATE.chunk[number].at[i];
    MODEL_ASSERT(object < MARKING_OBJECTS);
    if (marking_is_marked(object)) continue;
    td_mark_store(marking_mark(object), MARKING_EPOCH);
    l->fresh |= 1u << object;
  }
}

static inline void marking_take_deferred(struct marking_loop *l, unsigned id, unsigned r) {
  for (unsigned page = MARKING_REGION_PAGES * r; page < MARKING_REGION_PAGES * (r + 1); page++) {
    if (page >= MODEL_PAGES || !marking_take_flag(l, page)) continue;
    for (unsigned object = 2 * page; object < 2 * page + 2; object++)
      if (marking_take_object(object)) l->fresh |= 1u << object;
    MODEL_MET(TAKEN);
  }
}

/* td_scan_fresh */
static inline void marking_scan_fresh(struct marking_loop *l, unsigned id, unsigned r) {
  struct td_region *region = &MODEL_STATE.region[r];
  bool deferred = td_region_has_deferred(region), scarce = marking_is_scarce(id), left = false;
  if (deferred && !scarce) marking_take_deferred(l, id, r);
  unsigned fresh = l->fresh;
  l->fresh = 0;
  if (scarce) left = deferred || fresh != 0;
  for (unsigned object = 0; object < MARKING_OBJECTS; object++) {
    if ((fresh >> object & 1) == 0) continue;
    if (!scarce) {
      marking_note(l, object);
      marking_throw(l, id, marking_children(object));
    } else if (TD_STEP(regions, defer_fresh)) {
      marking_defer_grey(l, object);
    }
  }
  if (left != deferred) td_region_set_deferred(region, left);
}

static inline void marking_visit(struct marking_loop *l, unsigned id, unsigned r) {
  struct td_region *region = &MODEL_STATE.region[r];
  MODEL_MET(VISITED);
  for (bool found = true; found;) {
    found = td_region_has_deferred(region) && !marking_is_scarce(id);
    if (l->open[r] != 0) marking_sift(l, l->open[r], l->filled[r]);
    l->filled[r] = 0;
    unsigned number = td_region_take(region);
    for (; number != 0; number = (uint32_t)MODEL_STATE.chunk[number].next)
      marking_sift(l, number, (uint32_t)MODEL_STATE.chunk[number].count);
    found |= l->fresh != 0;
    if (found) marking_scan_fresh(l, id, r);
  }
  td_region_leave(region);
}

static inline bool marking_waits(unsigned r, bool deferred) {
  uint64_t word = td_region_look(&MODEL_STATE.region[r]);
  if (td_region_is_owned(word)) return false;
  return td_region_waiting(word) > 0 ||
         (deferred && td_region_has_deferred(&MODEL_STATE.region[r]));
}

static inline bool marking_claim(unsigned id, bool deferred, unsigned *claimed) {
  for (unsigned i = 0; i < MARKING_REGIONS; i++) {
    unsigned r = (id + i) % MARKING_REGIONS;
    if (!marking_waits(r, deferred) || !td_region_claim(&MODEL_STATE.region[r])) continue;
    *claimed = r;
    return true;
  }
  return false;
}

static inline bool marking_claim_any(struct marking_loop *l, unsigned id, unsigned *claimed) {
  if (marking_claim(id, !marking_is_scarce(id), claimed)) return true;
  marking_close(l);
  return marking_claim(id, !marking_is_scarce(id), claimed);
}

/* drain_by_region and td_visitor_run */
static inline void marking_by_region(struct marking_loop *l, unsigned id) {
  uint64_t item;
  unsigned r;
  while ((item = td_bwos_get(&MODEL_STATE.queue[id], &MODEL_STATE.owner[id])) != 0) {
    unsigned object = marking_object(item);
    if (item & 1) marking_note(l, object);
    marking_throw(l, id, item & 1 ? marking_children(object) : 1u << object);
  }
  marking_announce();
  while (marking_claim_any(l, id, &r)) {
    marking_visit(l, id, r);
    if (MODEL_MODE(id) == 's') break;
  }
  marking_close(l);
}

/* ---- Single chunks ---- */

/* td_visitor_unload: returns how many references there are */
static inline uint32_t marking_unload(unsigned id, uint64_t *items) {
  uint32_t count = 0;
  unsigned r;
  /* relaxed: as shipped */
  if (!TD_STEP(regions, look) || atomic_load_explicit(&MODEL_STATE.used, memory_order_relaxed) == 0)
    return 0;
  while (count == 0 && marking_claim(id, false, &r)) {
    unsigned number = td_region_pop(&MODEL_STATE.region[r], MODEL_STATE.chunk);
    if (number != 0) {
      MODEL_MET(UNLOADED);
      for (; count < (uint32_t)MODEL_STATE.chunk[number].count; count++)
        items[count] = marking_item((uint32_t)MODEL_STATE.chunk[number].at[count], false);
    }
    td_region_leave(&MODEL_STATE.region[r]);
  }
  return count;
}

/* td_regions_wait */
static inline bool marking_regions_wait(void) {
  /* relaxed: as shipped */
  if (atomic_load_explicit(&MODEL_STATE.used, memory_order_relaxed) == 0) return false;
  for (unsigned r = 0; r < MARKING_REGIONS; r++)
    if (marking_waits(r, false)) return true;
  return false;
}

/* ---- Before and after ---- */

static inline void marking_init_regions(void) {
  /* relaxed, all: nobody else runs */
  atomic_init(&MODEL_STATE.used, 0u);
  for (unsigned r = 0; r < MARKING_REGIONS; r++) {
    atomic_init(&MODEL_STATE.region[r].word, UINT64_C(0));
    atomic_init(&MODEL_STATE.region[r].deferred, 0u);
  }
  for (unsigned i = 0; i < MARKING_MOST; i++)
    MODEL_STATE.chunks_used[i] = 0;
}

#endif
