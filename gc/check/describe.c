/* SPDX-License-Identifier: MIT */
#include "gc/check/describe.h"

#include <stdio.h>

#include "gc/arrays/table.h"
#include "gc/roots/set.h"
#include "gc/threads/mutator/handles.h"
#include "gc/threads/thread.h"
#include "gc/weak/finalizers.h"
#include "heap/space/find.h"
#include "heap/withheld/quarantine.h"

#define WORDS_BYTES 176

/* Writes "layout 'name'", or "layout 7" for one without a name, into text. Returns text. */
static const char *layout_words(const struct tide_heap *heap, tide_layout layout,
                                char text[WORDS_BYTES]) {
  const char *name = heap->space.layouts.at[layout].name;
  if (name)
    snprintf(text, WORDS_BYTES, "layout '%s'", name);
  else
    snprintf(text, WORDS_BYTES, "layout %u", layout);
  return text;
}

static void name_object(const struct tide_heap *heap, uintptr_t object, uintptr_t slot,
                        char text[WORDS_BYTES]) {
  const struct td_space *space = &heap->space;
  uint64_t block = (object - space->base) >> TD_BLOCK_LOG2;
  char layout[WORDS_BYTES], at[32] = "";
  /* A trace function may read its slots elsewhere, or have none. */
  if (slot - object < td_space_object_bytes(space, object))
    snprintf(at, sizeof at, ", byte %zu", (size_t)(slot - object));
  snprintf(text, WORDS_BYTES, "object %#zx (block %zu, %.80s)%s", (size_t)object, (size_t)block,
           layout_words(heap, space->blocks[block].layout, layout), at);
}

/* Returns the registered range that the slot is in, or NULL. */
static const struct td_root_range *range_of(const struct td_root_set *roots, uintptr_t slot) {
  const struct td_registry *ranges = &roots->registered[TD_REGISTERED_RANGE];
  const struct td_root_range *range = ranges->at;
  for (size_t i = 0; i < ranges->count; i++)
    if (slot - range[i].start < range[i].bytes) return &range[i];
  return NULL;
}

