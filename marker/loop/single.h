/* SPDX-License-Identifier: MIT */
/* Objects that have one reference each, as elements of lists do. What any object takes is more than
 * they need: these loops do it in little more than half of the instructions. A poll finds out
 * whether to try them. They are no parts of the template, because they do not use the queue. */
#ifndef TD_MARKER_LOOP_SINGLE_H
#define TD_MARKER_LOOP_SINGLE_H

#include "marker/loop/window.h"

struct td_single {
  struct td_window window;
  uintptr_t next;   /* the newest child, or 0 */
  uintptr_t last;   /* the object scanned last */
  uint32_t budget;  /* objects that may be scanned */
  uint32_t scanned; /* objects that were */
};

/* Returns whether it looks as if td_single_run should go on: `next` may be 0, and the window has
 * `count` items. */
bool td_single_pays(const struct td_space *space, uintptr_t next, uintptr_t last, uint32_t count);

/* Scans unmarked objects that have one reference, all in the same slot: a list in
 * the order of its addresses, if `next` is near, or else lists abreast. Stops before any other
 * object, and behind one whose child does not go on like this. `next` must not be 0. */
void td_single_run(const struct td_space *space, struct td_single *single);

#endif
