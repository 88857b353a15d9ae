/* SPDX-License-Identifier: MIT */
#include "bench/limit/oracle.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/cli/complain.h"
#include "bench/threads/crew.h"

#define HUGE_BYTES ((size_t)2 << 20)
#define PIECE 4096u /* touches that a thread takes at once */

/* ---- One replay ------------------------------------------------------------------------ */

struct replay {
  const struct td_tape *tape;
  uintptr_t base;
  uint8_t *marks;
  uint8_t value;
  unsigned ahead;
  /* All threads add, and so take the next piece; relaxed: it only divides the tape. */
  _Alignas(64) _Atomic(size_t) next;
  _Alignas(64) uint64_t begin_ns[TD_CREW_MAX];
  uint64_t end_ns[TD_CREW_MAX];
  uint64_t sum[TD_CREW_MAX]; /* so that nothing is optimised away */
};

/* Touches the tape's lines [from, to). There are selections instead of branches: a mispredicted
 * branch would cost more than a touch. */
static uint64_t touch(const struct replay *r, size_t from, size_t to) {
  const uint32_t *tape = r->tape->touch;
  const uintptr_t base = r->base;
  uint8_t *const marks = r->marks;
  const uint8_t value = r->value;
  const size_t ahead = r->ahead;
  uint64_t nothing = 0, sum = 0;
  uint8_t nowhere;
  for (size_t i = from; i < to; i++) {
    uint32_t later = tape[i + ahead], now = tape[i];
    uint8_t *mark = marks + (later & TD_TOUCH_GRANULE);
    const void *line =
        (const void *)(base + (uintptr_t)(later & TD_TOUCH_GRANULE) * TD_TOUCH_GRANULE_BYTES);
    __builtin_prefetch(later & TD_TOUCH_MORE ? line : (const void *)mark, 1);
    __builtin_prefetch(later & TD_TOUCH_LEAF ? (const void *)mark : line);
    mark = marks + (now & TD_TOUCH_GRANULE);
    mark = now & TD_TOUCH_MORE ? &nowhere : mark;
    *(volatile uint8_t *)mark = value;
    line = (const void *)(base + (uintptr_t)(now & TD_TOUCH_GRANULE) * TD_TOUCH_GRANULE_BYTES);
    line = now & TD_TOUCH_LEAF ? (const void *)&nothing : line;
    sum += *(const volatile uint64_t *)line;
  }
  return sum;
}

static void body(void *context, unsigned thread) {
  struct replay *r = context;
  size_t count = r->tape->count, from;
  uint64_t sum = 0;
  r->begin_ns[thread] = td_now_ns();
  while ((from = atomic_fetch_add_explicit(&r->next, PIECE, memory_order_relaxed)) < count)
    sum += touch(r, from, count - from < PIECE ? count : from + PIECE);
  r->end_ns[thread] = td_now_ns();
  r->sum[thread] = sum;
}

static int replay(struct td_oracle *oracle, enum td_tape_order order, unsigned threads,
                  double *ns) {
  static struct replay r;
  r = (struct replay){.tape = &oracle->tapes.order[order],
                      .base = oracle->tapes.base,
                      .marks = oracle->marks,
                      .value = ++oracle->value,
                      .ahead = oracle->ahead[order]};
  bool disturbed;
  if (!td_crew_run(oracle->cpus, threads, body, &r, &disturbed))
    return td_complain(TD_EXIT_RESOURCES, "the oracle: cannot start %u threads", threads);
  uint64_t begin = UINT64_MAX, end = 0;
  for (unsigned i = 0; i < threads; i++) {
    begin = r.begin_ns[i] < begin ? r.begin_ns[i] : begin;
    end = r.end_ns[i] > end ? r.end_ns[i] : end;
  }
  *ns = (double)(end - begin);
  return TD_EXIT_OK;
}

/* ---- The oracle ------------------------------------------------------------------------ */

/* Chooses how far ahead to prefetch: the fastest of a few distances with one thread. */
static int tune(struct td_oracle *oracle, enum td_tape_order order) {
  static const unsigned candidates[] = {8, 16, 24, 32, 48, TD_TAPE_AHEAD_MAX};
  double best_ns = 0;
  unsigned best = 0;
  for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
    double ns;
    oracle->ahead[order] = candidates[i];
    int status = replay(oracle, order, 1, &ns);
    if (status != TD_EXIT_OK) return status;
    if (best == 0 || ns < best_ns) {
      best = candidates[i];
      best_ns = ns;
    }
  }
  oracle->ahead[order] = best;
  return TD_EXIT_OK;
}

