/* SPDX-License-Identifier: MIT */
/* How the drop-in gets over a fork. */
#ifndef TD_BDWGC_THREADS_FORK_H
#define TD_BDWGC_THREADS_FORK_H

/* Once there is a heap. Ends the process if there are no fork handlers. */
void td_fork_start(void);

#endif
