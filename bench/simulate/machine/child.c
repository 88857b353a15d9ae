/* tidemark-simulate: marks one graph on a simulated machine. The tidemark program starts it, one
 * process per graph, and reads from its standard output one line, then a line per engine and number
 * of markers:
 *   machine CORES NODES
 *   row ENGINE MARKERS OBJECTS MARK_NS END_NS ACTIVE_NS STEALS FAILED GRANTS PARKS TOOK_PART
 *       ACCESSES LINES TRANSFERS SPENT_NS…
 * Arguments: PARENT GRAPH ENGINES MARKERS POLICY SEED TOPOLOGY HEAP_MAX COSTS. Lists are separated
 * by commas; COSTS are NAME=VALUE. What goes wrong is said on standard error. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/cli/complain.h"
#include "bench/simulate/machine/branches.h"
#include "bench/simulate/machine/memory.h"
#include "bench/simulate/machine/report.h"
#include "bench/simulate/machine/threads.h"
#include "bench/simulate/machine/topology.h"
#include "bench/subject/subject.h"
#include "workloads/spec.h"

enum argument { PARENT = 1, GRAPH, ENGINES, MARKERS, POLICY, SEED, TOPOLOGY, HEAP_MAX, COSTS, END };

static struct td_sim_topology topology;

static int read_costs(char *text) {
  td_costs_init(&td_sim_costs);
  for (char *save, *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
    size_t length = strcspn(word, "=");
    enum td_cost cost = td_cost_find(word, length);
    if (cost == TD_COST_COUNT || word[length] != '=')
      return td_complain(TD_EXIT_USAGE, "simulate: no cost '%s'", word);
    td_sim_costs.at[cost] = strtod(word + length + 1, NULL);
  }
  return TD_EXIT_OK;
}

/* Active time, parks, grants: what the markers' own figures add up to. */
static void print_row(const struct td_cycle_record *record, uint64_t objects,
                      struct td_sim_phases phases, struct td_sim_memory_counts counts) {
  uint64_t active = 0, failed = 0, grants = 0, parks = 0;
  unsigned took_part = 0;
  for (unsigned i = 0; i < record->all.markers; i++) {
    const struct tide_marker_stats *m = &record->marker[i];
    active += m->trace_ns + m->roots_ns + m->dense_ns;
    failed += m->failed_steals;
    grants += m->grants;
    parks += m->parks;
    took_part += m->objects > 0;
  }
  printf("row %s %u %" PRIu64 " %.0f %.0f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
         " %u %" PRIu64 " %" PRIu64 " %" PRIu64,
         record->all.engine, record->all.markers, objects, phases.ns, phases.end_ns, active,
         record->all.steals, failed, grants, parks, took_part, counts.accesses, counts.lines,
         counts.transfers);
  for (unsigned i = 0; i < TD_SPENT_COUNT; i++)
    printf(" %.0f", phases.spent_ns[i]);
  putchar('\n');
  fflush(stdout);
}

static int mark(struct td_subject *subject, const char *engine, unsigned markers, bool report) {
  static struct td_cycle_record record;
  uint64_t objects;
  struct td_sim_memory_counts before = td_sim_memory_counts(), after;
  td_sim_take_phases();
  td_sim_memory_forget();
  td_sim_rest();
  td_sim_told = report;
  int status = td_subject_mark(subject, engine, markers, &record, &objects);
  if (status != TD_EXIT_OK) return status;
  after = td_sim_memory_counts();
  after.accesses -= before.accesses;
  after.lines -= before.lines;
  after.transfers -= before.transfers;
  if (report) print_row(&record, objects, td_sim_take_phases(), after);
  return TD_EXIT_OK;
}

/* The first collection starts the helpers and is not told. Memory costs nothing in it. */
static int mark_all(struct td_subject *subject, char *engines, const char *markers) {
  int status = TD_EXIT_OK;
  for (char *save, *engine = strtok_r(engines, ",", &save); engine && status == TD_EXIT_OK;
       engine = strtok_r(NULL, ",", &save)) {
    unsigned most = 0;
    for (const char *at = markers; *at; at += strcspn(at, ","), at += *at == ',') {
      unsigned count = (unsigned)atoi(at);
      if (count > most) most = count;
    }
    status = mark(subject, engine, most, false);
    for (const char *at = markers; *at && status == TD_EXIT_OK;
         at += strcspn(at, ","), at += *at == ',')
      status = mark(subject, engine, (unsigned)atoi(at), true);
  }
  return status;
}

static int simulate(char **argv) {
  const char *wrong = td_sim_topology_read(&topology, argv[TOPOLOGY]);
  if (wrong)
    return td_complain(TD_EXIT_USAGE, "simulate: bad topology '%s': %s", argv[TOPOLOGY], wrong);
  int status = read_costs(argv[COSTS]);
  if (status != TD_EXIT_OK) return status;
  if (!td_sim_memory_begin(&topology, &td_sim_costs))
    return td_complain(TD_EXIT_RESOURCES, "simulate: not enough memory for the machine");
  td_sim_branches_begin(&td_sim_costs);
  struct td_graph_spec spec;
  struct td_graph_error error = {0};
  if (!td_graph_spec_parse(argv[GRAPH], &spec, &error))
    return td_complain((int)error.status, "%s", error.text);
  const struct td_subject_build build = {.heap_max_bytes = strtoull(argv[HEAP_MAX], NULL, 10)};
  struct td_subject subject;
  status = td_subject_create(&spec, &build, &subject);
  if (status != TD_EXIT_OK) return status;
  printf("machine %u %u\n", topology.cores, topology.nodes);
  status = td_subject_set_policy(&subject, argv[POLICY]);
  if (status == TD_EXIT_OK &&
      !td_sim_threads_begin(topology.cores, &td_sim_costs, (uint32_t)atoll(argv[SEED])))
    status = td_complain(TD_EXIT_RESOURCES, "simulate: not enough memory for the threads");
  if (status == TD_EXIT_OK) status = mark_all(&subject, argv[ENGINES], argv[MARKERS]);
  return status; /* the simulated machine is not taken down: the process ends */
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc != END || (pid_t)atoll(argv[PARENT]) != getppid()) {
    fputs("tidemark-simulate: a part of tidemark, which starts it; see tidemark simulate --help\n",
          stderr);
    return TD_EXIT_USAGE;
  }
  int status = simulate(argv);
  fflush(NULL);
  _exit(status);
}
