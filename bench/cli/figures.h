/* SPDX-License-Identifier: MIT */
/* Summaries of samples in JSON, the same in every document. */
#ifndef TD_BENCH_CLI_FIGURES_H
#define TD_BENCH_CLI_FIGURES_H

#include "bench/cli/json.h"
#include "bench/cli/samples.h"

/* {"median", "min", "max", "low_quartile", "high_quartile"} */
void td_json_summary(struct td_json *json, const char *key, struct td_summary summary);

/* Whether the rounds tell the two series apart (td_samples_differ): true or false, or null where
 * there is nothing to compare, which is so if both are the same series. */
void td_json_differs(struct td_json *json, const char *key, const struct td_samples *samples,
                     const struct td_samples *base);

#endif
