/* The tracing loop, compiled once around each queue: the file that includes this defines
 *   Q(name)      td_<queue>_name
 *   owned(o)     roughly how many items the owner could share
 * and gets, with marker/loop/tested.h and marker/loop/work.h included after it,
 *   static void work(struct td_marker *, bool joined).
 *
 * Sparse marking has two ways, and goes over from one to the other by what it meets.
 *
 * Untested: references go into the queue as they are, last first; the newest child stays in a
 * register. An item near the object scanned last is scanned at once, any other is prefetched,
 * object and mark, and waits in a short FIFO window, so that several misses are under way
 * together but a small frontier never waits for a full window. Best for lists and trees, where
 * nearly every reference leads to a new object. Once many leaves came out of the queue, they are
 * marked where they are met instead ("leafy").
 *
 * Tested (marker/loop/tested.h): when many references lead to marked objects, references first
 * wait in a batch for their marks, are tested and marked many at a time without branches that
 * nobody can predict, and only new objects go into the queue, as "owed".
 *
 * When the queue is full, the frontier is dense: see marker/loop/dense.c.
 *
 * The loop's state is a local structure whose address goes to inlined functions only, so that
 * the compiler keeps it in registers; tested marking works on a copy. */
#include <assert.h>

#include "marker/loop/batch.h"
#include "marker/base/deferred.h"
#include "marker/base/idle.h"
#include "marker/base/report.h"
#include "marker/base/root_slices.h"
#include "marker/loop/address_order.h"
#include "marker/loop/rare.h"
#include "marker/loop/scan.h"

#define SCORE_MOST 8
#define LEAVES_MANY (TD_POLL_OBJECTS / 8)
#define PATIENCE_MOST (1u << 20)
#define SHARE_STEP_MOST 4096u /* objects */

struct loop {
  struct td_view v;
  struct td_marker *marker;
  struct Q(queue) * queue;
  uint64_t *window;      /* a ring; apart, or the compiler would keep all of this in memory */
  struct td_batch batch; /* tested marking: references whose marks are on their way */
  uintptr_t next;        /* newest child; 0: none */
  uintptr_t last;        /* object scanned last */
  uint64_t objects;      /* marked, but for leaves marked where they were met */
  uint32_t head, count;  /* window */
  uint32_t poll;
  uint64_t effort;     /* objects, and slots of arrays for their share */
  uint64_t recruit_at; /* effort at which to think of recruiting */
  uint64_t share_at;   /* effort at which thieves may next get something, */
  uint32_t share_step; /* which is so long after the last time */
  bool spill;          /* the window goes back into the queue for them */
  bool dense;          /* the queue was full: the frontier is dense */
  uint32_t patience;   /* items to defer before that is believed */
  uint32_t patience_next;
  bool tested;             /* which way of sparse marking */
  uint64_t tested_refs;    /* references settled since the last poll */
  uint64_t objects_before; /* at the last poll */
  int32_t score;           /* how much speaks for tested marking */
  size_t walk;             /* flagged page being walked in sparse mode; 0: none */
  uint64_t walk_from;      /* granule to go on from there */
  struct Q(owner) o;
};

/* An item, but no slice, becomes pending work of its page. */
static __attribute__((noinline, cold)) void defer(struct td_marker *marker, uint64_t item) {
  if (item & TD_ITEM_GREY)
    td_defer_grey(marker, item & ~TD_ITEM_GREY);
  else
    td_defer(marker, item);
}

/* The queue is full: the item becomes pending. */
TD_INLINE void refused(struct loop *l, uint64_t item) {
  defer(l->marker, item);
  if (--l->patience > 0) return;
  l->dense = true;
  l->poll = 1; /* look at that soon */
}

TD_INLINE void put(struct loop *l, uint64_t item) {
  if (__builtin_expect(!Q(put)(l->queue, &l->o, item), 0)) refused(l, item);
}

