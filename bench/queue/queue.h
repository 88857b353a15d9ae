/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark queue`. */
#ifndef TD_BENCH_QUEUE_QUEUE_H
#define TD_BENCH_QUEUE_QUEUE_H

/* argv[0] is "queue". Returns an exit status. */
int td_command_queue(int argc, char **argv);

#endif