static bool is_handle(const struct tide_heap *heap, uintptr_t slot) {
  for (const struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    for (const struct td_handle_segment *c = m->handles; c; c = c->below)
      if (slot - (uintptr_t)c->slots < sizeof c->slots) return true;
  return false;
}

static bool is_registered(const struct td_root_set *roots, uintptr_t slot) {
  return td_registry_find(&roots->registered[TD_REGISTERED_SLOT], &slot) != TD_TABLE_NONE;
}

static bool is_pending(const struct td_finalizers *f, uintptr_t slot) {
  return slot - (uintptr_t)f->pending_objects < f->pending_capacity * sizeof *f->pending_objects;
}

static void name_root(const struct tide_heap *heap, uintptr_t slot, char text[WORDS_BYTES]) {
  const struct td_root_range *range = range_of(heap->roots, slot);
  if (slot == 0)
    snprintf(text, WORDS_BYTES, "a root: what a root callback passed to tide_trace");
  else if (is_registered(heap->roots, slot))
    snprintf(text, WORDS_BYTES, "a root: the slot %#zx, registered by tide_root_add", (size_t)slot);
  else if (range)
    snprintf(text, WORDS_BYTES,
             "a root: slot %zu of the range at %#zx, registered by tide_root_add_range",
             (size_t)(slot - range->start) / sizeof(void *), (size_t)range->start);
  else if (is_handle(heap, slot))
    snprintf(text, WORDS_BYTES, "a root: the handle %#zx", (size_t)slot);
  else if (is_pending(heap->finalizers, slot))
    snprintf(text, WORDS_BYTES, "a root: a pending finalizer");
  else
    snprintf(text, WORDS_BYTES, "a root: the slot %#zx", (size_t)slot);
}

void td_difference_words(const struct tide_heap *heap, uintptr_t object, const char *what,
                         uintptr_t referrer, const void *slot, char *text, size_t room) {
  const struct td_space *space = &heap->space;
  char holder[WORDS_BYTES], layout[WORDS_BYTES];
  if (referrer)
    name_object(heap, referrer, (uintptr_t)slot, holder);
  else
    name_root(heap, (uintptr_t)slot, holder);
  struct td_freed freed = td_quarantine_find(space, object);
  uintptr_t offset = object - space->base, block = offset >> TD_BLOCK_LOG2;
  uint8_t mark = space->marks[offset >> TD_GRANULE_LOG2];
  /* What is young, and what was and is reclaimed, with a reference to it in an object that is not.
   */
  bool young = referrer && space->has_young && mark == TD_YOUNG;
  bool forgotten = referrer && heap->last_kind == TIDE_CYCLE_YOUNG && freed.ago == 1;
  /* At the end of a collection beside the program: before the next one verify_start is NULL. */
  bool overwritten = heap->last_beside && heap->verify_start && freed.ago == 1;
  /* What only a finalizer keeps is looked into by the next full collection. */
  bool late = referrer && space->has_young && freed.ago > 1;
  const char *why = young || forgotten ? ": stored without tide_write"
                    : overwritten      ? "; perhaps another was overwritten without tide_write"
                    : late             ? "; perhaps stored without tide_write"
                                       : "";
  if (freed.start)
    snprintf(text, room,
             "%#zx is %s (%.80s, %zu bytes) reclaimed %u collection%s ago; referred to by %s%s",
             (size_t)object, freed.start == object ? "an object" : "inside an object",
             layout_words(heap, freed.layout, layout), freed.bytes, freed.ago,
             freed.ago == 1 ? "" : "s", holder, why);
  else if (young)
    snprintf(text, room,
             "%#zx is an object (%.80s, %zu bytes) allocated since the last collection; referred "
             "to by %s%s",
             (size_t)object, layout_words(heap, space->blocks[block].layout, layout),
             td_space_object_bytes(space, object), holder, why);
  else
    snprintf(text, room,
             "%#zx (block %zu, layout %u, mark byte %u in epoch %u) %s; referred to by %s%s",
             (size_t)object, (size_t)block, space->blocks[block].layout, mark, space->epoch, what,
             holder, why);
}

void td_object_words(const struct tide_heap *heap, uintptr_t object, const char *what, char *text,
                     size_t room) {
  const struct td_space *space = &heap->space;
  struct td_freed found = td_quarantine_find(space, object);
  char layout[WORDS_BYTES];
  if (!found.start) {
    found.layout = space->blocks[td_block_of(space, object)].layout;
    found.bytes = td_space_object_bytes(space, object);
  }
  snprintf(text, room, "object %#zx (%.80s, %zu bytes) %s", (size_t)object,
           layout_words(heap, found.layout, layout), found.bytes, what);
}

/* ---- At an address ---- */

/* What is asked may change meanwhile: nothing here is followed that is not checked. */

static const char *name_of(const struct tide_heap *heap, tide_layout layout,
                           char text[WORDS_BYTES]) {
  return layout && layout < TIDE_LAYOUT_MAX ? layout_words(heap, layout, text) : "no layout";
}

static void describe_dead(const struct tide_heap *heap, const struct td_freed *freed, size_t offset,
                          char *text, size_t room) {
  char layout[WORDS_BYTES];
  snprintf(text, room,
           "byte %zu of the object %#zx (%.80s, %zu bytes), reclaimed %u collection%s ago", offset,
           (size_t)freed->start, name_of(heap, freed->layout, layout), freed->bytes, freed->ago,
           freed->ago == 1 ? "" : "s");
}

static void describe_live(const struct tide_heap *heap, uintptr_t object, size_t offset, char *text,
                          size_t room) {
  const struct td_space *space = &heap->space;
  char layout[WORDS_BYTES];
  uint8_t mark = space->marks[td_granule_of(space->base, object)];
  const char *age = !space->has_young ? "" : mark == TD_YOUNG ? ", young" : ", old";
  snprintf(text, room, "byte %zu of the object %#zx (%.80s, %zu bytes%s)", offset, (size_t)object,
           name_of(heap, space->blocks[td_block_of(space, object)].layout, layout),
           td_space_object_bytes(space, object), age);
}

static void describe(const struct tide_heap *heap, uintptr_t address, char *text, size_t room) {
  const struct td_space *space = &heap->space;
  uintptr_t told = td_freed_object(address);
  struct td_freed freed = td_quarantine_find(space, told ? told : address);
  uintptr_t object = td_space_find(space, address, TD_FROM_ANYWHERE);
  if (td_space_owns(space, told)) {
    int length = snprintf(text, room, "no address, but what a reclaimed object is full of: ");
    if (freed.start)
      describe_dead(heap, &freed, 0, text + length, room - (size_t)length);
    else
      snprintf(text + length, room - (size_t)length, "there was one at %#zx", (size_t)told);
  } else if (freed.start) {
    describe_dead(heap, &freed, address - freed.start, text, room);
  } else if (object) {
    describe_live(heap, object, address - object, text, room);
  } else {
    snprintf(text, room, "%s",
             td_space_owns(space, address)
                 ? "free memory of the heap, where an object may have been"
                 : "outside of the heap");
  }
}

const char *tide_describe(struct tide_heap *heap, const void *address) {
  static _Thread_local char text[256];
  if (!heap) return "there is no heap";
  describe(heap, (uintptr_t)address, text, sizeof text);
  return text;
}

/* ---- Faults ---- */

static struct tide_heap *const *watched; /* read in handlers of faults */

static void tell(const uintptr_t *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uintptr_t object = td_freed_object(words[i]);
    for (struct tide_heap *heap = *watched; object && heap; heap = heap->next) {
      if (!td_space_owns(&heap->space, object)) continue;
      td_plat_say("tidemark: TIDE_VERIFY: a fault: %#zx is %s. It was read there, by a reference "
                  "that no collection knew of: in a root that was not registered, say\n",
                  (size_t)words[i], tide_describe(heap, (const void *)words[i]));
      return;
    }
  }
}

void td_describe_faults(struct tide_heap *const *heaps) {
  bool verified = false;
  for (const struct tide_heap *heap = *heaps; heap; heap = heap->next)
    verified |= heap->verify;
  watched = heaps;
  td_plat_fault_watch(verified ? tell : NULL);
}
