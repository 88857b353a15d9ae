/* SPDX-License-Identifier: MIT */
/* Measures a comparison.
 *
 * A graph is built once on a Tidemark heap, which every queue then marks in turn, and once per
 * Boehm GC process (one per marker count and kind). Rounds are interleaved: in each round every
 * row marks once, each round beginning with another row, so that whatever disturbs the machine
 * for a while disturbs all. A first round warms up; it is checked, not timed. */
#ifndef TD_BENCH_MARKING_MEASURE_H
#define TD_BENCH_MARKING_MEASURE_H

#include "bench/marking/comparison.h"

/* Measures everything. Says what goes wrong on stderr and returns an exit status. A failed check
 * is no reason to stop: it shows in `different`. */
int td_comparison_measure(struct td_comparison *comparison);

#endif
