/* SPDX-License-Identifier: MIT */
/* Marking in the small: markers, each with a queue, mark a graph of a few objects. There are root
 * slices, stealing, early grants, full queues, deferred bytes and flags, passes in address order,
 * joining, leaving and the end of the phase; and regions, whose part is in marking_regions.h. What
 * is checked in the end is in marking_check.h.
 *
 * The queue (marker/queue/bwos.h), the termination (marker/base/termination.h), the bytes and
 * flags (heap/space/marks.h) and the word of a region (marker/region/region.h) are the shipped
 * ones. The loop around them is that of marker/loop/loop.h without
 * what no other marker can see. The next child, window and batch are private places like the item
 * that a marker has in hand here; slices of arrays are items like others. The names are those of
 * the shipped functions.
 *
 * Longer than 400 lines because it is one marker's whole loop, to be read beside the shipped one.
 *
 * Written in what C and C++ share, so that every checker runs the same lines. A checker defines,
 * before it includes this file,
 *
 *   MODEL_MARKERS: how many markers; MARKING_MOST at most
 *   MODEL_STATE: the struct marking of this execution
 *   MODEL_MARKS: its mark bytes
 *   MODEL_MODE(id): a letter for each marker. u queues untested references, o grey objects;
 *     d queues nothing and defers everything; r and s visit regions, see marking_regions.h
 *   MODEL_REGIONS: whether some marker does
 *   MODEL_CHUNKS: how many chunks each marker has, MARKING_CHUNKS at most
 *   MODEL_GRAPH: 64 bits; byte o has a bit for each object to which object o refers
 *   MODEL_ROOTS: byte s has a bit for each object of root slice s
 *   MODEL_SLICES: how many root slices
 *   MODEL_ROWS: rows of flags; if there are fewer than markers, rows are shared
 *   MODEL_MANY: 0: everybody looks at all flags. Otherwise as among many, each answers for its own:
 *     at flags of others 1 lets marker 0 look and nobody else, 2 nobody
 *   MODEL_ASSERT(c): reports a violation unless c
 *   MODEL_MET(event): counts one of enum marking_event
 *
 * and calls marking_init, marking_start; then marker 0 marking_collect, and any marker, any number
 * of times, marking_try. Marker 0, when it was the last to leave or has seen the end,
 * marking_check.
 *
 * Checked when marker 0 has seen the end: every object that the roots reach, and no other, is
 * marked and was scanned. None is deferred. No flag, root slice or queue holds anything. Whatever
 * markers write for themselves may be read and written by marker 0; it would be a data race
 * otherwise. */
#ifndef TD_TESTS_MODEL_MARKING_H
#define TD_TESTS_MODEL_MARKING_H

enum { MARKING_MOST = 3, MARKING_OBJECTS = 8, MARKING_PAGES = 4, MARKING_EPOCH = 2 };
enum { MARKING_REGIONS = 2, MARKING_SHIFT = 2, MARKING_REGION_PAGES = 2, MARKING_CHUNKS = 8 };
enum { MARKING_BLOCKS = 2, MARKING_ENTRIES = 2, MARKING_STEAL = 4, MARKING_SCANS = 60 };

/* What executions should meet, or the model shows nothing. */
enum marking_event {
  JOINED,
  STOLEN,
  ALONE,
  GRANTED,
  DEFERRED,
  WALKED,
  FOREIGN,
  VISITED,
  UNLOADED,
  SHORT,
  TAKEN,
  EVENTS
};

struct marking {
  struct td_termination term;
  struct td_space heap;
  _Atomic(uint64_t) root_next;
  _Atomic(uint32_t) flagged;
  struct td_bwos queue[MARKING_MOST];
  struct td_bwos_owner owner[MARKING_MOST];
  struct td_region region[MARKING_REGIONS];
  struct td_chunk chunk[1 + MARKING_MOST * MARKING_CHUNKS]; /* chunk 0 is never used */
  _Atomic(uint32_t) used;                                   /* as td_regions.used */
  unsigned chunks_used[MARKING_MOST];                       /* each marker's own */
  TD_PLAIN(uint64_t) description;           /* written before the start, read after joining */
  TD_PLAIN(uint64_t) scanned[MARKING_MOST]; /* a marker's while active, else marker 0's */
};

/* One marker's state while it is active. */
struct marking_loop {
  bool full;          /* the queue was full */
  bool has_flagged;   /* there may be flags that this marker has set */
  unsigned walk;      /* page being walked, + 1; 0: none */
  unsigned walk_from; /* object to go on from there */
  uint64_t scanned;   /* bit o: object o; from bit 32 on, how many scans */
  /* The open chunk of each region, 0 if there is none, and the references in it. */
  unsigned open[MARKING_REGIONS], filled[MARKING_REGIONS];
  unsigned fresh; /* a bit for each object that this visit has to scan */
};

static inline unsigned marking_children(unsigned object) {
  return (unsigned)(MODEL_GRAPH >> (8 * object)) & 0xffu;
}

/* ---- Meeting a reference ---- */

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

