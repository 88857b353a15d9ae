/* SPDX-License-Identifier: MIT */
/* The costs of this machine. Errors are said on stderr; the functions return an exit status. */
#ifndef TD_BENCH_SIMULATE_MEASURE_H
#define TD_BENCH_SIMULATE_MEASURE_H

#include "bench/simulate/costs.h"
#include "bench/threads/cpus.h"

/* Measures what this machine can tell; the rest stays as it is. Takes a few seconds. */
int td_costs_measure(struct td_costs *costs);

/* Parts of it. */
int td_costs_measure_window(struct td_costs *costs, const struct td_cpus *cpus);
int td_costs_measure_system(struct td_costs *costs, const struct td_cpus *cpus);
/* Work of the marker's code: the other costs have been measured. */
int td_costs_calibrate(struct td_costs *costs);

/* Whether the two cores that were measured have one last cache. */
bool td_costs_share_last_cache(const struct td_costs *costs);
/* Describes this machine, as far as one marker or two matter, to hwloc. */
#define TD_TOPOLOGY_BYTES 96u
void td_costs_topology(const struct td_costs *costs, char text[TD_TOPOLOGY_BYTES]);

/* Reads the costs that a JSON file names: an object of names and numbers, or a document that has
 * such an object under "costs", as --json writes it. The others stay as they are. */
int td_costs_read(struct td_costs *costs, const char *path);

#endif
