/* SPDX-License-Identifier: MIT */
/* What an engine must define before it includes marker/loop/loop.h, which is compiled once around
 * each kind of queue:
 *
 *   QUEUE       struct QUEUE is the shared part of a queue
 *   Q(name)     its functions, and struct Q(owner): see marker/queue/contract.h
 *   owned(o)    a function: roughly how many items the owner could share
 *
 * All headers that include this one are parts of that template. */
#ifndef TD_MARKER_LOOP_PARAMETERS_H
#define TD_MARKER_LOOP_PARAMETERS_H

#ifndef Q
#error "define QUEUE, Q(name) and owned() first: marker/loop/ is a template"
#endif

#include <stdint.h>

_Static_assert(__builtin_types_compatible_p(__typeof__(owned), uint64_t(const struct Q(owner) *)),
               "owned must be uint64_t owned(const struct Q(owner) *)");

#endif
