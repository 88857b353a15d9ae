/* SPDX-License-Identifier: MIT */
/* A progress line on stderr, for work that takes more than a second.
 *
 * It is shown only if stderr is a terminal and --quiet was not given, so that logs and pipes stay
 * clean.
 *
 * Threads: all calls come from the main thread. */
#ifndef TD_BENCH_CLI_PROGRESS_H
#define TD_BENCH_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

void td_progress_setup(bool quiet);

/* Work begins, or begins again: the line is shown a second from now at the earliest. */
void td_progress_begin(void);
/* The line may be shown from now on, without waiting for that second. */
void td_progress_at_once(void);
/* Shows that `what` is going on, and that `done` of `total` is done (total 0: unknown). Cheap
 * enough to be called often. */
void td_progress(const char *what, uint64_t done, uint64_t total);
/* Wipes the line. To be called before other text is written to the terminal. */
void td_progress_end(void);

/* For work that cannot tell how far it is: a thread of its own shows the seconds until
 * td_progress_unwatch. Not to be used around measurements. */
void td_progress_watch(const char *what);
void td_progress_unwatch(void);

/* td_progress in the form that workloads/ calls back. The context is not used. */
void td_progress_report(void *context, const char *phase, uint64_t done, uint64_t total);

#endif