/* An item is twice the object's number + 2, and + 1 if it is grey. */
static inline uint64_t marking_item(unsigned object, bool grey) {
  return 2 * (uint64_t)object + 2 + (grey ? 1 : 0);
}

static inline unsigned marking_object(uint64_t item) {
  return (unsigned)(item / 2) - 1;
}

static inline void marking_put(struct marking_loop *l, unsigned id, uint64_t item) {
  if (td_bwos_put(&MODEL_STATE.queue[id], &MODEL_STATE.owner[id], item)) return;
  if (!TD_STEP(marking, defer)) return;
  MODEL_MET(DEFERRED);
  unsigned object = marking_object(item);
  if ((item & 1) != 0 || !marking_is_marked(object)) marking_defer_grey(l, id, object);
  l->full = true;
}

/* The children of an object, or the objects of a root slice. */
static inline void marking_meet(struct marking_loop *l, unsigned id, unsigned objects) {
  for (unsigned object = 0; object < MARKING_OBJECTS; object++) {
    if ((objects >> object & 1) == 0) continue;
    if (MODEL_MODE(id) != 'o' && MODEL_MODE(id) != 'd') {
      marking_put(l, id, marking_item(object, false));
    } else if (!marking_is_marked(object)) {
      if (MODEL_MODE(id) == 'd') {
        marking_defer_grey(l, id, object);
      } else {
        td_mark_store(marking_mark(object), MARKING_EPOCH);
        marking_put(l, id, marking_item(object, true));
      }
    }
  }
}

static inline void marking_note(struct marking_loop *l, unsigned object) {
  uint64_t scanned = (l->scanned | UINT64_C(1) << object) + (UINT64_C(1) << 32);
  l->scanned = scanned;
  MODEL_ASSERT(scanned >> 32 < MARKING_SCANS);
}

static inline void marking_scan(struct marking_loop *l, unsigned id, unsigned object) {
  marking_note(l, object);
  marking_meet(l, id, marking_children(object));
}

/* ---- The own queue ---- */

static inline void marking_scan_item(struct marking_loop *l, unsigned id, uint64_t item) {
  unsigned object = marking_object(item);
  MODEL_ASSERT(object < MARKING_OBJECTS);
  if ((item & 1) == 0) {
    if (marking_is_marked(object)) return;
    td_mark_store(marking_mark(object), MARKING_EPOCH);
  }
  marking_scan(l, id, object);
}

static inline void marking_share(struct marking_loop *l, unsigned id) {
  struct td_bwos *queue = &MODEL_STATE.queue[id];
  struct td_bwos_owner *owner = &MODEL_STATE.owner[id];
  if (!td_bwos_wanted(queue)) return;
  MODEL_MET(GRANTED);
  if (TD_STEP(marking, grant))
    td_bwos_grant(queue, owner);
  else
    owner->owner.floor += (owner->owner.cursor - owner->owner.floor) / 2;
}

static inline void marking_drain(struct marking_loop *l, unsigned id) {
  uint64_t item;
  if (MODEL_MODE(id) == 'd') return; /* has no queue */
  while (!l->full && (item = td_bwos_get(&MODEL_STATE.queue[id], &MODEL_STATE.owner[id])) != 0) {
    marking_scan_item(l, id, item);
    marking_share(l, id);
    if (!TD_STEP(marking, drain)) return;
  }
}

/* ---- Flagged pages ---- */

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

#include "tests/model/marking_regions.h"

