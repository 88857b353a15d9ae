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
  uintptr_t base;
  uint64_t granules;
  uint8_t *marks;
  struct td_block *blocks;
  struct td_marker *marker;
  struct Q(queue) * queue;
  uint64_t next; /* newest child; 0: none */
  uint64_t last; /* object scanned last */
  uint64_t objects, cells;
  uint32_t head, count; /* window */
  uint32_t poll;
  uint64_t recruit_at; /* objects at which to think of recruiting */
  uint8_t epoch;
  bool dense;
  uint32_t walk;      /* flagged block being walked in sparse mode; 0: none */
  uint64_t walk_from; /* next granule to look at there */
  struct Q(owner) o;
  uint64_t window[TD_WINDOW];
};

static __attribute__((noinline, cold)) void defer(struct td_marker *marker, uint64_t granule) {
  td_dense_defer(marker, granule);
}

TD_INLINE void put(struct loop *l, uint64_t granule) {
  if (__builtin_expect(!Q(put)(l->queue, &l->o, granule), 0)) {
    defer(l->marker, granule);
    l->dense = true;
  }
}

TD_INLINE bool marked(const struct loop *l, uint64_t granule) {
  return (td_mark_load(&l->marks[granule]) & (TD_PENDING - 1)) == l->epoch;
}

/* A child: leaves are marked on the spot, without touching them; others displace the newest. */
TD_INLINE void visit(void *context, uintptr_t word) {
  struct loop *l = context;
  uint64_t granule = td_granule_of(l->base, word);
  if (granule >= l->granules) return;
  if (l->next) put(l, l->next);
  l->next = granule;
}

/* In arrays the following slots are known, so leaves are met early enough to be marked at once. */
TD_INLINE void visit_element(void *context, uintptr_t word) {
  struct loop *l = context;
  uint64_t granule = td_granule_of(l->base, word);
  if (granule >= l->granules) return;
  struct td_block *block = &l->blocks[td_block_of_granule(granule)];
  if (block->kind == TD_KIND_LEAF) {
    if (marked(l, granule)) return;
    td_mark_store(&l->marks[granule], l->epoch);
    td_block_keep(block);
    l->objects++;
    l->cells += block->cell_granules;
  } else {
    if (l->next) put(l, l->next);
    l->next = granule;
  }
}

/* ---- Kinds of objects that are not scanned inline; they hand items over in a buffer ---- */

static __attribute__((noinline)) uint32_t rare_items(struct td_marker *marker, uint64_t granule,
                                                     struct td_gather *gather) {
  td_scan_rare(marker, granule, gather);
  return gather->count;
}

TD_INLINE void scan_rare(struct loop *l, uint64_t granule) {
  struct td_gather gather;
  uint32_t count = rare_items(l->marker, granule, &gather);
  for (uint32_t i = 0; i < count; i++) {
    if (l->next) put(l, l->next);
    l->next = gather.items[i];
  }
}

static __attribute__((noinline)) uintptr_t find(const struct td_heap *heap, uintptr_t word) {
  return td_heap_find(heap, word);
}

TD_INLINE void scan_conservative(struct loop *l, const uintptr_t *words, size_t from, size_t to) {
  for (size_t i = to; i-- > from;) {
    uintptr_t object = find(l->marker->set->heap, words[i]);
    if (object) visit(l, object);
  }
}

/* ---- Arrays ---- */

struct array {
  const uintptr_t *slots;
  size_t from, to;
  uint32_t conservative;
};

