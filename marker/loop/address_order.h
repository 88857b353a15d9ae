/* SPDX-License-Identifier: MIT */
/* Marking in address order: what a marker does when its queue is full. */
#ifndef TD_MARKER_LOOP_ADDRESS_ORDER_H
#define TD_MARKER_LOOP_ADDRESS_ORDER_H

#include "marker/base/state.h"

/* Length of td_marker.chunk_objects: the granules of a stretch, and those that are prefetched
 * behind the last. */
#define TD_CHUNK_OBJECTS_ROOM (TD_CHUNK_BLOCKS * TD_BLOCK_GRANULES + TD_AHEAD)

/* Passes over the heap and scans all deferred objects in the order of their addresses, for as long
 * as that pays. Returns false if it did not pay at all: it found less than one object per
 * stretch. */
bool td_mark_in_address_order(struct td_marker *marker);

#endif
