/* SPDX-License-Identifier: MIT */
/* What must not outlive the program when a signal ends it: temporary files and child processes.
 *
 * The signals that usually end a program kill the children and remove the files that are noted
 * here, and then end the program as they would have without this. A signal that was ignored when
 * the program started stays ignored.
 * Threads: all calls come from the main thread. Others begin with the signals held (see
 * td_cleanup_hold), so that the handler runs on the main thread only. */
#ifndef TD_BENCH_CLI_CLEANUP_H
#define TD_BENCH_CLI_CLEANUP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Installs the handlers. */
void td_cleanup_setup(void);

/* Holds the signals back, and lets them come again: around making something and noting it, and
 * around starting threads. Calls pair up and do not nest. */
void td_cleanup_hold(sigset_t *before);
void td_cleanup_release(const sigset_t *before);

/* Notes what is there, and that it is no longer. The path must stay until it is forgotten.
 * Returns false if too many are noted already. */
bool td_cleanup_note_file(const char *path);
void td_cleanup_forget_file(const char *path);
bool td_cleanup_note_child(pid_t child);
void td_cleanup_forget_child(pid_t child);

#endif
