/* SPDX-License-Identifier: MIT */
/* The memory of one marker: its tables and its queue. */
#ifndef TD_MARKER_MAKE_H
#define TD_MARKER_MAKE_H

#include "marker/base/state.h"

/* Returns a marker without a queue and without a thread, NULL if there is no memory. */
struct td_marker *td_marker_make(struct td_markers *set, unsigned id);
/* NULL is allowed. */
void td_marker_free(struct td_marker *marker);

/* Gives the first `count` markers of the set queues of this engine and size. Markers that have such
 * a queue keep it. Returns false if there is no memory; nothing has changed then. */
bool td_marker_queues_make(struct td_markers *set, const struct td_engine *engine, uint32_t blocks,
                           uint32_t items, unsigned count);

#endif
