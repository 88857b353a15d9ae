/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark import`. */
#ifndef TD_BENCH_IMPORT_IMPORT_H
#define TD_BENCH_IMPORT_IMPORT_H

/* argv[0] is "import". Returns an exit status. */
int td_command_import(int argc, char **argv);

#endif
