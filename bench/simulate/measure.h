/* The costs of this machine. Errors are said on stderr; the functions return an exit status. */
#ifndef TD_BENCH_SIMULATE_MEASURE_H
#define TD_BENCH_SIMULATE_MEASURE_H

#include "bench/simulate/costs.h"

/* Measures what this machine can tell; the rest stays as it is. Takes a few seconds. */
int td_costs_measure(struct td_costs *costs);

/* Reads the costs that a JSON file names: an object of names and numbers, or a document that has
 * such an object under "costs", as --json writes it. The others stay as they are. */
int td_costs_read(struct td_costs *costs, const char *path);

#endif
