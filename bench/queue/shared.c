/* SPDX-License-Identifier: MIT */
/* Owners among thieves: one of each (stolen), or a pool of threads (pool).
 *
 * Owners fill and drain their queues a fixed number of times. A thief takes its share of what has
 * been put so far and no more. The owners publish now and then how much they have put; a thief that
 * is ahead rests. What was stolen in the end is counted, not assumed. */
#include "bench/queue/shared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/threads/crew.h"

/* Pauses of a thief that is ahead or has found nothing, before it looks again. */
#define REST 32u

struct thief {
  _Alignas(64) uint64_t stolen;
  struct td_queue_tally out;
};

struct job {
  const struct td_queue_cell *cell;
  const struct td_queue_bench *bench;
  unsigned owners;               /* threads below this own, the others steal */
  double thief_share;            /* of all items put, for each thief */
  struct td_queue_share *shares; /* [owners] */
  struct thief *thieves;         /* [threads - owners] */
  uint64_t *begin_ns, *end_ns;   /* [owners] */
  /* Owners add when they have ended, thieves read; relaxed: joining the threads orders the results.
   */
  _Alignas(64) _Atomic(unsigned) ended;
};

static uint64_t size_of(void *context, uint32_t victim) {
  const struct job *job = context;
  return job->cell->kind->size(job->bench->states[victim]);
}

static void rest(void) {
  for (unsigned i = 0; i < REST; i++)
    td_pause();
}

static uint64_t put_so_far(const struct job *job) {
  uint64_t put = 0;
  /* relaxed: the number paces the thief and orders nothing. */
  for (unsigned i = 0; i < job->owners; i++)
    put += atomic_load_explicit(&job->shares[i].put, memory_order_relaxed);
  return put;
}

static void be_owner(struct job *job, unsigned thread) {
  job->begin_ns[thread] = td_now_ns();
  job->cell->kind->own[job->cell->cursor](job->bench->states[thread], &job->shares[thread]);
  job->end_ns[thread] = td_now_ns();
  /* relaxed: it tells the thieves to stop and orders nothing. */
  atomic_fetch_add_explicit(&job->ended, 1u, memory_order_relaxed);
}

static void accept(const struct job *job, struct thief *thief, unsigned thread,
                   const uint64_t *items, uint32_t count) {
  struct td_queue_tally out = {.count = 0};
  if (job->bench->experiment == TD_QUEUE_POOL) {
    out = job->cell->kind->work_off(job->bench->states[thread], items, count);
  } else {
    out.count = count;
    for (uint32_t i = 0; i < count; i++)
      out.sum += items[i];
  }
  thief->stolen += count;
  thief->out.count += out.count;
  thief->out.sum += out.sum;
}

static void be_thief(struct job *job, unsigned thread) {
  struct thief *thief = &job->thieves[thread - job->owners];
  struct td_policy policy;
  td_policy_init(&policy, &(struct td_policy_options){
                              .kind = job->cell->policy ? job->cell->policy : &td_policy_random,
                              .self = thread,
                              .count = job->cell->threads,
                              .size = size_of,
                              .context = job,
                              .distances = td_cpus_distances(&job->bench->cpus, thread)});
  uint64_t items[TD_QUEUE_BATCH_MAX];
  /* relaxed: see be_owner. */
  while (atomic_load_explicit(&job->ended, memory_order_relaxed) < job->owners) {
    double goal = (double)put_so_far(job) * job->thief_share;
    double owed = goal - (double)thief->stolen;
    if (owed < 1) {
      rest();
      continue;
    }
    uint32_t most = owed < job->cell->batch ? (uint32_t)owed : job->cell->batch;
    uint32_t victim = td_policy_next(&policy);
    int32_t count = job->cell->kind->steal(job->bench->states[victim], items, most);
    td_policy_tell(&policy, victim, count > 0);
    if (count > 0)
      accept(job, thief, thread, items, (uint32_t)count);
    else
      rest();
  }
}

static void take_part(void *context, unsigned thread) {
  struct job *job = context;
  if (thread < job->owners)
    be_owner(job, thread);
  else
    be_thief(job, thread);
}

/* ---- One run --------------------------------------------------------------------------- */

static bool prepare(struct job *job, struct td_queue_bench *bench) {
  unsigned threads = job->cell->threads, owners = job->owners;
  job->shares = aligned_alloc(64, owners * sizeof *job->shares);
  job->thieves = aligned_alloc(64, (threads - owners + 1u) * sizeof *job->thieves);
  job->begin_ns = calloc(owners, sizeof *job->begin_ns);
  job->end_ns = calloc(owners, sizeof *job->end_ns);
  if (!job->shares || !job->thieves || !job->begin_ns || !job->end_ns) return false;
  memset(job->thieves, 0, (threads - owners + 1u) * sizeof *job->thieves);
  for (unsigned i = 0; i < threads; i++)
    td_queue_bench_init(bench, job->cell->kind, i);
  for (unsigned i = 0; i < owners; i++) {
    struct td_queue_share *share = &job->shares[i];
    memset(share, 0, sizeof *share);
    share->rounds = job->cell->work;
    share->fill = bench->fill;
    share->first_item = 1 + ((uint64_t)i << 48); /* so that no item is in two queues */
    atomic_init(&share->put, 0);
  }
  return true;
}

static void release(struct job *job) {
  free(job->shares);
  free(job->thieves);
  free(job->begin_ns);
  free(job->end_ns);
}

static void add(struct td_queue_tally *sum, struct td_queue_tally more) {
  sum->count += more.count;
  sum->sum += more.sum;
}

