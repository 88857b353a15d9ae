/* SPDX-License-Identifier: MIT */
/* The marking engines that there are. Their table is in a unit of its own. A program that is linked
 * with the static library may define the table itself: the linker then leaves the library's out. */
#ifndef TD_MARKER_ENGINE_ENGINES_H
#define TD_MARKER_ENGINE_ENGINES_H

#include <string.h>

#include "marker/base/state.h"

/* The default first, and NULL behind the last. */
extern const struct td_engine *const td_engines[];

/* Returns the engine of that index, or NULL past the last. */
static inline const struct td_engine *td_engine_at(size_t index) {
  size_t at = 0;
  while (at < index && td_engines[at])
    at++;
  return td_engines[at];
}

/* Returns the engine of that name, or NULL if there is none. */
static inline const struct td_engine *td_engine_find(const char *name) {
  size_t at = 0;
  while (td_engines[at] && strcmp(td_engines[at]->queue->name, name) != 0)
    at++;
  return td_engines[at];
}

#endif
