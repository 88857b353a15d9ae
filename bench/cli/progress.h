/* A progress line on stderr, for work that takes more than a second.
 *
 * Shown only if stderr is a terminal and nobody said --quiet; so logs and pipes stay clean.
 * Threads: all calls come from the main thread. */
#ifndef TD_BENCH_CLI_PROGRESS_H
#define TD_BENCH_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

void td_progress_setup(bool quiet);

/* Work begins (again): the second before anything is shown starts to count. */
void td_progress_begin(void);
/* Shows the line from now on, without that second. */
void td_progress_at_once(void);
/* `what` is doing, done out of total (0: unknown). Cheap when called often. */
void td_progress(const char *what, uint64_t done, uint64_t total);
/* Wipes the line. To be called before other text goes to the terminal. */
void td_progress_end(void);

/* For work that cannot tell how far it is: shows the seconds from a thread of its own until
 * td_progress_unwatch. Not around anything that is measured. */
void td_progress_watch(const char *what);
void td_progress_unwatch(void);

/* The same shape as the callbacks of workloads/: context is not used. */
void td_progress_report(void *context, const char *phase, uint64_t done, uint64_t total);

#endif
