/* SPDX-License-Identifier: MIT */
/* The order of finalization. */
#include "gc/weak/order.h"

#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizers.h"
#include "heap/space/find.h"
#include "heap/space/walk.h"

/* Colours; epochs lie between them. */
#define COLOUR_MET 127u
#define COLOUR_MET_AGAIN 1u
_Static_assert(COLOUR_MET > TD_EPOCH_LAST && COLOUR_MET_AGAIN < TD_EPOCH_FIRST,
               "colours are no epochs");

struct painter {
  struct td_scanner scanner; /* first */
  struct td_space *space;
  struct td_worklist *list;
  uint8_t from, to;
  bool overflowed; /* something was painted, but there was no memory to remember it */
};

static void paint(struct td_scanner *scanner, uintptr_t target) {
  struct painter *painter = (struct painter *)scanner;
  uint8_t *colour = &painter->space->marks[td_granule_of(painter->space->base, target)];
  if (*colour != painter->from) return;
  *colour = painter->to;
  if (!td_worklist_push(painter->list, target)) painter->overflowed = true;
}

/* As td_space_find, but for cells of the colour in question, which td_space_find does not know. */
static void paint_conservative(struct tide_tracer *tracer, uintptr_t word) {
  struct painter *painter = (struct painter *)tracer;
  uintptr_t cell = td_space_cell(painter->space, word);
  if (cell && td_space_counts(painter->space, cell, word)) paint(&painter->scanner, cell);
}

static void scan_listed(struct painter *painter) {
  while (painter->list->count)
    td_scan_object(&painter->scanner, painter->list->at[--painter->list->count]);
}

/* Without memory for the list: every cell that is painted is scanned, until nothing new is. */
static bool scan_painted(const struct td_cell *cell, void *context) {
  struct painter *painter = context;
  if (*cell->mark != painter->to) return true;
  td_scan_object(&painter->scanner, cell->start);
  scan_listed(painter);
  return true;
}

static void traverse(struct painter *painter, uintptr_t object) {
  paint(&painter->scanner, object);
  scan_listed(painter);
  while (painter->overflowed) {
    painter->overflowed = false;
    td_space_each_cell(painter->space, scan_painted, painter);
  }
}

static uint8_t colour_of(const struct td_space *space, uintptr_t object) {
  return space->marks[td_granule_of(space->base, object)];
}

static bool is_added(const struct td_finalizer *f) {
  return f->object && f->order == TD_FINALIZER_ADDED;
}

bool td_order_dying(struct tide_heap *heap) {
  struct td_finalizers *f = heap->finalizers;
  struct painter painter = {.space = &heap->space, .list = &heap->ephemerons->list};
  bool any = false;
  if (f->added == 0) return false;
  td_scanner_init(&painter.scanner, &heap->space, paint);
  painter.scanner.tracer.conservative = paint_conservative;
  painter.from = heap->space.epoch_before;
  painter.to = COLOUR_MET;
  for (size_t i = 0; i < f->count; i++) {
    f->at[i].fate = TD_FATE_NONE;
    if (!is_added(&f->at[i]) || colour_of(&heap->space, f->at[i].object) != painter.from) continue;
    f->at[i].fate = TD_FATE_CANDIDATE;
    traverse(&painter, f->at[i].object);
    any = true;
  }
  if (!any) return false;
  painter.from = COLOUR_MET;
  painter.to = COLOUR_MET_AGAIN;
  for (size_t i = f->count; i-- > 0;) {
    if (f->at[i].fate != TD_FATE_CANDIDATE ||
        colour_of(&heap->space, f->at[i].object) != painter.from)
      continue;
    f->at[i].fate = TD_FATE_QUEUE;
    traverse(&painter, f->at[i].object);
  }
  painter.from = COLOUR_MET_AGAIN;
  painter.to = heap->space.epoch_before;
  for (size_t i = 0; i < f->count; i++)
    if (f->at[i].fate == TD_FATE_QUEUE) traverse(&painter, f->at[i].object);
  return true;
}

/* Those of number `first`'s object that were added, in the order in which they were. */
static void queue_object(struct td_finalizers *f, size_t first) {
  for (size_t i = first, next; i != TD_TABLE_NONE; i = next) {
    next = f->at[i].next;
    if (is_added(&f->at[i])) td_finalizers_queue(f, i);
  }
}

void td_order_queue(struct tide_heap *heap) {
  struct td_finalizers *f = heap->finalizers;
  size_t before = f->pending_count;
  for (size_t i = 0; i < f->count; i++)
    if (is_added(&f->at[i]) && f->at[i].fate == TD_FATE_QUEUE) queue_object(f, i);
  td_finalizers_mark_queued(heap, before);
}