/* A leaf is marked where it is met; true: it was one. */
TD_INLINE bool visit_leaf(struct loop *l, uintptr_t word) {
  if (td_view_block(&l->v, word)->kind != TD_KIND_LEAF) return false;
  if (td_view_is_marked(&l->v, word)) return true;
  td_mark_store(td_view_mark(&l->v, word), l->v.epoch);
  l->marker->stats.objects++; /* not in l: it has no register left for this */
  return true;
}

/* A child becomes the newest; the one it displaces goes into the queue. */
TD_INLINE void visit(void *context, uintptr_t word) {
  struct loop *l = context;
  if (!td_view_is_reference(&l->v, word)) return;
  if (l->next) put(l, l->next);
  l->next = word;
}

/* The same where leaves are frequent: they don't make that detour. In arrays the following slots
 * are known, so there it always pays. */
TD_INLINE void visit_element(void *context, uintptr_t word) {
  struct loop *l = context;
  if (!td_view_is_reference(&l->v, word) || visit_leaf(l, word)) return;
  if (l->next) put(l, l->next);
  l->next = word;
}

/* ---- Kinds of objects that are not scanned inline; they hand items over in a buffer ---- */

TD_INLINE void scan_rare(struct loop *l, uintptr_t object, td_visit visit_one) {
  struct td_trace_buffer gather;
  td_scan_rare(l->marker, object, &gather);
  uint32_t count = gather.count;
  for (uint32_t i = 0; i < count; i++)
    visit_one(l, gather.items[i]);
}

/* ---- Arrays ---- */

struct array {
  const uintptr_t *slots;
  size_t from, to;
  bool conservative;
};

static __attribute__((noinline)) void array_of(const struct td_space *space, uintptr_t object,
                                               struct array *a) {
  uint32_t b = (uint32_t)((object - space->base) >> TD_BLOCK_LOG2);
  a->slots = (const uintptr_t *)object;
  a->conservative = space->blocks[b].kind == TD_KIND_CONSERVATIVE;
  td_array_slots(space, b, &a->from, &a->to);
}

TD_INLINE void scan_slots(struct loop *l, const struct array *a, size_t from, size_t to,
                          td_visit visit_one) {
  if (a->conservative)
    td_scan_conservative(l->marker->set->space, a->slots, from, to, visit_one, l);
  else
    td_scan_words(a->slots, from, to, visit_one, l);
}

/* Halves the slice until it is small, leaving the later halves for thieves; when the queue is
 * full, scans them too. */
TD_INLINE void scan_slice(struct loop *l, uint64_t item, td_visit visit_one) {
  uint64_t granule = td_item_granule(item), index = td_item_index(item);
  unsigned level = td_item_level(item);
  struct array a;
  array_of(l->marker->set->space, td_view_object(&l->v, granule), &a);
  size_t count = a.to - a.from;
  size_t to = (index + 1) << level;
  while (level > 0 && index < (uint64_t)1 << (TD_ITEM_INDEX_BITS - 1)) {
    level--;
    index *= 2;
    if (((index + 1) << level) * TD_SLICE_SLOTS >= count) continue;
    if (!Q(put)(l->queue, &l->o, td_slice_item(granule, level, index + 1))) break;
    to = (index + 1) << level;
  }
  size_t start = a.from + (index << level) * TD_SLICE_SLOTS;
  size_t stop = a.from + to * TD_SLICE_SLOTS;
  scan_slots(l, &a, start, stop < a.to ? stop : a.to, visit_one);
}

static unsigned top_level(size_t count) {
  unsigned level = 0;
  while (((size_t)TD_SLICE_SLOTS << level) < count)
    level++;
  return level;
}

TD_INLINE void scan_array(struct loop *l, uintptr_t object, td_visit visit_one) {
  struct array a;
  array_of(l->marker->set->space, object, &a);
  if (a.to - a.from <= 2 * TD_SLICE_SLOTS)
    scan_slots(l, &a, a.from, a.to, visit_one);
  else
    scan_slice(l, td_slice_item(td_view_granule(&l->v, object), top_level(a.to - a.from), 0),
               visit_one);
}

/* ---- Objects ---- */

