/* SPDX-License-Identifier: MIT */
/* One graph on one Tidemark heap, marked again and again with different engines.
 *
 * Its only roots are those of the graph: the thread is attached with a precise stack. Errors are
 * said on stderr. Functions return an exit status, 0 if all is well. */
#ifndef TD_BENCH_SUBJECT_SUBJECT_H
#define TD_BENCH_SUBJECT_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "tide/stats.h"
#include "tide/tide.h"
#include "workloads/sink_tide.h"

struct td_subject {
  struct tide_heap *heap;
  struct tide_mutator *mutator;
  struct td_graph_tide *graph;
  const char *name; /* the spec's text */
  /* The heap's present settings: only changes are made. */
  char engine[32];
  unsigned markers;
};

/* How to build; all zero is fine. */
struct td_subject_build {
  uint64_t heap_max_bytes; /* 0: TIDE_HEAP_MAX, else the library's default */
  bool conservative;       /* objects that can hold references are scanned word by word */
  void (*wrap)(void *context, struct td_graph_sink *sink); /* changes the sink; NULL: does not */
  void *context;
};

/* Builds the graph. */
int td_subject_create(const struct td_graph_spec *spec, const struct td_subject_build *build,
                      struct td_subject *subject);
/* For the collections that follow: whom markers steal from. */
int td_subject_set_policy(struct td_subject *subject, const char *policy);
/* An all-zero subject is fine. */
void td_subject_destroy(struct td_subject *subject);

/* The figures of a collection, those of its markers included: too large for a careful program's
 * stack. */
struct td_cycle_record {
  struct tide_cycle_stats all;
  struct tide_marker_stats marker[TIDE_MARKERS_MAX]; /* [0, all.markers) */
};

/* Collects once. *objects is the number of marks. In *stats, an object that two markers scanned
 * counts twice. */
int td_subject_mark(struct td_subject *subject, const char *engine, unsigned markers,
                    struct td_cycle_record *stats, uint64_t *objects);
/* Compares the marks with an independent serial marking; to be called right after td_subject_mark.
 * The status is 0 whether or not they are equal: see check->equal. */
int td_subject_check(struct td_subject *subject, struct tide_check *check);

/* Returns the program's exit status for an error of the library. */
int td_exit_of(enum tide_status status);

#endif
