/* SPDX-License-Identifier: MIT */
/* Threads that are stopped by a signal, wherever they are.
 *
 * The stopper sets the bits as for others (gc/threads/stop/safe.h) and then sends the signal. The
 * handler finds the thread inside Tidemark    It returns at once; the thread answers when it leaves
 * (gc/threads/inside.h). anywhere else      It makes the thread stand still, in all its heaps, and
 * returns when that is over. The interrupted registers lie on the stack, above the handler's frame.
 *                      The mutators are marked as interrupted: inlined code may be about to take a
 *                      cell, so their runs are held, not retired (heap/cells/run.h).
 *   stopped for fork   fork takes malloc's locks afterwards, so a thread inside malloc must go on.
 *                      The handler only closes the library's door: the thread runs on, and waits at
 *                      its next call of Tidemark. Inlined code finds no runs meanwhile. */
#ifndef TD_GC_THREADS_STOP_SIGNAL_H
#define TD_GC_THREADS_STOP_SIGNAL_H

#include "gc/state/heap.h"

/* Makes sure that the signal is ours, and that the calling thread can be stopped by it. Returns its
 * number; or 0, and fills in the error. `function` is what the embedder called. */
int td_signal_enroll(const char *function, struct tide_error *error);
/* A mutator that had joined is no more. */
void td_signal_leave(void);
/* Before the library may be unloaded: no thread has joined. */
void td_signal_close(void);
/* Around a fork: no thread joins or leaves. */
void td_signal_hold(void);
void td_signal_let_go(void);

/* All mutators of the calling thread are subject to the signal from now on. */
void td_signal_bind_thread(void);

#endif
