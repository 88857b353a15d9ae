/* SPDX-License-Identifier: MIT */
#include "gc/threads/mutator/written.h"

#include <string.h>

#include "gc/arrays/pages.h"
#include "gc/state/mutator.h"
#include "gc/threads/mutator/callback.h"
#include "heap/space/find.h"
#include "heap/young/log.h"
#include "heap/young/young.h"

static void push(struct td_written_part **list, struct td_written_part *part) {
  part->next = *list;
  *list = part;
}

static struct td_written_part *pop(struct td_written_part **list) {
  struct td_written_part *part = *list;
  if (part) *list = part->next;
  return part;
}

/* Gives the mutator an empty part. Returns NULL if there is no memory. */
static struct td_written_part *next_part(struct tide_mutator *mutator) {
  struct td_written *written = mutator->heap->written;
  pthread_mutex_lock(&written->lock);
  if (mutator->written) push(&written->full, mutator->written);
  struct td_written_part *fresh = pop(&written->empty);
  if (!fresh) fresh = td_pages_take(sizeof *fresh);
  written->lost |= !fresh;
  pthread_mutex_unlock(&written->lock);
  return mutator->written = fresh;
}

static void note(struct tide_mutator *mutator, struct td_span span) {
  struct td_written_part *part = mutator->written;
  if (!part || part->count == TD_WRITTEN_PART) part = next_part(mutator);
  if (part) part->at[part->count++] = span;
}

static void note_object(struct tide_mutator *mutator, uintptr_t object) {
  note(mutator, (struct td_span){(const void *)object, 1, TD_SPAN_OBJECTS});
}

/* Are the references of such an object in its slots, and there alone? */
static bool has_slots(uint8_t kind) {
  return kind != TD_KIND_TRACED && kind != TD_KIND_WEAK && kind != TD_KIND_EPHEMERON;
}

bool td_written_note(struct tide_mutator *mutator, uintptr_t object, uintptr_t slots,
                     size_t count) {
  const struct td_space *space = &mutator->heap->space;
  uint64_t granule = td_granule_of(space->base, object);
  if (granule >= space->granules) return false;
  const uint8_t kind = space->blocks[td_block_of(space, object)].kind;
  if (td_mark_load(&space->marks[granule]) == TD_YOUNG || kind == TD_KIND_LEAF) return false;
  const uintptr_t offset = slots - object;
  const size_t bytes = td_space_object_bytes(space, object);
  bool inside = offset < bytes && count <= (bytes - offset) / sizeof(uintptr_t);
  if (inside && has_slots(kind))
    note(mutator, (struct td_span){(const void *)slots, count,
                                   td_kind_has_words(kind) ? TD_SPAN_CONSERVATIVE : TD_SPAN_SLOTS});
  else
    note_object(mutator, object);
  return true;
}

void td_written_note_fresh(struct tide_mutator *mutator, const void *object) {
  struct td_space *space = &mutator->heap->space;
  if (!td_young_are_born(space)) return;
  if (!mutator->heap->beside)
    td_log_fresh_if_old(space, (uintptr_t)object);
  else if (td_is_marked(space, td_granule_of(space->base, (uintptr_t)object)))
    note_object(mutator, (uintptr_t)object);
}

void td_written_leave(struct tide_mutator *mutator) {
  struct td_written *written = mutator->heap->written;
  if (!mutator->written) return;
  pthread_mutex_lock(&written->lock);
  push(&written->full, mutator->written);
  pthread_mutex_unlock(&written->lock);
  mutator->written = NULL;
}

bool td_written_take(struct tide_heap *heap, struct td_written_part **parts) {
  struct td_written *written = heap->written;
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    td_written_leave(m);
  pthread_mutex_lock(&written->lock);
  bool all = !written->lost;
  *parts = written->full;
  written->full = NULL;
  written->lost = false;
  pthread_mutex_unlock(&written->lock);
  return all;
}

void td_written_put(struct tide_heap *heap, struct td_written_part *parts) {
  struct td_written *written = heap->written;
  pthread_mutex_lock(&written->lock);
  for (struct td_written_part *part; (part = pop(&parts)) != NULL;) {
    part->count = 0;
    push(&written->empty, part);
  }
  pthread_mutex_unlock(&written->lock);
}

void td_written_trim(struct tide_heap *heap) {
  struct td_written *written = heap->written;
  pthread_mutex_lock(&written->lock);
  struct td_written_part *parts = written->empty;
  written->empty = NULL;
  pthread_mutex_unlock(&written->lock);
  for (struct td_written_part *part; (part = pop(&parts)) != NULL;)
    td_pages_give(part, sizeof *part);
}

/* ---- What is about to be overwritten ---- */

struct keeper {
  struct tide_tracer tracer; /* first */
  struct tide_mutator *mutator;
};

static void keep(const struct tide_tracer *tracer, uintptr_t word) {
  struct tide_mutator *mutator = ((const struct keeper *)tracer)->mutator;
  mutator->overwritten += td_mark_from_outside(mutator->heap->markers, word);
}

static void keep_slots(struct tide_tracer *tracer, const uintptr_t *slots, size_t count) {
  for (size_t i = 0; i < count; i++)
    keep(tracer, td_slot_load(&slots[i]));
}

static void keep_conservative(struct tide_tracer *tracer, uintptr_t word) {
  const struct td_space *space = &((struct keeper *)tracer)->mutator->heap->space;
  keep(tracer, td_space_find_before(space, word, TD_FROM_HEAP));
}

/* Any words of it may be references, whatever the layout says. */
static void keep_words(struct tide_mutator *mutator, const uintptr_t *words, size_t from,
                       size_t to) {
  struct keeper keeper = {{keep_slots, keep_conservative}, mutator};
  for (size_t i = from; i < to; i++)
    keep_conservative(&keeper.tracer, td_slot_load(&words[i]));
}

TD_KEEPS_CALL void td_overwritten_keep_all(struct tide_mutator *mutator, uintptr_t object) {
  const struct td_space *space = &mutator->heap->space;
  const struct td_layout *layout =
      &space->layouts.at[space->blocks[td_block_of(space, object)].layout];
  struct keeper keeper = {{keep_slots, keep_conservative}, mutator};
  struct td_call call;
  td_quiet_call_begin(&call, "a trace function");
  layout->trace((void *)object, td_space_object_bytes(space, object), &keeper.tracer,
                layout->context);
  td_quiet_call_end(&call);
}

void td_overwritten_erase(struct tide_mutator *mutator, uintptr_t object, size_t from) {
  const struct td_space *space = &mutator->heap->space;
  const size_t bytes = td_space_object_bytes(space, object), word = sizeof(uintptr_t);
  const size_t first = (from + word - 1) / word, end = bytes / word;
  uintptr_t *words = (uintptr_t *)object;
  if (!mutator->heap->beside) {
    memset((char *)object + from, 0, bytes - from);
    return;
  }
  if (td_overwritten_is_traced(space, object)) td_overwritten_keep_all(mutator, object);
  if (td_block_at(space, object)->kind != TD_KIND_LEAF) keep_words(mutator, words, first, end);
  /* relaxed, both: [mark]; a marker may be reading what is kept. */
  for (size_t i = from; i < first * word; i++)
    __atomic_store_n((char *)object + i, 0, __ATOMIC_RELAXED);
  for (size_t i = first; i < end; i++)
    __atomic_store_n(&words[i], 0, __ATOMIC_RELAXED);
}
