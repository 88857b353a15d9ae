/* SPDX-License-Identifier: MIT */
/* Included by the compiler in front of each source of the marking loops: a prefetch tells the
 * recorder (recorder.h). The compiler's instrumentation for ThreadSanitizer tells it of loads and
 * stores, so the sources need nothing of their own. */
#ifndef TD_TESTS_ASKED_PREFETCH_H
#define TD_TESTS_ASKED_PREFETCH_H

void recorder_ask(const void *address, ...);
#define __builtin_prefetch(...) recorder_ask(__VA_ARGS__)

#endif
