/* SPDX-License-Identifier: MIT */
/* What gcbench tells of its workload latency: how long operations took, and what that cost. */
#ifndef TD_BENCH_GCBENCH_LATENCIES_H
#define TD_BENCH_GCBENCH_LATENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/cli/grid.h"
#include "bench/cli/json.h"
#include "bench/cli/plot.h"
#include "bench/gcbench/report.h"
#include "bench/gcbench/run.h"

enum td_latency_figure {
  TD_LATENCY_PER_SECOND,
  TD_LATENCY_P50_US,
  TD_LATENCY_P99_US,
  TD_LATENCY_P999_US,
  TD_LATENCY_P9999_US,
  TD_LATENCY_MAX_US,
  TD_LATENCY_OWN_US, /* the longest without what a host took; 0 at fixed times */
  TD_LATENCY_CPU_SECONDS,
  TD_LATENCY_CPUS, /* busy at a time */
  TD_LATENCY_DEGENERATE,
  TD_LATENCY_FIGURES
};

struct td_gcbench_latencies {
  struct td_samples figures[TD_LATENCY_FIGURES]; /* a value for each round */
  /* Of all rounds. */
  struct td_latency all;
  uint64_t operations;
};

/* Returns false if there is no memory. */
bool td_latencies_keep(struct td_gcbench_latencies *latency,
                       const struct td_gcbench_result *result);
/* NULL is fine. */
void td_latencies_free(struct td_gcbench_latencies *latency);

/* Fills a table of the rows of latency; returns false if there are none. */
bool td_latencies_table(const struct td_gcbench_rows *rows, struct td_grid *grid);
void td_latencies_explain(const struct td_gcbench_rows *rows, FILE *out);
/* Writes what a row of latency has besides what every row has. */
void td_latencies_put(struct td_json *json, const struct td_gcbench_rows *rows,
                      const struct td_gcbench_row *row);

#define TD_LATENCY_POINTS 64u
/* A row's curve: how long an operation takes that one in x exceeds. */
struct td_latency_curve {
  double x[TD_LATENCY_POINTS], y[TD_LATENCY_POINTS];
  char name[96], title[160];
};
/* Makes a chart for each group of rows of latency, of the curves and series of its rows: all three
 * arrays have room for one per row. Returns how many charts. */
size_t td_latencies_draw(const struct td_gcbench_rows *rows, struct td_latency_curve *curves,
                         struct td_series *series, struct td_chart *charts);

#endif
