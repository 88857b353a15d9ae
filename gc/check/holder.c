/* SPDX-License-Identifier: MIT */
#include "gc/check/holder.h"

#include <stdio.h>

#include "gc/arrays/table.h"
#include "gc/roots/set.h"
#include "gc/threads/mutator/handles.h"
#include "gc/threads/world.h"
#include "gc/weak/finalizers.h"
#include "heap/space/find.h"
#include "heap/withheld/quarantine.h"

const char *td_layout_words(const struct tide_heap *heap, tide_layout layout,
                            char text[TD_HOLDER_BYTES]) {
  const char *name = heap->space.layouts.at[layout].name;
  if (name)
    snprintf(text, TD_HOLDER_BYTES, "layout '%s'", name);
  else
    snprintf(text, TD_HOLDER_BYTES, "layout %u", layout);
  return text;
}

static void name_object(const struct tide_heap *heap, uintptr_t object, uintptr_t slot,
                        char text[TD_HOLDER_BYTES]) {
  const struct td_space *space = &heap->space;
  uint64_t block = (object - space->base) >> TD_BLOCK_LOG2;
  char layout[TD_HOLDER_BYTES], at[32] = "";
  /* A trace function may read its slots elsewhere, or have none. */
  if (slot - object < td_space_object_bytes(space, object))
    snprintf(at, sizeof at, ", byte %zu", (size_t)(slot - object));
  snprintf(text, TD_HOLDER_BYTES, "object %#zx (block %zu, %.80s)%s", (size_t)object, (size_t)block,
           td_layout_words(heap, space->blocks[block].layout, layout), at);
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

static void name_root(const struct tide_heap *heap, uintptr_t slot, char text[TD_HOLDER_BYTES]) {
  const struct td_root_range *range = range_of(heap->roots, slot);
  if (slot == 0)
    snprintf(text, TD_HOLDER_BYTES, "a root: what a root callback passed to tide_trace");
  else if (is_registered(heap->roots, slot))
    snprintf(text, TD_HOLDER_BYTES, "a root: the slot %#zx, registered by tide_root_add",
             (size_t)slot);
  else if (range)
    snprintf(text, TD_HOLDER_BYTES,
             "a root: slot %zu of the range at %#zx, registered by tide_root_add_range",
             (size_t)(slot - range->start) / sizeof(void *), (size_t)range->start);
  else if (is_handle(heap, slot))
    snprintf(text, TD_HOLDER_BYTES, "a root: the handle %#zx", (size_t)slot);
  else if (is_pending(heap->finalizers, slot))
    snprintf(text, TD_HOLDER_BYTES, "a root: a pending finalizer");
  else
    snprintf(text, TD_HOLDER_BYTES, "a root: the slot %#zx", (size_t)slot);
}

void td_difference_words(const struct tide_heap *heap, uintptr_t object, const char *what,
                         uintptr_t referrer, const void *slot, char *text, size_t room) {
  const struct td_space *space = &heap->space;
  char holder[TD_HOLDER_BYTES], layout[TD_HOLDER_BYTES];
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
  const char *why = young || forgotten ? ": stored without tide_write"
                    : overwritten      ? "; perhaps another was overwritten without tide_write"
                                       : "";
  if (freed.start)
    snprintf(text, room,
             "%#zx is %s (%.80s, %zu bytes) reclaimed %u collection%s ago; referred to by %s%s",
             (size_t)object, freed.start == object ? "an object" : "inside an object",
             td_layout_words(heap, freed.layout, layout), freed.bytes, freed.ago,
             freed.ago == 1 ? "" : "s", holder, why);
  else if (young)
    snprintf(text, room,
             "%#zx is an object (%.80s, %zu bytes) allocated since the last collection; referred "
             "to by %s%s",
             (size_t)object, td_layout_words(heap, space->blocks[block].layout, layout),
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
  char layout[TD_HOLDER_BYTES];
  if (!found.start) {
    found.layout = space->blocks[td_block_of(space, object)].layout;
    found.bytes = td_space_object_bytes(space, object);
  }
  snprintf(text, room, "object %#zx (%.80s, %zu bytes) %s", (size_t)object,
           td_layout_words(heap, found.layout, layout), found.bytes, what);
}
