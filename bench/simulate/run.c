/* SPDX-License-Identifier: MIT */
#include "bench/simulate/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli/child.h"
#include "bench/cli/complain.h"
#include "bench/cli/place.h"
#include "bench/cli/progress.h"

#define LIST_BYTES 2048

bool td_simulate_program(char path[TD_PLACE_BYTES]) {
  return td_place_find(path, "tidemark-simulated", "../libexec/tidemark/tidemark-simulated",
                       TD_INSTALLED_LIBEXEC "/tidemark-simulated", NULL);
}

static void list_markers(const struct td_simulation *simulation, char text[LIST_BYTES]) {
  size_t length = 0;
  for (size_t i = 0; i < simulation->marker_count; i++)
    length += (size_t)snprintf(text + length, LIST_BYTES - length, "%s%" PRIu64, i ? "," : "",
                               simulation->markers[i]);
}

static void list_costs(const struct td_costs *costs, char text[LIST_BYTES]) {
  size_t length = 0;
  for (unsigned i = 0; i < TD_COST_COUNT; i++)
    length += (size_t)snprintf(text + length, LIST_BYTES - length, "%s%s=%.6g", i ? "," : "",
                               td_cost_entries[i].name, costs->at[i]);
}

/* Starts the program with its standard output in a pipe, of which *out is the end to read from. */
static int spawn(const struct td_simulation *simulation, pid_t *child, FILE **out) {
  char path[TD_PLACE_BYTES], parent[24], seed[24], seeds[24], waits[24], heap[24],
      markers[LIST_BYTES], costs[LIST_BYTES];
  if (!td_simulate_program(path))
    return td_complain(TD_EXIT_RESOURCES, "simulate: the program tidemark-simulated was not built, "
                                          "or is not beside this one");
  snprintf(parent, sizeof parent, "%lld", (long long)getpid());
  snprintf(seed, sizeof seed, "%" PRIu64, simulation->seed);
  snprintf(seeds, sizeof seeds, "%" PRIu64, simulation->seeds);
  snprintf(waits, sizeof waits, "%u", simulation->waits);
  snprintf(heap, sizeof heap, "%" PRIu64, simulation->heap_max_bytes);
  list_markers(simulation, markers);
  list_costs(simulation->costs, costs);
  char *const arguments[] = {path,
                             parent,
                             (char *)(uintptr_t)simulation->graph,
                             (char *)(uintptr_t)simulation->engines,
                             markers,
                             (char *)(uintptr_t)simulation->policy,
                             seed,
                             seeds,
                             (char *)(uintptr_t)(simulation->warm ? "1" : "0"),
                             waits,
                             (char *)(uintptr_t)simulation->topology,
                             heap,
                             costs,
                             NULL};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return td_complain(TD_EXIT_RESOURCES, "cannot make a pipe: %s", strerror(errno));
  const struct td_child_start start = {
      .arguments = arguments, .in = -1, .out = ends[1], .errors = -1};
  int error = td_child_start(&start, child);
  close(ends[1]);
  *out = error == 0 ? fdopen(ends[0], "r") : NULL;
  if (*out) return TD_EXIT_OK;
  close(ends[0]);
  if (error == 0) td_child_kill(*child);
  return td_complain(TD_EXIT_RESOURCES, "cannot start '%s': %s", path, strerror(errno));
}

static bool read_spent(const char *text, struct td_simulated *row) {
  for (unsigned i = 0; i < TD_SPENT_COUNT; i++) {
    char *end;
    row->spent_ns[i] = strtod(text, &end);
    if (end == text) return false;
    text = end;
  }
  return true;
}

static bool read_row(const char *line, struct td_simulated *row) {
  int end = 0;
  int count = sscanf(
      line,
      "row %31s %u %" SCNu64 " %lf %lf %lf %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
      " %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 "%n",
      row->engine, &row->markers, &row->objects, &row->mark_ns, &row->end_ns, &row->active_ns,
      &row->steals, &row->failed_steals, &row->grants, &row->parks, &row->took_part, &row->accesses,
      &row->lines, &row->transfers, &row->instructions, &row->surprises, &end);
  return count == 16 && read_spent(line + end, row);
}

static int by_time(const void *a, const void *b) {
  double x = ((const struct td_simulated *)a)->mark_ns,
         y = ((const struct td_simulated *)b)->mark_ns;
  return (x > y) - (x < y);
}

/* Of the runs with `count` seeds, the one whose time is the median. */
static struct td_simulated median_of(struct td_simulated *runs, size_t count) {
  qsort(runs, count, sizeof *runs, by_time);
  struct td_simulated median = runs[(count - 1) / 2];
  median.mark_ns_least = runs[0].mark_ns;
  median.mark_ns_most = runs[count - 1].mark_ns;
  return median;
}

/* Waits come before the row that they belong to. */
static bool read_wait(const char *line, struct td_simulated *row) {
  struct td_wait wait;
  unsigned what;
  if (sscanf(line, "wait %" SCNx64 " %u %lf", &wait.address, &what, &wait.ns) != 3) return false;
  wait.what = (enum td_spent)what;
  if (row->waits < TD_WAITS_MOST && what < TD_SPENT_COUNT) row->wait[row->waits++] = wait;
  return true;
}

/* Returns how many rows came, of which there may be `row_count`. `runs` is room for one row's. */
static size_t read_rows(FILE *from, const struct td_simulation *simulation,
                        struct td_simulated *runs, struct td_simulated *rows, size_t row_count) {
  char line[1024], what[96];
  unsigned cores = 1, nodes = 1;
  const size_t seeds = (size_t)simulation->seeds, total = row_count * seeds;
  size_t count = 0;
  snprintf(what, sizeof what, "simulating %.64s", simulation->graph);
  td_progress(what, 0, total);
  while (count < total && fgets(line, sizeof line, from)) {
    if (sscanf(line, "machine %u %u", &cores, &nodes) == 2) continue;
    struct td_simulated *run = &runs[count % seeds];
    if (read_wait(line, run)) continue;
    if (!read_row(line, run)) break;
    run->cores = cores;
    run->nodes = nodes;
    count++;
    if (count % seeds == 0) {
      rows[count / seeds - 1] = median_of(runs, seeds);
      memset(runs, 0, seeds * sizeof *runs);
    }
    td_progress(what, count, total);
  }
  return count / seeds;
}

int td_simulate_run(const struct td_simulation *simulation, struct td_simulated *rows,
                    size_t row_count) {
  pid_t child;
  FILE *from = NULL;
  struct td_simulated *runs = calloc((size_t)simulation->seeds, sizeof *runs);
  if (!runs) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  td_progress_begin();
  int status = spawn(simulation, &child, &from);
  size_t count = status == TD_EXIT_OK ? read_rows(from, simulation, runs, rows, row_count) : 0;
  free(runs);
  if (status != TD_EXIT_OK) return status;
  fclose(from);
  int ended = td_child_wait(child);
  td_progress_end();
  /* It has said itself why it could not. */
  if (WIFEXITED(ended) && WEXITSTATUS(ended) != 0 && ended != -1) return WEXITSTATUS(ended);
  if (ended != 0) return td_child_complain("simulate", ended);
  if (count == row_count) return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES, "simulate: its process told %zu of %zu results", count,
                     row_count);
}