static __attribute__((noinline)) bool array_of(const struct td_heap *heap, uint64_t granule,
                                               struct array *a) {
  uint32_t b = td_block_of_granule(granule);
  a->slots = (const uintptr_t *)td_granule_address(heap->base, granule);
  a->conservative = heap->blocks[b].kind == TD_KIND_CONSERVATIVE;
  return td_array_slots(heap, b, &a->from, &a->to);
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
  array_of(l->marker->set->heap, granule, &a);
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

TD_INLINE void scan_array(struct loop *l, uint64_t granule) {
  struct array a;
  array_of(l->marker->set->heap, granule, &a);
  if (a.to - a.from <= 2 * TD_SLICE_SLOTS)
    scan_slots(l, &a, a.from, a.to);
  else
    scan_slice(l, td_slice_item(granule, top_level(a.to - a.from), 0));
}

/* ---- Objects ---- */

/* Reads an object that is marked already. */
TD_INLINE void scan_children(struct loop *l, uint64_t granule, const struct td_block *block) {
  l->last = granule;
  if (block->kind == TD_KIND_BITMAP)
    td_scan_map((const uintptr_t *)td_granule_address(l->base, granule), block->map, visit, l);
  else if (block->kind == TD_KIND_REFS || block->kind == TD_KIND_PREFIXED ||
           block->kind == TD_KIND_CONSERVATIVE)
    scan_array(l, granule);
  else if (block->kind != TD_KIND_LEAF)
    scan_rare(l, granule);
}

TD_INLINE void count_object(struct loop *l, uint64_t granule, const struct td_block *block) {
  l->objects++;
  l->cells += block->cell_granules;
  if (__builtin_expect(block->cell_granules == 0, 0))
    l->cells +=
        l->marker->set->heap->infos[td_block_of_granule(granule)].large_bytes >> TD_GRANULE_LOG2;
}

TD_INLINE void scan(struct loop *l, uint64_t granule) {
  if (marked(l, granule)) return;
  struct td_block *block = &l->blocks[td_block_of_granule(granule)];
  td_mark_store(&l->marks[granule], l->epoch);
  td_block_keep(block);
  count_object(l, granule, block);
  scan_children(l, granule, block);
}

TD_INLINE bool near(const struct loop *l, uint64_t granule) {
  return granule - l->last + TD_NEAR_GRANULES <= 2 * TD_NEAR_GRANULES;
}

TD_INLINE void prefetch(const struct loop *l, uint64_t granule) {
  const uint8_t *mark = &l->marks[granule];
  const struct td_block *block = &l->blocks[td_block_of_granule(granule)];
  const void *object = (const void *)td_granule_address(l->base, granule);
  __builtin_prefetch(mark, 1);
  __builtin_prefetch(block->kind == TD_KIND_LEAF ? mark : object);
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

TD_INLINE uint64_t take_oldest(struct loop *l) {
  l->count--;
  return l->window[l->head++ % TD_WINDOW];
}

TD_INLINE void append(struct loop *l, uint64_t granule) {
  prefetch(l, granule);
  l->window[(l->head + l->count++) % TD_WINDOW] = granule;
}

/* Fills the window from the queue. Returns an object that is near, to be scanned at once; 0 if
 * there was none, or a slice was scanned and the register is set. */
TD_INLINE uint64_t refill(struct loop *l) {
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
    uint64_t granule = l->next;
    l->next = 0;
    if (granule && !near(l, granule)) {
      uint64_t oldest = l->count == TD_WINDOW ? take_oldest(l) : 0;
      append(l, granule);
      granule = oldest;
    }
    if (!granule) granule = refill(l);
    if (!granule) {
      if (l->next) continue;
      if (l->count == 0) return;
      granule = take_oldest(l);
    }
    scan(l, granule);
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
    uint64_t word = td_mark_load_word(&l->marks[g]) & 0x8080808080808080u;
    if (!word) continue;
    l->walk_from = g + 8;
    while (word) {
      uint64_t granule = g + (uint64_t)__builtin_ctzll(word) / 8;
      word &= word - 1;
      td_mark_store(&l->marks[granule], l->epoch);
      count_object(l, granule, &l->blocks[l->walk]);
      scan_children(l, granule, &l->blocks[l->walk]);
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
  uint32_t flagged = td_dense_flagged(l->marker->set, td_block_of_granule(l->last));
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

static void begin(struct loop *l, struct td_marker *marker) {
  struct td_heap *heap = marker->set->heap;
  *l = (struct loop){.base = heap->base,
                     .granules = heap->granules,
                     .marks = heap->marks,
                     .blocks = heap->blocks,
                     .marker = marker,
                     .queue = marker->queue,
                     .poll = TD_POLL_OBJECTS,
                     .recruit_at = marker->recruit_step,
                     .epoch = heap->epoch,
                     .o = *(struct Q(owner) *)marker->owner};
}

static void work(struct td_marker *marker, bool joined) {
  if (!joined && !td_idle(marker, false, promising)) return;
  struct loop l;
  begin(&l, marker);
  for (;;) {
    drain(&l);
    if (l.dense) {
      go_dense(&l);
    } else if (l.walk) {
      walk_on(&l);
    } else if (!find_work(&l)) {
      marker->stats.objects += l.objects;
      marker->stats.bytes += l.cells << TD_GRANULE_LOG2;
      l.objects = l.cells = 0;
      l.recruit_at = marker->recruit_step;
      *(struct Q(owner) *)marker->owner = l.o;
      assert(l.count == 0 && l.next == 0 && l.walk == 0);
      if (!td_idle(marker, true, promising)) return;
    }
  }
}
