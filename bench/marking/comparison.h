/* SPDX-License-Identifier: MIT */
/* Several engines on several graphs: what was asked, and what was measured. */
#ifndef TD_BENCH_MARKING_COMPARISON_H
#define TD_BENCH_MARKING_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/boehm/guest.h"
#include "bench/cli/host.h"
#include "bench/cli/samples.h"
#include "bench/engines/engines.h"
#include "bench/limit/oracle.h"
#include "bench/marking/trace.h"
#include "tide/stats.h"
#include "workloads/profile.h"
#include "workloads/spec.h"

enum td_checked {
  TD_NOT_CHECKED,
  TD_CHECKED_EQUAL,
  TD_CHECKED_MORE, /* of Boehm GC: all that is live was marked, and a little more */
  TD_CHECKED_DIFFERENT
};

/* A row: one engine with objects of one kind and one number of markers on one graph. */
struct td_row {
  struct td_bench_engine engine;
  unsigned markers;
  const struct td_row
      *base; /* the row that ratios are taken to; NULL: the first engine has no such row */
  struct td_samples mark_ns;            /* one per round */
  struct td_samples steals, duplicates; /* of Tidemark only, like the next */
  struct td_cycle_record *cycle;        /* of the fastest round so far */
  uint64_t cycle_ns;
  uint64_t objects, bytes; /* that were marked */
  enum td_checked checked;
  struct td_noise_count noise; /* during its timed rounds */
  uint64_t instructions; /* of its timed collections; 0: Boehm GC's, or the kernel counts none */
  struct td_boehm *boehm;
};

struct td_graph_rows {
  const struct td_graph_spec *spec;
  const char *label;              /* short name for tables: inside spec->text */
  uint64_t objects, edges, bytes; /* live, by the independent serial marking */
  struct td_row *rows;
  size_t row_count;
  unsigned rounds;                  /* that were timed */
  bool out_of_time;                 /* before the ratios were known */
  struct td_graph_profile *profile; /* NULL unless asked for */
  struct td_oracle oracle;          /* all zero unless asked for */
  char *about;                      /* what a recorded graph says of itself; NULL: nothing */
};

struct td_comparison {
  /* As asked. */
  struct td_graph_spec *specs;
  size_t graph_count;
  /* An engine whose objects are of two kinds is here twice. */
  struct td_bench_engine engines[TD_OBJECTS_KINDS * TD_LIST_MAX];
  size_t engine_count;
  unsigned markers[64];
  size_t marker_count;
  const char *policy; /* of the Tidemark heaps */
  unsigned rounds;    /* of each graph, at least */
  double
      seconds; /* further rounds, until the ratios are known or this is over; 0: no further ones */
  bool check;
  uint64_t heap_max_bytes; /* 0: the default */
  bool details;            /* the JSON tells of each marker */
  bool profile;            /* look at the graphs' shapes as well */
  bool limit;              /* replay the oracle in every round as well */
  struct td_trace
      *trace; /* records the first row of each graph after its rounds; NULL: nothing is recorded */
  /* As measured. */
  struct td_graph_rows *graphs; /* [graph_count] */
  struct td_host host;
  struct td_cpus cpus; /* with `limit` only */
  bool different;      /* some check failed */
};

void td_comparison_free(struct td_comparison *comparison);

/* Makes the rows of a graph, still empty. Returns 0, or an exit status after saying why not. */
int td_graph_rows_make(const struct td_comparison *comparison, struct td_graph_rows *graph);
/* Returns the row of the engine of this label with that number of markers, or NULL. */
const struct td_row *td_graph_row(const struct td_graph_rows *graph, const char *engine,
                                  unsigned markers);

/* Returns "precise", "conservative" or both, as asked of the engines of Tidemark; what Boehm GC's
 * are if there is no other. */
const char *td_comparison_objects(const struct td_comparison *comparison);

/* Returns nanoseconds per live object. */
struct td_summary td_row_ns_per_object(const struct td_graph_rows *graph, const struct td_row *row);
/* Returns the mark time of the row over that of its base, round by round: over 1 is slower. */
struct td_summary td_row_ratio(const struct td_row *row);
/* Returns whether the row has a ratio to another one, and its median is known well enough: to one
 * twentieth, 19 times in 20 (td_summary_doubt). */
#define TD_RATIO_DOUBT 0.05
bool td_row_is_compared(const struct td_row *row);
bool td_row_is_known(const struct td_row *row);
/* Returns whether td_row_is_known of every row of the graph that has a ratio to another. */
bool td_graph_is_known(const struct td_graph_rows *graph);
/* The fewest and the most rounds that any graph of the comparison took. */
void td_comparison_rounds(const struct td_comparison *comparison, unsigned *fewest, unsigned *most);
/* Returns whether two rows of a graph have the same number of markers and times that the rounds
 * cannot tell apart (td_samples_differ). False for a row and itself, and if one is NULL. */
bool td_rows_alike(const struct td_row *a, const struct td_row *b);
/* Returns the mark time of the row over that of the oracle with as many threads, in its faster
 * order. The count is 0 if there was no oracle. */
struct td_summary td_row_to_oracle(const struct td_graph_rows *graph, const struct td_row *row);
/* Returns nanoseconds per live object of that oracle. */
struct td_summary td_row_oracle(const struct td_graph_rows *graph, const struct td_row *row);
/* The same for the replay of a marker's own touches. */
struct td_summary td_row_to_replay(const struct td_graph_rows *graph, const struct td_row *row);
struct td_summary td_row_replay(const struct td_graph_rows *graph, const struct td_row *row);

#endif
