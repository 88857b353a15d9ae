/* SPDX-License-Identifier: MIT */
/* Records what markers do, moment by moment. */
#ifndef TD_BENCH_MARKING_TRACE_H
#define TD_BENCH_MARKING_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "bench/subject/subject.h"

#define TD_TRACE_ROUNDS 3u
#define TD_TRACE_PHASES_MAX 64u

struct td_trace_phase {
  enum tide_event event;
  uint64_t ns;
  struct tide_cycle_running cycle; /* that the event belongs to */
};

struct td_trace {
  struct tide_timeline_event *events; /* of one marker after the other, each in the order of time */
  size_t count;
  uint64_t lost;
  struct td_trace_phase phases[TD_TRACE_PHASES_MAX];
  size_t phase_count;
  const char *graph, *engine; /* they must outlive the trace */
  unsigned markers;
};

/* Collects TD_TRACE_ROUNDS times while recording. Returns 0, or an exit status after saying why
 * not. */
int td_trace_record(struct td_trace *trace, struct td_subject *subject, const char *engine,
                    unsigned markers);
/* An all-zero trace is fine. */
void td_trace_free(struct td_trace *trace);

#endif
