/* SPDX-License-Identifier: MIT */
#include "gc/check/describe.h"

#include <stdio.h>

#include "gc/check/holder.h"
#include "heap/space/find.h"
#include "heap/withheld/quarantine.h"

/* What is asked may change meanwhile: nothing here is followed that is not checked. */

static const char *name_of(const struct tide_heap *heap, tide_layout layout,
                           char text[TD_HOLDER_BYTES]) {
  return layout && layout < TIDE_LAYOUT_MAX ? td_layout_words(heap, layout, text) : "no layout";
}

static void describe_dead(const struct tide_heap *heap, const struct td_freed *freed, size_t offset,
                          char *text, size_t room) {
  char layout[TD_HOLDER_BYTES];
  snprintf(text, room,
           "byte %zu of the object %#zx (%.80s, %zu bytes), reclaimed %u collection%s ago", offset,
           (size_t)freed->start, name_of(heap, freed->layout, layout), freed->bytes, freed->ago,
           freed->ago == 1 ? "" : "s");
}

static void describe_live(const struct tide_heap *heap, uintptr_t object, size_t offset, char *text,
                          size_t room) {
  const struct td_space *space = &heap->space;
  char layout[TD_HOLDER_BYTES];
  uint8_t mark = space->marks[(object - space->base) >> TD_GRANULE_LOG2];
  const char *age = !space->has_young ? "" : mark == TD_YOUNG ? ", young" : ", old";
  snprintf(text, room, "byte %zu of the object %#zx (%.80s, %zu bytes%s)", offset, (size_t)object,
           name_of(heap, space->blocks[(object - space->base) >> TD_BLOCK_LOG2].layout, layout),
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
