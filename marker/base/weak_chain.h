/* SPDX-License-Identifier: MIT */
/* Weak references and ephemerons that markers meet. They are chained by their link words; the
 * collector decides on them when everything that is strongly reachable is marked. */
#ifndef TD_MARKER_BASE_WEAK_CHAIN_H
#define TD_MARKER_BASE_WEAK_CHAIN_H

#include "marker/base/state.h"

/* A marker scans a weak reference: chains it. */
void td_weak_met(struct td_marker *marker, uintptr_t address);
/* A marker scans an ephemeron. Returns true if the key is marked or no reference: the value is an
 * ordinary reference then. Otherwise chains the ephemeron. */
bool td_ephemeron_met(struct td_marker *marker, uintptr_t address);

/* Whoever is the first to ask in this collection may chain the object that has this word. */
bool td_weak_claim(const struct td_markers *set, _Atomic(uint64_t) *claimed);

/* Take what was chained since the last call, from all markers. The collecting thread, between
 * phases. Return the address of the first object, 0 if there is none. */
uintptr_t td_weak_chain_take(struct td_markers *set);
uintptr_t td_ephemeron_chain_take(struct td_markers *set);

#endif
