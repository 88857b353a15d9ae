/* SPDX-License-Identifier: MIT */
#include "marker/base/place.h"

/* Many markers do not ask each other, which would take a cache line from each of them. A machine
 * for that many tells which CPUs share a cache. */
static bool is_asked(const struct td_markers *set) {
  return set->limit > 1 && !td_are_many(set);
}

void td_place_note(struct td_marker *marker) {
  if (!is_asked(marker->set)) return;
  /* relaxed, here and below: a hint that orders nothing. */
  atomic_store_explicit(&marker->cpu, td_plat_cpu_here(), memory_order_relaxed);
}

void td_place_forget(struct td_marker *marker) {
  atomic_store_explicit(&marker->cpu, -1, memory_order_relaxed);
}

void td_place_apart(struct td_marker *marker) {
  const struct td_markers *set = marker->set;
  int taken[TD_MANY_MARKERS];
  unsigned count = 0;
  bool together = false;
  if (!is_asked(set)) return;
  const int here = td_plat_cpu_here();
  for (unsigned i = 0; i < set->limit; i++) {
    int cpu = atomic_load_explicit(&set->marker[i]->cpu, memory_order_relaxed);
    if (i == marker->id || cpu < 0) continue;
    taken[count++] = cpu;
    together |= cpu == here;
  }
  if (together) td_plat_leave_cpus(taken, count);
}
