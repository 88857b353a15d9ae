/* SPDX-License-Identifier: MIT */
#include "bench/queue/request.h"

#include "bench/cli/options.h"
#include "bench/queue/bench.h"
#include "bench/queue/forkjoin/tree.h"

static const char details[] =
    "single        one thread. Patterns: fill-drain, and a collector's gets and puts, foreseeable\n"
    "              (gc-predictable) or not (gc-random); each with the owner's cursor in a local\n"
    "              variable and in memory\n"
    "stolen        an owner that fills and drains, a thief that takes its percentage\n"
    "pool          half of N threads own, the others steal; at balance 100 every thread\n"
    "              handles as many items, at 0 nobody steals\n"
    "interference  the owner's throughput while a second thread steals (pattern steals) or asks\n"
    "              for sizes (sizes), --frequency times a second; and two threads on one or 64\n"
    "              cache lines (store-1-line, store-64-lines, add-1-line, add-64-lines)\n"
    "forkjoin      a small scheduler over each queue: a task of depth D works, spawns tasks of "
    "depths\n"
    "              0 to D - 1 and waits for them; 1, 2, 4, … N threads. tbb is oneTBB's "
    "task_group\n"
    "stolen and pool end with BWoS against its best rival, in each row and apart for owners that "
    "get\n"
    "the newest item (the paper's Fig. 10) and the oldest (Fig. 11).\n"
    "Ratios are to serial, a plain array stack, in the same rounds. Runs in which a thread lost\n"
    "its CPU are discarded, counted and repeated. Every run checks that what came out is what\n"
    "went in; exit status 1 if not.";

int td_queue_request_parse(struct td_queue_request *r, int argc, char **argv) {
  *r = (struct td_queue_request){.rounds = 15, .blocks = 64, .entries = 128, .run_ms = 2};
  const struct td_option options[] = {
      td_option_word("experiment", "X", &r->experiment,
                     "single, stolen, pool, interference or forkjoin"),
      td_option_engines(&r->engines, "queues (default: all; in pool: bwos,abp; in forkjoin: those "
                                     "that give the newest, and tbb)"),
      td_option_words("pattern", "P[,P…]", &r->patterns,
                      "of single and interference (default: all)"),
      td_option_reals("stolen", "PERCENT[,…]", &r->stolen, 0, 100,
                      "of stolen: the thief's part of the items (default: 0,1,2,5,10,15,20,25,30)"),
      td_option_reals("balance", "PERCENT[,…]", &r->balance, 0, 100,
                      "of pool: how evenly stealing spreads the items (default: 0,10,50,100)"),
      td_option_words(
          "policy", "V[,V…]", &r->policies,
          "of pool: victim choice (default: random); random, sequential, last, best-of-two, "
          "best-of-many, numa, random+prob or numa+prob"),
      td_option_numbers("frequency", "F[,F…]", &r->frequencies, 0, 1e9,
                        "of interference: events per second (default: 0,10K,100K,1M,10M)"),
      td_option_reals("task", "NS[,NS…]", &r->tasks, 0, 1e7,
                      "of forkjoin: work in each task (default: 0,50,200,1000)"),
      td_option_number("depth", "D", &r->depth, 1, TD_TREE_DEPTH_MAX,
                       "of forkjoin: 2^D tasks in a tree (default: 12)"),
      td_option_number("threads", "N", &r->threads, 1, 100000,
                       "of pool: threads, from 2 to the CPUs allowed (default: all of them); of "
                       "forkjoin: 1 to 256"),
      td_option_number("blocks", "B", &r->blocks, 1, UINT32_MAX,
                       "blocks of a queue, a power of two"),
      td_option_number("entries", "E", &r->entries, 1, UINT32_MAX,
                       "items of a block, a power of two"),
      td_option_numbers("batch", "N[,N…]", &r->batches, 1, TD_QUEUE_BATCH_MAX,
                        "of stolen and pool: most items that a thief takes at once (default: 32)"),
      td_option_rounds(&r->rounds, "runs per row"),
      td_option_run_ms(&r->run_ms, "how long a run takes, about"),
      td_option_json(&r->json, "the rows as JSON"),
      td_option_plot(&r->plot),
      td_option_quiet(&r->quiet),
  };
  const struct td_usage usage = {
      .command = "queue",
      .summary =
          "Measures the queues alone, as the BWoS paper (OSDI 2023) does in §6.2 and Fig. 2.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .details = details,
  };
  return td_args_parse(&usage, argc, argv);
}
