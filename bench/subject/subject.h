/* One graph on one Tidemark heap, marked again and again with different engines.
 *
 * The only roots are the graph's: the thread is attached with a precise stack.
 * Errors are said on stderr; functions return an exit status, 0 if all is well. */
#ifndef TD_BENCH_SUBJECT_SUBJECT_H
#define TD_BENCH_SUBJECT_SUBJECT_H

#include <stdint.h>

#include "tide/stats.h"
#include "tide/tide.h"
#include "workloads/sink_tide.h"

struct td_subject {
  struct tide_heap *heap;
  struct tide_mutator *mutator;
  struct td_graph_tide *graph;
  const char *name; /* the spec's text */
  /* What the heap is set to, so that only changes are made. */
  char engine[32];
  unsigned markers;
};

/* heap_max_bytes 0: TIDE_HEAP_MAX, else the library's default. */
int td_subject_create(const struct td_graph_spec *spec, uint64_t heap_max_bytes,
                      struct td_subject *subject);
/* The same with wrap changing the calls that build the graph. */
int td_subject_create_through(const struct td_graph_spec *spec, uint64_t heap_max_bytes,
                              void (*wrap)(void *context, struct td_graph_sink *sink),
                              void *context, struct td_subject *subject);
/* For the collections that follow: whom markers steal from. */
int td_subject_set_policy(struct td_subject *subject, const char *policy);
/* An all-zero subject is fine. */
void td_subject_destroy(struct td_subject *subject);

/* Collects once. *objects are those the marks show; stats counts an object that two markers
 * scanned twice. */
int td_subject_mark(struct td_subject *subject, const char *engine, unsigned markers,
                    struct tide_cycle_stats *stats, uint64_t *objects);
/* Right after td_subject_mark: compares the marks with an independent serial marking. The status
 * is 0 whether or not they are equal; see check->equal. */
int td_subject_check(struct td_subject *subject, struct tide_check *check);

/* The program's exit status for a library's error. */
int td_exit_of(enum tide_status status);

#endif
