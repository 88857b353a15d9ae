/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark bdwgc-bench`. */
#ifndef TD_BENCH_BDWGC_BDWGC_H
#define TD_BENCH_BDWGC_BDWGC_H

/* argv[0] is "bdwgc-bench". Returns an exit status. */
int td_command_bdwgc_bench(int argc, char **argv);

#endif
