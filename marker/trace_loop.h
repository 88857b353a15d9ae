/* The tracing loop, compiled once around each queue: the file that includes this defines
 *   Q(name)      td_<queue>_name
 *   owned(o)     roughly how many items the owner could share
 * and gets  static void work(struct td_marker *, bool joined).
 *
 * Sparse marking: references go untested into the queue, last first; the newest child stays in a
 * register. An item near the object scanned last is scanned at once, any other is prefetched and
 * waits in a short FIFO window, so that several misses are under way together but a small
 * frontier never waits for a full window. When the queue is full, the frontier is dense: see
 * marker/dense.c.
 *
 * The loop's state is a local structure whose address goes to inlined functions only, so that
 * the compiler keeps it in registers. */
#include <assert.h>

#include "marker/scan.h"

struct loop {
  struct td_view v;
  struct td_marker *marker;
  struct Q(queue) * queue;
  uint64_t *window; /* a ring; apart, or the compiler would keep all of this in memory */
  uintptr_t next;   /* newest child; 0: none */
  uintptr_t last;   /* object scanned last */
  uint64_t objects, cells;
  uint32_t head, count; /* window */
  uint32_t poll;
  uint64_t recruit_at; /* objects at which to think of recruiting */
  bool dense;
  uint32_t walk;      /* flagged block being walked in sparse mode; 0: none */
  uint64_t walk_from; /* granule to go on from there */
  struct Q(owner) o;
};

static __attribute__((noinline, cold)) void defer(struct td_marker *marker, uintptr_t object) {
  td_dense_defer(marker, object);
}

TD_INLINE void put(struct loop *l, uintptr_t object) {
  if (__builtin_expect(!Q(put)(l->queue, &l->o, object), 0)) {
    defer(l->marker, object);
    l->dense = true;
  }
}

TD_INLINE void count_object(struct loop *l, uintptr_t object, const struct td_block *block) {
  l->objects++;
  l->cells += block->cell_granules;
  if (__builtin_expect(block->cell_granules == 0, 0))
    l->cells +=
        l->marker->set->heap->infos[td_view_number(&l->v, object)].large_bytes >> TD_GRANULE_LOG2;
}

/* A child becomes the newest; the one it displaces goes into the queue. */
TD_INLINE void visit(void *context, uintptr_t word) {
  struct loop *l = context;
  if (!td_view_is_reference(&l->v, word)) return;
  if (l->next) put(l, l->next);
  l->next = word;
}

/* In arrays the following slots are known, so leaves are met early enough to be marked at once. */
TD_INLINE void visit_element(void *context, uintptr_t word) {
  struct loop *l = context;
  if (!td_view_is_reference(&l->v, word)) return;
  struct td_block *block = td_view_block(&l->v, word);
  if (block->kind == TD_KIND_LEAF) {
    if (td_view_is_marked(&l->v, word)) return;
    td_mark_store(td_view_mark(&l->v, word), l->v.epoch);
    td_block_keep(block);
    count_object(l, word, block);
  } else {
    if (l->next) put(l, l->next);
    l->next = word;
  }
}

/* ---- Kinds of objects that are not scanned inline; they hand items over in a buffer ---- */

TD_INLINE void scan_rare(struct loop *l, uintptr_t object) {
  struct td_gather gather;
  td_scan_rare(l->marker, object, &gather);
  uint32_t count = gather.count;
  for (uint32_t i = 0; i < count; i++) {
    if (l->next) put(l, l->next);
    l->next = gather.items[i];
  }
}

TD_INLINE void scan_conservative(struct loop *l, const uintptr_t *words, size_t from, size_t to) {
  for (size_t i = to; i-- > from;) {
    uintptr_t object = td_heap_find(l->marker->set->heap, words[i]);
    if (object) visit(l, object);
  }
}

/* ---- Arrays ---- */

struct array {
  const uintptr_t *slots;
  size_t from, to;
  bool conservative;
};

static __attribute__((noinline)) void array_of(const struct td_heap *heap, uintptr_t object,
                                               struct array *a) {
  uint32_t b = (uint32_t)((object - heap->base) >> TD_BLOCK_LOG2);
  a->slots = (const uintptr_t *)object;
  a->conservative = heap->blocks[b].kind == TD_KIND_CONSERVATIVE;
  td_array_slots(heap, b, &a->from, &a->to);
}

TD_INLINE void scan_slots(struct loop *l, const struct array *a, size_t from, size_t to) {
  if (a->conservative)
    scan_conservative(l, a->slots, from, to);
  else
    td_scan_words(a->slots, from, to, visit_element, l);
}

/* Halves the slice until it is small, leaving the later halves for thieves; when the queue is
 * full, scans them too. */
TD_INLINE void scan_slice(struct loop *l, uint64_t item) {
  uint64_t granule = td_item_granule(item), index = td_item_index(item);
  unsigned level = td_item_level(item);
  struct array a;
  array_of(l->marker->set->heap, td_view_object(&l->v, granule), &a);
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
  scan_slots(l, &a, start, stop < a.to ? stop : a.to);
}

