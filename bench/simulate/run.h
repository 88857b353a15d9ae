/* SPDX-License-Identifier: MIT */
/* One simulation, in a process of its own (bench/simulate/machine/child.c).
 *
 * Errors are said on stderr. Functions return an exit status, 0 if all is well. */
#ifndef TD_BENCH_SIMULATE_RUN_H
#define TD_BENCH_SIMULATE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/cli/place.h"
#include "bench/simulate/costs.h"

struct td_simulation {
  const char *graph;   /* a spec */
  const char *engines; /* names, separated by commas */
  const char *policy, *topology;
  const uint64_t *markers;
  size_t marker_count;
  uint64_t seed, seeds; /* the first seed, and how many */
  uint64_t heap_max_bytes;
  bool warm;      /* caches keep what the collection before has left there; else they are empty */
  unsigned waits; /* places to tell of, where markers wait longest */
  const struct td_costs *costs;
};

/* What the markers' time is spent on, as far as they do not sleep. */
enum td_spent {
  TD_SPENT_WORK,      /* instructions, and what is in the core's own cache or the last one */
  TD_SPENT_MEMORY,    /* waiting for a line from memory */
  TD_SPENT_BANDWIDTH, /* the same, because the node's memory had no rest */
  TD_SPENT_TRANSFER,  /* waiting for a line from another core */
  TD_SPENT_WAKING,    /* waking others */
  TD_SPENT_WATCHING,  /* without work, looking for some */
  TD_SPENT_ARISING,   /* woken, and not executing yet */
  TD_SPENT_COUNT
};

#define TD_WAITS_MOST 64u

/* A place in the program, tidemark-simulated, that has asked for lines for which markers wait. */
struct td_wait {
  uint64_t address;
  enum td_spent what;
  double ns; /* of all markers together */
};

/* What one engine did with one number of markers. Times are simulated nanoseconds. With several
 * seeds it is what happened with the one whose mark_ns is the median, the lower of two. */
struct td_simulated {
  char engine[32];
  unsigned markers, took_part; /* those that have marked anything */
  unsigned cores, nodes;       /* of the machine */
  uint64_t objects;
  double mark_ns, mark_ns_least, mark_ns_most; /* of all seeds */
  double end_ns;    /* from the last mark until the collecting thread goes on */
  double active_ns; /* of all markers together */
  uint64_t steals, failed_steals, grants, parks;
  uint64_t accesses, lines, transfers; /* lines: from memory */
  uint64_t instructions, surprises;
  double spent_ns[TD_SPENT_COUNT];    /* of all markers together */
  struct td_wait wait[TD_WAITS_MOST]; /* the longest first */
  unsigned waits;
};

/* Finds the program that simulates. */
bool td_simulate_program(char path[TD_PLACE_BYTES]);

/* Stores a row per engine and number of markers, in this order; there is room for as many. */
int td_simulate_run(const struct td_simulation *simulation, struct td_simulated *rows,
                    size_t row_count);

#endif
