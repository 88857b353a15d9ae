/* SPDX-License-Identifier: MIT */
/* tidemark queue: the queues alone, after §6.2 and Fig. 2 of the BWoS paper (OSDI 2023). */
#include "bench/queue/queue.h"

#include <stdlib.h>

#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "bench/queue/choose.h"
#include "bench/queue/forkjoin/forkjoin.h"
#include "bench/queue/interference.h"
#include "bench/queue/output.h"
#include "bench/queue/plot.h"
#include "bench/queue/shared.h"
#include "bench/queue/single.h"

static int add_cells(struct td_queue_bench *bench) {
  static bool (*const add[])(struct td_queue_bench *) = {
      [TD_QUEUE_SINGLE] = td_queue_single_cells,
      [TD_QUEUE_STOLEN] = td_queue_stolen_cells,
      [TD_QUEUE_POOL] = td_queue_pool_cells,
      [TD_QUEUE_INTERFERENCE] = td_queue_interference_cells,
      [TD_QUEUE_FORKJOIN] = td_forkjoin_cells,
  };
  if (add[bench->experiment](bench)) return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES, "queue: not enough memory");
}

int td_command_queue(int argc, char **argv) {
  struct td_queue_request request;
  int status = td_queue_request_parse(&request, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(request.quiet);
  struct td_queue_bench *bench = calloc(1, sizeof *bench);
  if (!bench) return td_complain(TD_EXIT_RESOURCES, "queue: not enough memory");
  status = td_queue_choose(&request, bench);
  if (status == TD_EXIT_OK) status = add_cells(bench);
  td_noise_begin(&bench->host.noise);
  if (status == TD_EXIT_OK) status = td_queue_bench_measure(bench);
  td_noise_end(&bench->host.noise);
  if (status == TD_EXIT_OK) status = td_queue_print(bench, td_human(request.json));
  if (status == TD_EXIT_OK) status = td_queue_write_json(bench, request.json);
  if (status == TD_EXIT_OK) status = td_queue_plot(bench, request.plot);
  td_queue_bench_free(bench);
  free(bench);
  return status;
}
