/* SPDX-License-Identifier: MIT */
/* What the command line of `tidemark queue` asks for, as it was typed. */
#ifndef TD_BENCH_QUEUE_REQUEST_H
#define TD_BENCH_QUEUE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/cli/args.h"

struct td_queue_request {
  const char *experiment, *json, *plot;
  struct td_words engines, patterns, policies;
  struct td_reals stolen, balance, tasks;
  struct td_numbers frequencies, batches;
  uint64_t threads, rounds, blocks, entries, depth;
  double run_ms;
  bool quiet;
};

/* Returns TD_ARGS_GO_ON, or the exit status to return at once. */
int td_queue_request_parse(struct td_queue_request *request, int argc, char **argv);

#endif
