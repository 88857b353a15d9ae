/* Suspending single threads. */
#ifndef TD_BDWGC_THREADS_SUSPEND_H
#define TD_BDWGC_THREADS_SUSPEND_H

/* In the child of a fork: those who wait to be resumed are not there any more. */
void td_suspend_forget_waiters(void);

#endif
