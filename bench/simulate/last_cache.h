/* What the last cache of this machine holds for this program, and how long a line takes from it. */
#ifndef TD_BENCH_SIMULATE_LAST_CACHE_H
#define TD_BENCH_SIMULATE_LAST_CACHE_H

#include <stdbool.h>

/* A machine that others use, too, may give a program a part of the cache only. Stores MiB, a power
 * of two, and nanoseconds. Takes a second. Returns false without memory. */
bool td_last_cache_measure(double *mib, double *ns);

#endif
