/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark gcbench`. */
#ifndef TD_BENCH_GCBENCH_GCBENCH_H
#define TD_BENCH_GCBENCH_GCBENCH_H

/* argv[0] is "gcbench". Returns an exit status. */
int td_command_gcbench(int argc, char **argv);

#endif
