/* SPDX-License-Identifier: MIT */
/* Static probes (USDT), which bpftrace, perf and SystemTap find in the library under the provider
 * "tidemark". docs/tracing.md lists them.
 *
 * A probe is one no-op instruction and a note in the file until a tracer attaches to it. Without
 * <sys/sdt.h> (Debian: systemtap-sdt-dev) there are none. Arguments must have no side effects,
 * because they may not be evaluated. */
#ifndef TD_PLATFORM_PROBES_H
#define TD_PLATFORM_PROBES_H

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define TD_PROBE1(name, a) DTRACE_PROBE1(tidemark, name, a)
#define TD_PROBE2(name, a, b) DTRACE_PROBE2(tidemark, name, a, b)
#define TD_PROBE3(name, a, b, c) DTRACE_PROBE3(tidemark, name, a, b, c)
#else
#define TD_PROBE1(name, a) ((void)(a))
#define TD_PROBE2(name, a, b) ((void)(a), (void)(b))
#define TD_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif
