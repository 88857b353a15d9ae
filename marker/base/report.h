/* SPDX-License-Identifier: MIT */
/* What the marking loop reports: statistics, events and probes of one incident in one call. The
 * calls are out of line, because the loop needs its registers for other things. */
#ifndef TD_MARKER_BASE_REPORT_H
#define TD_MARKER_BASE_REPORT_H

#include "marker/base/state.h"

/* The marker granted a part of its queue to thieves. */
void td_report_granted(struct td_marker *marker);
/* The marker stole `items` items from marker `victim`. */
void td_report_stolen(struct td_marker *marker, unsigned victim, uint32_t items);
/* The marker scanned a slice of `slots` root slots and began at `begin_ns`. */
void td_report_roots(struct td_marker *marker, uint64_t begin_ns, size_t slots);

#endif