/* Reads an object that is marked already. */
TD_INLINE void scan_children(struct loop *l, uintptr_t object, const struct td_block *block,
                             td_visit visit_one, td_visit visit_many) {
  l->last = object;
  if (block->kind == TD_KIND_BITMAP)
    td_scan_map((const uintptr_t *)object, block->map, visit_one, l);
  else if (td_kind_is_array(block->kind))
    scan_array(l, object, visit_many);
  else if (block->kind == TD_KIND_LEAF)
    l->marker->queued_leaves++;
  else
    scan_rare(l, object, visit_many);
}

/* Is the item still to be scanned? Yes if it is owed; any other is marked, if nobody was faster. */
TD_INLINE bool claim(struct loop *l, const struct td_view *v, uint64_t item) {
  if (item & TD_ITEM_GREY) return true;
  if (td_view_is_marked(v, item)) return false;
  td_mark_store(td_view_mark(v, item), v->epoch);
  l->objects++;
  return true;
}

TD_INLINE void scan_item(struct loop *l, uint64_t item, td_visit visit_one, td_visit visit_many) {
  uintptr_t object = item & ~TD_ITEM_GREY;
  if (claim(l, &l->v, item))
    scan_children(l, object, td_view_block(&l->v, object), visit_one, visit_many);
}

TD_INLINE bool near(const struct loop *l, uint64_t item) {
  return item - l->last + TD_NEAR_BYTES <= 2 * TD_NEAR_BYTES;
}

/* Leaves are never read, so only their mark is fetched. */
TD_INLINE void prefetch(const struct loop *l, uintptr_t object) {
  const uint8_t *mark = td_view_mark(&l->v, object);
  __builtin_prefetch(mark, 1);
  bool leaf = td_view_block(&l->v, object)->kind == TD_KIND_LEAF;
  __builtin_prefetch(leaf ? (const void *)mark : (const void *)object);
}

/* Marking goes on at `object`. Where one object follows another at a distance, those to come are
 * likely to lie that far apart, too: some steps ahead are asked for. */
TD_INLINE void fetch_ahead(const struct loop *l, uintptr_t object) {
  uintptr_t later = object + (object - l->last) * TD_NEAR_AHEAD;
  __builtin_prefetch((const void *)later);
}

/* ---- Sharing ---- */

/* Of what was looked at since the last poll, how much was new? Less than three quarters speak for
 * tested marking, nearly all against it; the score keeps short stretches from deciding. */
TD_INLINE void choose_way(struct loop *l) {
  uint64_t fresh = l->objects - l->objects_before;
  uint64_t looked = l->tested ? l->tested_refs : TD_POLL_OBJECTS;
  l->objects_before = l->objects;
  l->tested_refs = 0;
  if (4 * fresh < 3 * looked)
    l->score += l->score < SCORE_MOST;
  else if (8 * fresh > 7 * looked)
    l->score -= l->score > -SCORE_MOST;
  if (l->score == SCORE_MOST) l->tested = true;
  if (l->score == -SCORE_MOST) l->tested = false;
}

TD_INLINE void grant(struct loop *l) {
  if (owned(&l->o) < 2) return;
  Q(grant)(l->queue, &l->o);
  td_report_grant(l->marker);
}

/* To thieves that ask for work. If they wait again when the time for the next share comes, this one
 * was little: then the next comes later, for a share costs both sides some hundred nanoseconds. */
TD_INLINE void give(struct loop *l) {
  if (l->effort - l->share_at > TD_POLL_OBJECTS)
    l->share_step = TD_POLL_OBJECTS;
  else if (l->share_step < SHARE_STEP_MOST)
    l->share_step *= 2;
  l->share_at = l->effort + l->share_step;
  l->spill = owned(&l->o) < 2; /* thieves reach the queue only */
  grant(l);
}

/* Somebody asks for work, or sleeps while there is plenty. */
TD_INLINE void share(struct loop *l) {
  if (Q(wanted)(l->queue) && l->effort >= l->share_at && (owned(&l->o) >= 2 || l->count >= 2))
    give(l);
  if (l->effort >= l->recruit_at && owned(&l->o) + l->count >= TD_RECRUIT_ITEMS)
    l->recruit_at = td_recruit_more(l->marker, l->effort);
}

