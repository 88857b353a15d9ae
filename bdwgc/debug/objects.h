/* SPDX-License-Identifier: MIT */
/* Calls for each object. */
#ifndef TD_BDWGC_DEBUG_OBJECTS_H
#define TD_BDWGC_DEBUG_OBJECTS_H

#include "bdwgc/types.h"

/* Calls it for each object there is now, in the order of addresses. None is collected meanwhile.
 * The world runs: `call` may wait for what they hold. Returns false, and calls nothing, if there is
 * no memory for a list of them, or the thread is in a callback. */
bool td_objects_each(GC_reachable_object_proc call, void *data);

#endif
