/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark compare`. */
#ifndef TD_BENCH_COMPARE_COMPARE_H
#define TD_BENCH_COMPARE_COMPARE_H

/* argv[0] is "compare". Returns an exit status. */
int td_command_compare(int argc, char **argv);

#endif