/* The next deferred object of the page being walked. */
static inline void marking_walk_on(struct marking_loop *l, unsigned id) {
  unsigned end = 2 * l->walk;
  while (l->walk_from < end) {
    unsigned object = l->walk_from++;
    if (!marking_take_object(object)) continue;
    marking_scan(l, id, object);
    return;
  }
  l->walk = 0;
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

/* ---- Root slices and other markers' queues ---- */

static inline bool marking_roots_left(void) {
  /* relaxed: as shipped */
  return atomic_load_explicit(&MODEL_STATE.root_next, memory_order_relaxed) < MODEL_SLICES;
}

static inline bool marking_scan_roots(struct marking_loop *l, unsigned id) {
  if (!marking_roots_left()) return false;
  /* relaxed: as shipped */
  uint64_t slice = atomic_fetch_add_explicit(&MODEL_STATE.root_next, 1u, memory_order_relaxed);
  if (slice >= MODEL_SLICES) return false;
  marking_meet(l, id, (unsigned)(MODEL_ROOTS >> (8 * slice)) & 0xffu);
  return true;
}

/* The looks of steal at other markers' queues. */
static inline uint32_t marking_look(unsigned id, uint64_t *items) {
  for (unsigned i = 1; i < MODEL_MARKERS; i++) {
    unsigned victim = (id + i) % MODEL_MARKERS;
    if (MODEL_MODE(victim) == 'd') continue; /* never has anything */
    int32_t count = td_bwos_steal(&MODEL_STATE.queue[victim], items, MARKING_STEAL);
    if (count <= 0) continue;
    MODEL_MET(STOLEN);
    return (uint32_t)count;
  }
  return 0;
}

/* steal. Neither mutant, who never looks or looks even when alone, is a violation. */
static inline uint32_t marking_steal(unsigned id, uint64_t *items) {
  if (!TD_STEP(marking, look)) return 0;
  if (TD_STEP(marking, alone) && td_term_alone(&MODEL_STATE.term)) {
    MODEL_MET(ALONE);
    return 0;
  }
  return marking_look(id, items);
}

static inline void marking_accept(struct marking_loop *l, unsigned id, const uint64_t *items,
                                  uint32_t count) {
  for (uint32_t i = count; i-- > 0;)
    if (MODEL_MODE(id) == 'd')
      marking_scan_item(l, id, items[i]);
    else
      marking_put(l, id, items[i]);
}

static inline bool marking_find_work(struct marking_loop *l, unsigned id) {
  if (marking_scan_roots(l, id)) return true;
  if (MODEL_REGIONS) {
    uint64_t unloaded[TD_CHUNK_REFERENCES];
    uint32_t references = marking_unload(id, unloaded);
    marking_accept(l, id, unloaded, references);
    if (references > 0) return true;
  }
  unsigned flagged = TD_STEP(marking, see_flags) ? marking_find_flagged(l, id) : 0;
  if (flagged != 0) {
    if (!marking_take_flag(l, id, flagged - 1)) return true;
    MODEL_MET(WALKED);
    l->walk = flagged;
    l->walk_from = 2 * (flagged - 1);
    return true;
  }
  uint64_t items[MARKING_STEAL];
  uint32_t count = marking_steal(id, items);
  if (count != 0 && !TD_STEP(term, hold)) { /* counts itself out with work in its hands */
    td_term_leave(&MODEL_STATE.term);
    marking_accept(l, id, items, count);
    marking_drain(l, id);
    /* relaxed: a mutant's */
    atomic_fetch_add_explicit(&MODEL_STATE.term.active, 1u, memory_order_relaxed);
    return true;
  }
  marking_accept(l, id, items, count);
  return count > 0;
}

/* td_idle's promising: would another try pay? Says what is wished for if not. */
static inline bool marking_promising(unsigned id) {
  if (marking_roots_left() || (MODEL_REGIONS && marking_regions_wait())) return true;
  if (marking_glance(id, 0) != 0) return true;
  for (unsigned v = 0; v < MODEL_MARKERS; v++)
    if (v != id && MODEL_MODE(v) != 'd' && td_bwos_size(&MODEL_STATE.queue[v]) != 0) return true;
  for (unsigned v = 0; v < MODEL_MARKERS; v++)
    if (v != id && MODEL_MODE(v) != 'd') td_bwos_want(&MODEL_STATE.queue[v]);
  return false;
}

/* ---- A marker's part in a phase ---- */

static inline void marking_begin(struct marking_loop *l, unsigned id) {
  l->full = l->has_flagged = false;
  l->walk = l->walk_from = 0;
  l->fresh = 0;
  for (unsigned r = 0; r < MARKING_REGIONS; r++)
    l->open[r] = l->filled[r] = 0;
  l->scanned = TD_PLAIN_LOAD(&MODEL_STATE.scanned[id]);
}

/* Active; has left when it returns. true: it was the last. */
static inline bool marking_work(struct marking_loop *l, unsigned id) {
  for (;;) {
    if (marking_visits(id) && !l->full)
      marking_by_region(l, id);
    else
      marking_drain(l, id);
    if (l->full) {
      l->full = false; /* a marker goes on in another way, which concerns it alone: loop/poll.h */
    } else if (l->walk != 0) {
      marking_walk_on(l, id);
    } else if (!marking_find_work(l, id)) {
      TD_PLAIN_STORE(&MODEL_STATE.scanned[id], l->scanned);
      return td_term_leave(&MODEL_STATE.term);
    }
  }
}

static inline bool marking_join(void) {
  if (TD_STEP(term, ask)) return td_term_join(&MODEL_STATE.term);
  /* relaxed: a mutant's */
  atomic_fetch_add_explicit(&MODEL_STATE.term.active, 1u, memory_order_relaxed);
  return true;
}

/* One try of a marker that is not active; true: it took part and was the last to leave. */
static inline bool marking_try(unsigned id) {
  struct marking_loop l;
  if (!TD_STEP(term, join_first)) { /* takes before it counts itself in, not asking if alone */
    uint64_t items[MARKING_STEAL];
    uint32_t count = marking_look(id, items);
    if (count == 0 || !td_term_join(&MODEL_STATE.term)) return false;
    marking_begin(&l, id);
    marking_accept(&l, id, items, count);
    return marking_work(&l, id);
  }
  if (!marking_join()) return false;
  MODEL_MET(JOINED);
  MODEL_ASSERT(TD_PLAIN_LOAD(&MODEL_STATE.description) == 1);
  marking_begin(&l, id);
  return marking_work(&l, id);
}

/* Marker 0's part until it has none; true: it was the last to leave, and need not ask. */
static inline bool marking_collect(void) {
  struct marking_loop l;
  marking_begin(&l, 0);
  return marking_work(&l, 0);
}

#include "tests/model/marking_check.h"

#endif