/* Sparse marking, see above; LEAFY: untested, but leaves are marked where they are met. */
enum way { UNTESTED, LEAFY, TESTED };

TD_INLINE enum way way_of(const struct loop *l) {
  return l->tested ? TESTED : l->marker->leaves_early ? LEAFY : UNTESTED;
}

/* Every TD_POLL_OBJECTS objects. true: another way of marking goes on. */
TD_INLINE bool take_stock(struct loop *l) {
  enum way way = way_of(l);
  l->poll = TD_POLL_OBJECTS;
  l->effort += TD_POLL_OBJECTS;
  l->marker->stats.window_sum += l->count;
  l->marker->stats.window_samples++;
  if (l->marker->queued_leaves > LEAVES_MANY) l->marker->leaves_early = true;
  l->marker->queued_leaves = 0;
  choose_way(l);
  share(l);
  return l->dense || l->spill || way_of(l) != way;
}

TD_INLINE uint64_t take_oldest(struct loop *l) {
  l->count--;
  return l->window[l->head++ % TD_WINDOW];
}

TD_INLINE void append(struct loop *l, uint64_t item) {
  prefetch(l, item & ~TD_ITEM_GREY);
  l->window[(l->head + l->count++) % TD_WINDOW] = item;
}

/* A slice taken from the queue, at once. */
TD_INLINE void scan_part(struct loop *l, uint64_t slice, td_visit visit_one) {
  scan_slice(l, slice, visit_one);
  l->effort += TD_SLICE_EFFORT;
  share(l);
}

/* Fills the window from the queue. Returns an object that is near, to be scanned at once; 0 if
 * there was none, or a slice was scanned and the register is set. */
TD_INLINE uint64_t refill(struct loop *l) {
  while (l->count < TD_WINDOW) {
    uint64_t item = Q(get)(l->queue, &l->o);
    if (item == 0) return 0;
    if (__builtin_expect((item & TD_ITEM_SLICE) != 0, 0)) {
      scan_part(l, item, visit_element);
      if (l->next) return 0;
    } else if (near(l, item)) {
      fetch_ahead(l, item & ~TD_ITEM_GREY);
      return item;
    } else {
      append(l, item);
    }
  }
  return 0;
}

/* Follows the newest child for as long as it is near: down a list, or a tree in the order it was
 * allocated in. The shortest way from one object to the next; false: another way goes on. */
TD_INLINE bool chase(struct loop *l, td_visit visit_one) {
  while (l->next && near(l, l->next)) {
    if (--l->poll == 0 && take_stock(l)) return false;
    uintptr_t object = l->next;
    fetch_ahead(l, object);
    l->next = 0;
    if (td_view_is_marked(&l->v, object)) return true;
    td_mark_store(td_view_mark(&l->v, object), l->v.epoch);
    l->objects++;
    scan_children(l, object, td_view_block(&l->v, object), visit_one, visit_element);
  }
  return true;
}

/* Marks until register, window and queue are empty, the queue was full, or tested marking seems
 * better. */
TD_INLINE void drain_with(struct loop *l, td_visit visit_one) {
  while (chase(l, visit_one)) {
    if (--l->poll == 0 && take_stock(l)) return;
    uint64_t item = l->next;
    l->next = 0;
    if (item) {
      uint64_t oldest = l->count == TD_WINDOW ? take_oldest(l) : 0;
      append(l, item);
      item = oldest;
    }
    if (!item) item = refill(l);
    if (!item) {
      if (l->next) continue;
      if (l->count == 0) return;
      item = take_oldest(l);
    }
    scan_item(l, item, visit_one, visit_element);
  }
}

TD_INLINE void drain_untested(struct loop *l) {
  drain_with(l, visit);
}

TD_INLINE void drain_leafy(struct loop *l) {
  drain_with(l, visit_element);
}