static unsigned threads_for(const struct td_cpus *cpus, unsigned markers) {
  return markers < cpus->count ? markers : cpus->count;
}

static void add_threads(struct td_oracle *oracle, unsigned markers) {
  unsigned threads = threads_for(oracle->cpus, markers);
  for (size_t i = 0; i < oracle->times_count; i++)
    if (oracle->times[i].threads == threads) return;
  oracle->times[oracle->times_count++].threads = threads;
}

int td_oracle_init(struct td_oracle *oracle, const struct td_graph_spec *spec,
                   const struct td_places *places, const struct td_cpus *cpus,
                   const unsigned *threads, size_t count) {
  *oracle = (struct td_oracle){.cpus = cpus};
  int status = td_tapes_make(spec, places, &oracle->tapes);
  if (status != TD_EXIT_OK) return status;
  for (size_t i = 0; i < count && i < TD_ORACLE_COUNTS; i++)
    add_threads(oracle, threads[i]);
  size_t bytes = (oracle->tapes.granules + HUGE_BYTES) / HUGE_BYTES * HUGE_BYTES;
  oracle->marks = aligned_alloc(HUGE_BYTES, bytes);
  if (oracle->marks) {
    madvise(oracle->marks, bytes, MADV_HUGEPAGE); /* only a wish, as for the heap's own tables */
    memset(oracle->marks, 0, bytes);
    for (unsigned order = 0; order < TD_TAPE_ORDERS && status == TD_EXIT_OK; order++)
      status = tune(oracle, order);
  } else {
    status = td_complain(TD_EXIT_RESOURCES, "%s: not enough memory for the oracle", spec->text);
  }
  if (status != TD_EXIT_OK) td_oracle_free(oracle);
  return status;
}

int td_oracle_round(struct td_oracle *oracle) {
  for (size_t i = 0; i < oracle->times_count; i++) {
    struct td_oracle_times *times = &oracle->times[i];
    for (unsigned order = 0; order < TD_TAPE_ORDERS; order++) {
      double ns;
      int status = replay(oracle, order, times->threads, &ns);
      if (status != TD_EXIT_OK) return status;
      if (!td_samples_add(&times->ns[order], ns))
        return td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
    }
  }
  return TD_EXIT_OK;
}

void td_oracle_end(struct td_oracle *oracle) {
  td_tapes_end(&oracle->tapes);
  free(oracle->marks);
  oracle->marks = NULL;
}

void td_oracle_free(struct td_oracle *oracle) {
  td_oracle_end(oracle);
  for (size_t i = 0; i < oracle->times_count; i++)
    for (unsigned order = 0; order < TD_TAPE_ORDERS; order++)
      td_samples_free(&oracle->times[i].ns[order]);
  *oracle = (struct td_oracle){0};
}

static const struct td_oracle_times *times_of(const struct td_oracle *oracle, unsigned markers) {
  if (!oracle->cpus) return NULL;
  unsigned threads = threads_for(oracle->cpus, markers);
  for (size_t i = 0; i < oracle->times_count; i++)
    if (oracle->times[i].threads == threads && oracle->times[i].ns[0].count > 0)
      return &oracle->times[i];
  return NULL;
}

const struct td_samples *td_oracle_best(const struct td_oracle *oracle, unsigned markers,
                                        enum td_tape_order *order) {
  const struct td_oracle_times *times = times_of(oracle, markers);
  if (!times) return NULL;
  *order = TD_TAPE_DEPTH_FIRST;
  if (td_samples_summary(&times->ns[TD_TAPE_ADDRESS]).median <
      td_samples_summary(&times->ns[TD_TAPE_DEPTH_FIRST]).median)
    *order = TD_TAPE_ADDRESS;
  return &times->ns[*order];
}

const struct td_samples *td_oracle_replay(const struct td_oracle *oracle, unsigned markers) {
  const struct td_oracle_times *times = times_of(oracle, markers);
  return times ? &times->ns[TD_TAPE_REPLAY] : NULL;
}
