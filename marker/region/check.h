/* SPDX-License-Identifier: MIT */
/* What must hold when a visit or a phase is over. Debug builds abort if it does not. */
#ifndef TD_MARKER_REGION_CHECK_H
#define TD_MARKER_REGION_CHECK_H

#include "marker/region/regions.h"

#ifdef TD_DEBUG
#define TD_REGIONS_CHECKED true
#else
#define TD_REGIONS_CHECKED false
#endif

/* The owner is about to leave a region: no object waits to be scanned. */
void td_visitor_check(const struct td_visitor *visitor);
/* The collecting thread, after a phase: no region is owned or has chunks, and no chunk is in use.
 */
void td_regions_check(const struct td_markers *set);

#endif
