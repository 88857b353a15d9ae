/* SPDX-License-Identifier: MIT */
/* Finds files that were built or installed together with the program. */
#ifndef TD_BENCH_CLI_PLACE_H
#define TD_BENCH_CLI_PLACE_H

#include <stdbool.h>

#define TD_PLACE_BYTES 8192

/* Finds the first of the candidates that exists and writes its path. A relative candidate is taken
 * from the folder that holds the running program. The list ends with NULL. Returns false if there
 * is none; memory is not needed to know that. */
bool td_place_find(char path[TD_PLACE_BYTES], const char *candidate, ...) __attribute__((sentinel));

#endif
