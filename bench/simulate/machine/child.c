/* SPDX-License-Identifier: MIT */
/* tidemark-simulated: marks one graph on a simulated machine. tidemark-simulate starts it, one
 * process per graph, and reads from its standard output one line, then a line per engine, number of
 * markers and seed:
 *   machine CORES NODES
 *   wait ADDRESS KIND NS
 *   row ENGINE MARKERS OBJECTS MARK_NS END_NS ACTIVE_NS STEALS FAILED GRANTS PARKS TOOK_PART
 *       ACCESSES LINES TRANSFERS INSTRUCTIONS SURPRISES SPENT_NS…
 * A row comes after its WAITS longest waits: the place in the program, enum td_spent, nanoseconds.
 * Arguments: PARENT GRAPH ENGINES MARKERS POLICY SEED SEEDS WARM WAITS TOPOLOGY HEAP_MAX COSTS.
 * SEEDS seeds from SEED on. WARM: 1 if caches keep what the collection before has left there. Lists
 * are separated by commas; COSTS are NAME=VALUE. What goes wrong is said on standard error. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/cli/complain.h"
#include "bench/simulate/machine/branches.h"
#include "bench/simulate/machine/code.h"
#include "bench/simulate/machine/memory.h"
#include "bench/simulate/machine/report.h"
#include "bench/simulate/machine/row.h"
#include "bench/simulate/topology.h"
#include "bench/subject/subject.h"
#include "workloads/spec.h"

enum argument {
  PARENT = 1,
  GRAPH,
  ENGINES,
  MARKERS,
  POLICY,
  SEED,
  SEEDS,
  WARM,
  WAITS,
  TOPOLOGY,
  HEAP_MAX,
  COSTS,
  END
};

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

/* A row for each engine, number of markers and seed, in this order. */
static int mark_all(struct td_subject *subject, char **argv) {
  const uint32_t first = (uint32_t)atoll(argv[SEED]), count = (uint32_t)atoll(argv[SEEDS]);
  int status = TD_EXIT_OK;
  for (char *save, *engine = strtok_r(argv[ENGINES], ",", &save); engine && status == TD_EXIT_OK;
       engine = strtok_r(NULL, ",", &save))
    for (const char *at = argv[MARKERS]; *at && status == TD_EXIT_OK;
         at += strcspn(at, ","), at += *at == ',')
      for (uint32_t i = 0; i < count && status == TD_EXIT_OK; i++)
        status = td_sim_row(&(struct td_sim_row){.subject = subject,
                                                 .topology = &topology,
                                                 .engine = engine,
                                                 .markers = (unsigned)atoi(at),
                                                 .warm = *argv[WARM] == '1',
                                                 .seed = first + i,
                                                 .waits = (unsigned)atoi(argv[WAITS])});
  return status;
}

static int simulate(char **argv) {
  const char *wrong = td_sim_topology_read(&topology, argv[TOPOLOGY]);
  if (wrong)
    return td_complain(TD_EXIT_USAGE, "simulate: bad topology '%s': %s", argv[TOPOLOGY], wrong);
  td_sim_cpus = topology.cores;
  int status = read_costs(argv[COSTS]);
  if (status != TD_EXIT_OK) return status;
  if (!td_sim_code_begin() || !td_sim_memory_begin(&topology, &td_sim_costs))
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
  return status == TD_EXIT_OK ? mark_all(&subject, argv) : status; /* then the process ends */
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc != END || (pid_t)atoll(argv[PARENT]) != getppid()) {
    fputs("tidemark-simulated: a part of tidemark-simulate, which starts it\n", stderr);
    return TD_EXIT_USAGE;
  }
  int status = simulate(argv);
  fflush(NULL);
  _exit(status);
}
