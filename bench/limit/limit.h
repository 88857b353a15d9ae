/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark limit`. */
#ifndef TD_BENCH_LIMIT_LIMIT_H
#define TD_BENCH_LIMIT_LIMIT_H

/* argv[0] is "limit". Returns an exit status. */
int td_command_limit(int argc, char **argv);

#endif
