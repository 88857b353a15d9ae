/* SPDX-License-Identifier: MIT */
/* Marking in the small: markers, each with a queue, mark a graph of a few objects. There are root
 * slices, stealing, early grants, full queues, joining, leaving and the end of the phase; deferred
 * bytes and flags, which are in marking_flags.h; and regions, in marking_regions.h. What is checked
 * in the end is in marking_check.h.
 *
 * The queue (marker/queue/bwos.h), the termination (marker/base/termination.h), the bytes and
 * flags (heap/space/marks.h) and the word of a region (marker/region/region.h) are the shipped
 * ones. The loop around them is that of marker/loop/loop.h without what no other marker can see:
 * the next child, the window and grey objects that wait by kind are private places, like the item
 * that a marker has in hand here; slices of arrays are items like others. The names are those of
 * the shipped functions.
 *
 * Written in what C and C++ share, so that every checker runs the same lines. A checker defines,
 * before it includes this file,
 *
 *   MODEL_MARKERS: how many markers; MARKING_MOST at most
 *   MODEL_STATE: the struct marking of this execution
 *   MODEL_MARKS: its mark bytes
 *   MODEL_MODE(id): a letter for each marker. u queues untested references, o grey objects; d has
 *     no queue and defers everything; r and s visit regions, see marking_regions.h
 *   MODEL_REGIONS: whether some marker does
 *   MODEL_CHUNKS: how many chunks each marker has, MARKING_CHUNKS at most
 *   MODEL_GRAPH: 64 bits; byte o has a bit for each object to which object o refers
 *   MODEL_ROOTS: byte s has a bit for each object of root slice s
 *   MODEL_SLICES: how many root slices
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
  unsigned flagged;   /* a bit for each page that this marker has flagged since it joined */
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

#include "tests/model/marking_flags.h"

/* ---- Meeting a reference ---- */

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
  if ((item & 1) != 0 || !marking_is_marked(object)) marking_defer_grey(l, object);
}

/* The children of an object, or the objects of a root slice. */
static inline void marking_meet(struct marking_loop *l, unsigned id, unsigned objects) {
  for (unsigned object = 0; object < MARKING_OBJECTS; object++) {
    if ((objects >> object & 1) == 0) continue;
    if (MODEL_MODE(id) != 'o' && MODEL_MODE(id) != 'd') {
      marking_put(l, id, marking_item(object, false));
    } else if (!marking_is_marked(object)) {
      if (MODEL_MODE(id) == 'd') {
        marking_defer_grey(l, object);
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
  while ((item = td_bwos_get(&MODEL_STATE.queue[id], &MODEL_STATE.owner[id])) != 0) {
    marking_scan_item(l, id, item);
    marking_share(l, id);
    if (!TD_STEP(marking, drain)) return;
  }
}

#include "tests/model/marking_regions.h"

/* ---- Flagged pages, root slices, other markers' queues ---- */

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
  unsigned flagged = TD_STEP(marking, see_flags) ? marking_find_flagged() : 0;
  if (flagged != 0) {
    if (!marking_take_flag(l, flagged - 1)) return true;
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
  if (marking_find_flagged() != 0) return true;
  for (unsigned v = 0; v < MODEL_MARKERS; v++)
    if (v != id && MODEL_MODE(v) != 'd' && td_bwos_size(&MODEL_STATE.queue[v]) != 0) return true;
  for (unsigned v = 0; v < MODEL_MARKERS; v++)
    if (v != id && MODEL_MODE(v) != 'd') td_bwos_want(&MODEL_STATE.queue[v]);
  return false;
}

/* ---- A marker's part in a phase ---- */

static inline void marking_begin(struct marking_loop *l, unsigned id) {
  l->flagged = 0;
  l->walk = l->walk_from = 0;
  l->fresh = 0;
  for (unsigned r = 0; r < MARKING_REGIONS; r++)
    l->open[r] = l->filled[r] = 0;
  l->scanned = TD_PLAIN_LOAD(&MODEL_STATE.scanned[id]);
}

/* Active; has left when it returns. true: it was the last. */
static inline bool marking_work(struct marking_loop *l, unsigned id) {
  for (;;) {
    if (marking_visits(id))
      marking_by_region(l, id);
    else
      marking_drain(l, id);
    if (l->walk != 0) {
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