static int conclude(const struct job *job, struct td_queue_result *result) {
  struct td_queue_tally in = {0}, out = {0};
  uint64_t begin = UINT64_MAX, end = 0, stolen = 0;
  for (unsigned i = 0; i < job->owners; i++) {
    add(&in, td_queue_share_in(&job->shares[i]));
    add(&out, job->shares[i].out);
    if (job->begin_ns[i] < begin) begin = job->begin_ns[i];
    if (job->end_ns[i] > end) end = job->end_ns[i];
  }
  for (unsigned i = 0; i + job->owners < job->cell->threads; i++) {
    add(&out, job->thieves[i].out);
    stolen += job->thieves[i].stolen;
  }
  result->ns = (double)(end - begin);
  result->operations = (double)in.count + (double)out.count;
  result->stolen = 100.0 * (double)stolen / (double)in.count;
  return td_queue_check(job->cell, in, out);
}

static int run(struct td_queue_bench *bench, const struct td_queue_cell *cell,
               struct td_queue_result *result) {
  *result = (struct td_queue_result){.stolen = NAN, .events = NAN};
  struct job job = {.cell = cell, .bench = bench, .owners = cell->threads - cell->threads / 2};
  if (isfinite(cell->stolen_wanted)) job.thief_share = cell->stolen_wanted / 100;
  if (isfinite(cell->balance)) job.thief_share = cell->balance / 100 / cell->threads;
  int status = TD_EXIT_OK;
  if (!prepare(&job, bench))
    status = td_complain(TD_EXIT_RESOURCES, "queue: not enough memory");
  else if (!td_crew_run(&bench->cpus, cell->threads, take_part, &job, &result->disturbed))
    status = td_complain(TD_EXIT_RESOURCES, "queue: cannot start %u threads", cell->threads);
  if (status == TD_EXIT_OK) status = conclude(&job, result);
  release(&job);
  return status;
}

/* ---- Cells ----------------------------------------------------------------------------- */

static struct td_queue_cell *cell_of(struct td_queue_bench *bench, const struct td_queue_kind *kind,
                                     enum td_queue_cursor cursor) {
  struct td_queue_cell *cell = td_queue_cell_add(bench);
  if (!cell) return NULL;
  cell->pattern = "fill-drain";
  cell->kind = kind;
  cell->run = run;
  cell->has_cursor = true;
  cell->cursor = cursor;
  cell->threads = bench->threads;
  cell->base = TD_CURSOR_IN_MEMORY;
  cell->base_same = (size_t)cursor;
  return cell;
}

/* Adds the ceiling alone: cells 0 and 1, the bases of all others. */
static bool add_bases(struct td_queue_bench *bench) {
  for (enum td_queue_cursor c = TD_CURSOR_IN_MEMORY; c <= TD_CURSOR_LOCAL; c++) {
    struct td_queue_cell *cell = cell_of(bench, td_queue_kind_ceiling(), c);
    if (!cell) return false;
    cell->threads = 1;
  }
  return true;
}

static bool add_stolen_cells(struct td_queue_bench *bench, const struct td_queue_kind *kind,
                             enum td_queue_cursor cursor) {
  for (size_t i = 0; i < bench->batch_count * bench->stolen_count; i++) {
    struct td_queue_cell *cell = cell_of(bench, kind, cursor);
    if (!cell) return false;
    cell->batch = bench->batches[i / bench->stolen_count];
    cell->stolen_wanted = bench->stolen[i % bench->stolen_count];
  }
  return true;
}

bool td_queue_stolen_cells(struct td_queue_bench *bench) {
  if (!add_bases(bench)) return false;
  for (size_t k = 0; k < bench->kind_count; k++)
    for (enum td_queue_cursor c = TD_CURSOR_IN_MEMORY; c <= TD_CURSOR_LOCAL; c++)
      if (bench->kinds[k] != td_queue_kind_ceiling() &&
          !add_stolen_cells(bench, bench->kinds[k], c))
        return false;
  return true;
}

static bool add_pool_cell(struct td_queue_bench *bench, const struct td_queue_kind *kind,
                          const struct td_policy_kind *policy, uint32_t batch, double balance) {
  struct td_queue_cell *cell = cell_of(bench, kind, TD_CURSOR_LOCAL);
  if (!cell) return false;
  cell->batch = batch;
  cell->balance = balance;
  cell->policy = policy;
  struct td_policy dry;
  cell->policy_in_force = td_policy_init(
      &dry, &(struct td_policy_options){.kind = policy,
                                        .self = 0,
                                        .count = bench->threads,
                                        .size = size_of,
                                        .distances = td_cpus_distances(&bench->cpus, 0)});
  return true;
}

static bool add_pool_cells(struct td_queue_bench *bench, const struct td_queue_kind *kind,
                           const struct td_policy_kind *policy) {
  for (size_t i = 0; i < bench->batch_count * bench->balance_count; i++)
    if (!add_pool_cell(bench, kind, policy, bench->batches[i / bench->balance_count],
                       bench->balance[i % bench->balance_count]))
      return false;
  return true;
}

bool td_queue_pool_cells(struct td_queue_bench *bench) {
  if (!add_bases(bench)) return false;
  for (size_t k = 0; k < bench->kind_count; k++) {
    if (bench->kinds[k] == td_queue_kind_ceiling()) continue;
    for (size_t p = 0; p < bench->policy_count; p++)
      if (!add_pool_cells(bench, bench->kinds[k], bench->policies[p])) return false;
  }
  return true;
}
