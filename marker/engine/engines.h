/* SPDX-License-Identifier: MIT */
/* The table of engines, in a unit of its own. A program that is linked with the static library may
 * define the table itself: the linker then leaves the library's out. */
#ifndef TD_MARKER_ENGINE_ENGINES_H
#define TD_MARKER_ENGINE_ENGINES_H

struct td_engine;

/* The default first, and NULL behind the last. */
extern const struct td_engine *const td_engines[];

#endif
