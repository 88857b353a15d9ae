/* SPDX-License-Identifier: MIT */
/* What an instruction costs: as much as makes the simulation of small graphs take as long as this
 * machine does. The graphs fit the core's own cache and one marker marks them, so that work is what
 * takes time. The other costs have been measured.
 *
 * The time of a graph is instructions × instruction_ns + the rest, which the simulation tells.
 * Least squares of relative errors over the graphs give it. The rest hangs on it a little, so it is
 * done three times. Others may slow the machine down for a second: graphs are marked in several
 * passes, of which the fastest counts. */
#include <math.h>

#include "bench/cli/complain.h"
#include "bench/simulate/measure.h"
#include "bench/simulate/run.h"
#include "bench/simulate/validate.h"
#include "bench/subject/graphs.h"

#define PASSES 12u
#define ROUNDS 12u
#define STEPS 3u

static const char *const graphs[] = {
    "tree:depth=12",     "tree:depth=12,order=shuffled",
    "random:objects=4K", "lists:count=100,length=50",
    "wide:leaves=8K",    "map:entries=2K",
};
#define GRAPHS (sizeof graphs / sizeof graphs[0])

static const uint64_t one = 1;

static int measure(const char *text, double *ns) {
  struct td_graph_spec spec;
  struct td_graph_error error = {0};
  if (!td_graph_spec_parse(text, &spec, &error))
    return td_complain((int)error.status, "%s", error.text);
  static const char *const engine[] = {"bwos"};
  const struct td_real_marking marking = {.spec = &spec,
                                          .engines = engine,
                                          .engine_count = 1,
                                          .markers = &one,
                                          .marker_count = 1,
                                          .rounds = ROUNDS,
                                          .policy = "random"};
  return td_mark_really(&marking, ns);
}

static int simulate(const char *text, const struct td_costs *costs, struct td_simulated *row) {
  char topology[TD_TOPOLOGY_BYTES];
  td_costs_topology(costs, topology);
  const struct td_simulation simulation = {.graph = text,
                                           .engines = "bwos",
                                           .policy = "random",
                                           .topology = topology,
                                           .markers = &one,
                                           .marker_count = 1,
                                           .seed = 1,
                                           .seeds = 1,
                                           .warm = true,
                                           .costs = costs};
  return td_simulate_run(&simulation, row, 1);
}

int td_costs_calibrate(struct td_costs *costs) {
  double measured[GRAPHS];
  int status = TD_EXIT_OK;
  for (size_t g = 0; g < GRAPHS; g++)
    measured[g] = INFINITY;
  for (unsigned pass = 0; pass < PASSES; pass++)
    for (size_t g = 0; g < GRAPHS && status == TD_EXIT_OK; g++) {
      double ns = INFINITY;
      status = measure(graphs[g], &ns);
      measured[g] = fmin(measured[g], ns);
    }
  for (unsigned step = 0; step < STEPS && status == TD_EXIT_OK; step++) {
    double squares = 0, products = 0;
    for (size_t g = 0; g < GRAPHS && status == TD_EXIT_OK; g++) {
      struct td_simulated row = {0};
      status = simulate(graphs[g], costs, &row);
      double work = (double)row.instructions * costs->at[TD_COST_instruction_ns];
      double left = (measured[g] - (row.mark_ns - work)) / measured[g];
      double instructions = (double)row.instructions / measured[g];
      squares += instructions * instructions;
      products += instructions * left;
    }
    costs->at[TD_COST_instruction_ns] = products / squares;
  }
  return status;
}
