/* SPDX-License-Identifier: MIT */
/* Weak references and ephemerons that markers meet. They are chained by their link words. When all
 * that is strongly reachable is marked, the collector takes the chains and decides. */
#ifndef TD_MARKER_BASE_WEAK_CHAIN_H
#define TD_MARKER_BASE_WEAK_CHAIN_H

#include "marker/base/state.h"

/* A marker scans a weak reference: chains it. */
void td_weak_met(struct td_marker *marker, uintptr_t address);
/* A marker scans an ephemeron. Returns true if the key is marked or no reference: the value is an
 * ordinary reference then. Otherwise chains the ephemeron. */
bool td_ephemeron_met(struct td_marker *marker, uintptr_t address);

#endif
