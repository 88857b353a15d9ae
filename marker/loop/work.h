/* Where a marker's work comes from, and its whole part in a run, compiled once around each queue:
 * the file that includes this defines what marker/loop/loop.h asks for, and includes that and
 * marker/loop/tested.h first.
 *
 * Order: own work, root slices, flagged pages, other markers' queues, and then waiting. */
#include "marker/loop/steal.h"

TD_INLINE void scan_roots(struct loop *l, const struct td_root_slice *slice) {
  const uintptr_t *words = slice->start;
  uint64_t since = td_plat_now_ns();
  switch (slice->kind) {
  case TD_SPAN_SLOTS:
    td_scan_words(words, 0, slice->count, visit, l);
    break;
  case TD_SPAN_INDIRECT:
    for (size_t i = slice->count; i-- > 0;)
      visit(l, *(const uintptr_t *)words[i]);
    break;
  case TD_SPAN_CONSERVATIVE:
    td_scan_conservative(l->marker->set->space, words, 0, slice->count, visit, l);
    break;
  }
  td_report_roots(l->marker, since, slice->count);
}

/* The next word with pending objects of the page being walked, whose children then are next. */
TD_INLINE void walk_on(struct loop *l) {
  uint64_t end = (l->walk + 1) * TD_PAGE_GRANULES;
  for (uint64_t g = l->walk_from; g < end; g += 8) {
    uint64_t word = td_mark_load_word(td_view_mark(&l->v, td_view_object(&l->v, g)));
    word &= TD_DEFERRED_WORD;
    if (!word) continue;
    l->walk_from = g + 8;
    while (word) {
      uintptr_t object = td_view_object(&l->v, g + (uint64_t)__builtin_ctzll(word) / 8);
      word &= word - 1;
      td_mark_store(td_view_mark(&l->v, object), l->v.epoch);
      scan_children(l, object, td_view_block(&l->v, object), visit, visit_element);
    }
    return;
  }
  l->walk = 0;
}

/* A full queue would send marking back here with next to nothing the moment it is left, so what is
 * in it becomes pending, too: thieves find it by its flags. A slice stays, and all below it. */
TD_INLINE void empty_queue(struct loop *l) {
  for (uint64_t item; (item = Q(get)(l->queue, &l->o)) != 0;) {
    if (item & TD_ITEM_SLICE) {
      if (!Q(put)(l->queue, &l->o, item)) scan_slice(l, item, visit_element);
      return;
    }
    defer(l->marker, item);
  }
}

/* All of this marker's work becomes pending work of its pages, and is marked with the rest in
 * address order for as long as that pays. */
TD_INLINE void go_dense(struct loop *l) {
  l->marker->stats.overflows++;
  empty_queue(l);
  if (l->next) defer(l->marker, l->next);
  l->next = 0;
  while (l->count > 0)
    defer(l->marker, take_oldest(l));
  while (!td_batch_is_empty(&l->batch)) {
    for (uint32_t i = 0; i < l->batch.waiting; i++)
      defer(l->marker, l->batch.other[i]);
    td_batch_turn(&l->batch, &l->v);
  }
  if (l->walk) td_deferred_flag(l->marker, l->walk);
  l->walk = 0;
  /* If a walk through the heap found next to nothing, the queue is only short for this graph:
   * items are deferred one by one for ever longer then. */
  bool paid = td_mark_in_address_order(l->marker);
  l->patience_next = paid ? 1 : l->patience_next * 2;
  if (l->patience_next > PATIENCE_MOST) l->patience_next = PATIENCE_MOST;
  l->patience = l->patience_next;
  l->dense = false;
}

/* Stolen items go into the own, empty queue. One that is too small for them all defers objects
 * and scans slices at once. */
TD_INLINE void accept(struct loop *l, const uint64_t *items, uint32_t count) {
  for (uint32_t i = count; i-- > 0;) {
    if (!(items[i] & TD_ITEM_SLICE))
      put(l, items[i]);
    else if (!Q(put)(l->queue, &l->o, items[i]))
      scan_slice(l, items[i], visit_element);
  }
}

TD_INLINE bool find_work(struct loop *l) {
  struct td_root_slice slice;
  if (td_root_slices_next(l->marker, &slice)) {
    scan_roots(l, &slice);
    return true;
  }
  size_t flagged = td_deferred_page(l->marker->set, td_view_page(&l->v, l->last));
  if (flagged) {
    if (!td_deferred_take(l->marker->set, flagged)) return true;
    l->walk = flagged;
    l->walk_from = flagged * TD_PAGE_GRANULES;
    return true;
  }
  uint64_t items[TD_STEAL_MOST];
  uint32_t count = steal(l->marker, items);
  accept(l, items, count);
  return count > 0;
}

TD_INLINE void begin(struct loop *l, struct td_marker *marker, uint64_t *window) {
  *l = (struct loop){.v = td_view_of(marker->set->space),
                     .last = marker->set->space->base,
                     .marker = marker,
                     .queue = marker->queue,
                     .window = window,
                     .batch = td_batch_of(marker->batches),
                     .poll = TD_POLL_OBJECTS,
                     .patience = 1,
                     .patience_next = 1,
                     .recruit_at = marker->recruit_step,
                     .share_step = TD_POLL_OBJECTS,
                     .o = *(struct Q(owner) *)marker->owner};
}

TD_INLINE void spill(struct loop *l) {
  l->spill = false;
  while (l->count > 0)
    put(l, take_oldest(l));
  grant(l);
}

/* Marks until nothing of this marker's is left, or the queue was full. */
TD_INLINE void drain(struct loop *l) {
  enum way way;
  do {
    if (l->spill) spill(l);
    way = way_of(l);
    switch (way) {
    case UNTESTED:
      drain_untested(l);
      break;
    case LEAFY:
      drain_leafy(l);
      break;
    case TESTED:
      drain_tested(l);
      break;
    }
  } while ((l->spill || way_of(l) != way) && !l->dense);
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
      *(struct Q(owner) *)marker->owner = l.o;
      assert(l.count == 0 && l.next == 0 && l.walk == 0 && td_batch_is_empty(&l.batch));
      if (!td_idle(marker, true, promising)) return;
      begin(&l, marker, window); /* the run joined now may be a later one */
    }
  }
}