static unsigned top_level(size_t count) {
  unsigned level = 0;
  while (((size_t)TD_SLICE_SLOTS << level) < count)
    level++;
  return level;
}

TD_INLINE void scan_array(struct loop *l, uintptr_t object) {
  struct array a;
  array_of(l->marker->set->heap, object, &a);
  if (a.to - a.from <= 2 * TD_SLICE_SLOTS)
    scan_slots(l, &a, a.from, a.to);
  else
    scan_slice(l, td_slice_item(td_view_granule(&l->v, object), top_level(a.to - a.from), 0));
}

/* ---- Objects ---- */

/* Reads an object that is marked already. */
TD_INLINE void scan_children(struct loop *l, uintptr_t object, const struct td_block *block) {
  l->last = object;
  if (block->kind == TD_KIND_BITMAP)
    td_scan_map((const uintptr_t *)object, block->map, visit, l);
  else if (block->kind == TD_KIND_REFS || block->kind == TD_KIND_PREFIXED ||
           block->kind == TD_KIND_CONSERVATIVE)
    scan_array(l, object);
  else if (block->kind != TD_KIND_LEAF)
    scan_rare(l, object);
}

TD_INLINE void scan(struct loop *l, uintptr_t object) {
  if (td_view_is_marked(&l->v, object)) return;
  struct td_block *block = td_view_block(&l->v, object);
  td_mark_store(td_view_mark(&l->v, object), l->v.epoch);
  td_block_keep(block);
  count_object(l, object, block);
  scan_children(l, object, block);
}

TD_INLINE bool near(const struct loop *l, uintptr_t object) {
  return object - l->last + TD_NEAR_BYTES <= 2 * TD_NEAR_BYTES;
}

/* Leaves are never read, so only their mark is fetched. */
TD_INLINE void prefetch(const struct loop *l, uintptr_t object) {
  const uint8_t *mark = td_view_mark(&l->v, object);
  __builtin_prefetch(mark, 1);
  bool leaf = td_view_block(&l->v, object)->kind == TD_KIND_LEAF;
  __builtin_prefetch(leaf ? (const void *)mark : (const void *)object);
}

/* ---- Sharing ---- */

/* Somebody asks for work, or sleeps while there is plenty. */
TD_INLINE void share(struct loop *l) {
  l->poll = TD_POLL_OBJECTS;
  l->marker->stats.window_sum += l->count;
  l->marker->stats.window_samples++;
  if (Q(wanted)(l->queue)) {
    Q(grant)(l->queue, &l->o);
    l->marker->stats.grants++;
  }
  if (l->objects >= l->recruit_at && owned(&l->o) >= TD_RECRUIT_ITEMS)
    l->recruit_at = td_recruit_more(l->marker, l->objects);
}

TD_INLINE uintptr_t take_oldest(struct loop *l) {
  l->count--;
  return l->window[l->head++ % TD_WINDOW];
}

TD_INLINE void append(struct loop *l, uintptr_t object) {
  prefetch(l, object);
  l->window[(l->head + l->count++) % TD_WINDOW] = object;
}

/* Fills the window from the queue. Returns an object that is near, to be scanned at once; 0 if
 * there was none, or a slice was scanned and the register is set. */
TD_INLINE uintptr_t refill(struct loop *l) {
  while (l->count < TD_WINDOW) {
    uint64_t item = Q(get)(l->queue, &l->o);
    if (item == 0) return 0;
    if (__builtin_expect((item & TD_ITEM_SLICE) != 0, 0)) {
      scan_slice(l, item);
      if (l->next) return 0;
    } else if (near(l, item)) {
      return item;
    } else {
      append(l, item);
    }
  }
  return 0;
}

/* Marks until register, window and queue are empty, or the queue was full. */
TD_INLINE void drain(struct loop *l) {
  while (!l->dense) {
    if (--l->poll == 0) share(l);
    uintptr_t object = l->next;
    l->next = 0;
    if (object && !near(l, object)) {
      uintptr_t oldest = l->count == TD_WINDOW ? take_oldest(l) : 0;
      append(l, object);
      object = oldest;
    }
    if (!object) object = refill(l);
    if (!object) {
      if (l->next) continue;
      if (l->count == 0) return;
      object = take_oldest(l);
    }
    scan(l, object);
  }
}

/* ---- Where work comes from when there is none left ---- */

TD_INLINE void scan_roots(struct loop *l, const struct td_root_slice *slice) {
  const uintptr_t *words = slice->start;
  switch (slice->kind) {
  case TD_SPAN_SLOTS:
    td_scan_words(words, 0, slice->count, visit, l);
    break;
  case TD_SPAN_INDIRECT:
    for (size_t i = slice->count; i-- > 0;)
      visit(l, *(const uintptr_t *)words[i]);
    break;
  case TD_SPAN_CONSERVATIVE:
    scan_conservative(l, words, 0, slice->count);
    break;
  }
}

