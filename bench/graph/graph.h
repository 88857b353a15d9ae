/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark graph`. */
#ifndef TD_BENCH_GRAPH_GRAPH_H
#define TD_BENCH_GRAPH_GRAPH_H

/* argv[0] is "graph". Returns an exit status. */
int td_command_graph(int argc, char **argv);

#endif
