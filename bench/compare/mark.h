/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark mark`. */
#ifndef TD_BENCH_COMPARE_MARK_H
#define TD_BENCH_COMPARE_MARK_H

/* argv[0] is "mark". Returns an exit status. */
int td_command_mark(int argc, char **argv);

#endif
