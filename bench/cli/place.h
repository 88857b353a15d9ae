/* Finds files that were built or installed together with the program. */
#ifndef TD_BENCH_CLI_PLACE_H
#define TD_BENCH_CLI_PLACE_H

/* Returns the first of the candidates that exists, as a path to be freed, or NULL. A relative
 * candidate is taken from the folder that holds the running program. The list ends with NULL. */
char *td_place_find(const char *candidate, ...) __attribute__((sentinel));

#endif
