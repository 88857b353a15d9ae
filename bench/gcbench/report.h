/* SPDX-License-Identifier: MIT */
/* The rows of gcbench, and what is told of them. */
#ifndef TD_BENCH_GCBENCH_REPORT_H
#define TD_BENCH_GCBENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/cli/grid.h"
#include "bench/cli/host.h"
#include "bench/cli/samples.h"
#include "bench/gcbench/pauses.h"

/* Pauses: percentiles and the longest, a value for each round. */
struct td_gcbench_lengths {
  struct td_samples p50_ms, p99_ms, max_ms;
};

struct td_gcbench_row {
  const char *workload, *collector;
  unsigned mutators;
  bool has_young, young;        /* the collector can collect young objects apart; it does */
  struct td_gcbench_row *first; /* the row that ratios are taken to */
  struct td_samples total_ms, collect_ms, peak_bytes, collections, full;
  struct td_gcbench_lengths all, young_alone; /* young_alone: of young collections */
  struct td_pauses pauses;                    /* of all rounds */
  struct td_gcbench_latencies *latency;       /* of the workload of that name; else NULL */
  uint64_t sum;
};

struct td_gcbench_rows {
  struct td_gcbench_row *at;
  size_t count;
  uint64_t rounds;
  const struct td_host *host;
  /* Of the workload latency: the map, the limit of a heap, operations a second, or 0. */
  uint64_t live_bytes, limit_bytes, rate;
  double seconds;
};

/* Returns "on", "off", or "-" if the collector has no choice. */
const char *td_gcbench_young(const struct td_gcbench_row *row);

/* Writes the collector's name, and whether it collects young objects apart. */
void td_gcbench_name(const struct td_gcbench_row *row, char *text, size_t bytes);

/* Fills a table of the rows that are not of latency; returns false if there are none. */
bool td_gcbench_totals(const struct td_gcbench_rows *rows, struct td_grid *grid);
void td_gcbench_explain_totals(FILE *out);

/* Fills a table of how many pauses of each row were how long, in all rounds; returns false if there
 * was none. */
bool td_gcbench_pauses(const struct td_gcbench_rows *rows, struct td_grid *grid);

/* Return an exit status, 0 if all is well, after saying on stderr what is wrong. A path of NULL: it
 * is not wanted. */
int td_gcbench_print(const struct td_gcbench_rows *rows, FILE *out);
int td_gcbench_write_json(const struct td_gcbench_rows *rows, const char *path);
/* A page for readers without the program. */
int td_gcbench_write_page(const struct td_gcbench_rows *rows, const char *path);
/* Draws curves of latency, and a histogram of pauses for each row that has some. */
int td_gcbench_plot(const struct td_gcbench_rows *rows, const char *path);

#endif