/* The next word with pending objects of the block being walked, whose children then are next. */
TD_INLINE void walk_on(struct loop *l) {
  uint64_t end = ((uint64_t)l->walk + 1) << TD_BLOCK_GRANULES_LOG2;
  for (uint64_t g = l->walk_from; g < end; g += 8) {
    uint64_t word = td_mark_load_word(td_view_mark(&l->v, td_view_object(&l->v, g)));
    word &= TD_PENDING_WORD;
    if (!word) continue;
    l->walk_from = g + 8;
    while (word) {
      uintptr_t object = td_view_object(&l->v, g + (uint64_t)__builtin_ctzll(word) / 8);
      word &= word - 1;
      td_mark_store(td_view_mark(&l->v, object), l->v.epoch);
      count_object(l, object, td_view_block(&l->v, object));
      scan_children(l, object, td_view_block(&l->v, object));
    }
    return;
  }
  l->walk = 0;
}

/* All of this marker's private work becomes pending work of its blocks, and is marked with the
 * rest in address order for as long as that pays. The queue stays for thieves. */
TD_INLINE void go_dense(struct loop *l) {
  l->marker->stats.overflows++;
  if (l->next) defer(l->marker, l->next);
  l->next = 0;
  while (l->count > 0)
    defer(l->marker, take_oldest(l));
  if (l->walk) td_flag_set(l->marker->set->heap, l->walk);
  l->walk = 0;
  td_dense_run(l->marker);
  l->dense = false;
}

/* Takes a batch from somebody else's queue into the own one. */
static __attribute__((noinline)) uint32_t steal(struct td_marker *marker, uint64_t *items) {
  struct td_markers *set = marker->set;
  for (unsigned i = 0; i < set->limit; i++) {
    unsigned v = (marker->victim + i) % set->limit;
    if (v == marker->id) continue;
    int32_t count = Q(steal)(set->marker[v]->queue, items, TD_STEAL_MOST);
    if (count > 0) {
      marker->victim = v;
      marker->stats.steals++;
      marker->stats.stolen_items += (uint32_t)count;
      return (uint32_t)count;
    }
    marker->stats.failed_steals++;
  }
  return 0;
}

/* For td_idle: would another try pay? Says what is wished for if not. */
static bool promising(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  if (td_roots_left(set) || td_dense_flagged(set, 8)) return true;
  for (unsigned v = 0; v < set->limit; v++)
    if (v != marker->id && Q(size)(set->marker[v]->queue) != 0) return true;
  for (unsigned v = 0; v < set->limit; v++)
    if (v != marker->id) Q(want)(set->marker[v]->queue);
  return false;
}

/* Stolen items go into the own, empty queue. One that is too small for them all defers objects
 * and scans slices at once. */
TD_INLINE void accept(struct loop *l, const uint64_t *items, uint32_t count) {
  for (uint32_t i = count; i-- > 0;) {
    if (!(items[i] & TD_ITEM_SLICE))
      put(l, items[i]);
    else if (!Q(put)(l->queue, &l->o, items[i]))
      scan_slice(l, items[i]);
  }
}

TD_INLINE bool find_work(struct loop *l) {
  struct td_root_slice slice;
  if (td_roots_next(l->marker, &slice)) {
    scan_roots(l, &slice);
    return true;
  }
  uint32_t flagged = td_dense_flagged(l->marker->set, td_view_number(&l->v, l->last));
  if (flagged) {
    if (!td_flag_take(l->marker->set->heap, flagged)) return true;
    l->walk = flagged;
    l->walk_from = (uint64_t)flagged << TD_BLOCK_GRANULES_LOG2;
    return true;
  }
  uint64_t items[TD_STEAL_MOST];
  uint32_t count = steal(l->marker, items);
  accept(l, items, count);
  return count > 0;
}

TD_INLINE void begin(struct loop *l, struct td_marker *marker, uint64_t *window) {
  *l = (struct loop){.v = td_view_of(marker->set->heap),
                     .last = marker->set->heap->base,
                     .marker = marker,
                     .queue = marker->queue,
                     .window = window,
                     .poll = TD_POLL_OBJECTS,
                     .recruit_at = marker->recruit_step,
                     .o = *(struct Q(owner) *)marker->owner};
}

static void work(struct td_marker *marker, bool joined) {
  if (!joined && !td_idle(marker, false, promising)) return;
  uint64_t window[TD_WINDOW];
  struct loop l;
  begin(&l, marker, window);
  for (;;) {
    drain(&l);
    if (l.dense) {
      go_dense(&l);
    } else if (l.walk) {
      walk_on(&l);
    } else if (!find_work(&l)) {
      marker->stats.objects += l.objects;
      marker->stats.bytes += l.cells << TD_GRANULE_LOG2;
      *(struct Q(owner) *)marker->owner = l.o;
      assert(l.count == 0 && l.next == 0 && l.walk == 0);
      if (!td_idle(marker, true, promising)) return;
      begin(&l, marker, window); /* the run joined now may be a later one */
    }
  }
}
