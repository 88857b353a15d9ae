/* SPDX-License-Identifier: MIT */
/* Reading one object's references, serially. Shared by everything in gc that follows references
 * itself (ephemerons, finalizer order, verification, the walk), and deliberately not by the
 * marker, whose work the verification checks. */
#ifndef TD_GC_OBJECT_SCAN_H
#define TD_GC_OBJECT_SCAN_H

#include "heap/space/marks.h"
#include "marker/marker.h"

/* Embed it as the first member; the functions get it back. */
struct td_scanner {
  struct tide_tracer tracer; /* for trace functions and root callbacks */
  const struct td_space *space;
  /* Where the reference that is being reported was read, NULL if the embedder passed a value. Not
   * necessarily in the object: a trace function reads wherever it wants. */
  const uintptr_t *slot;
  bool is_word; /* that only may be one: td_space_find took it for a reference */
  /* A strong reference: `target` lies inside the range and is granule-aligned, or is what
   * td_space_find said about a conservative word. */
  void (*reference)(struct td_scanner *scanner, uintptr_t target);
  /* A word of a slot that is neither 0 nor a reference, by its bits or range. May be NULL. */
  void (*no_reference)(struct td_scanner *scanner, uintptr_t word);
  /* The scanned object is a weak reference / an ephemeron. May be NULL. */
  void (*weak)(struct td_scanner *scanner, struct td_weak_object *weak);
  void (*ephemeron)(struct td_scanner *scanner, struct td_ephemeron_object *ephemeron);
};

void td_scanner_init(struct td_scanner *scanner, const struct td_space *space,
                     void (*reference)(struct td_scanner *, uintptr_t));
/* [beside] It looks no word up that leads into a block which may be in the making. */
void td_scanner_look_before(struct td_scanner *scanner);
/* The object at its first byte. */
void td_scan_object(struct td_scanner *scanner, uintptr_t object);
void td_scan_span(struct td_scanner *scanner, const struct td_span *span);

/* Is the word a reference in this heap, by its bits and range? */
static inline bool td_is_reference(const struct td_space *space, uintptr_t word) {
  return td_granule_of(space->base, word) < space->granules;
}

static inline bool td_object_is_marked(const struct td_space *space, uintptr_t object) {
  return td_is_marked(space, td_granule_of(space->base, object));
}

/* While marking: does an object begin there that was not found yet? Other words than its address
 * will do. Beside the program the mark of an object that is new may not be seen yet; it is no white
 * one. */
static inline bool td_object_is_white(const struct td_space *space, uintptr_t object) {
  uint64_t granule = td_granule_of(space->base, object);
  return granule < td_block_granule(space->view_frontier) &&
         td_mark_load(&space->marks[granule]) == space->epoch_before;
}

/* ---- A stack of objects that may refuse ---- */

struct td_worklist {
  uintptr_t *at;
  size_t count, capacity;
  uintptr_t *first; /* what it began with, which is not its own; or NULL */
};
/* Room for one more; of an empty list, for the first thousand. false: out of memory. */
bool td_worklist_reserve(struct td_worklist *list);
bool td_worklist_push(struct td_worklist *list, uintptr_t object);
void td_worklist_free(struct td_worklist *list);

#endif
