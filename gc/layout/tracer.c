/* SPDX-License-Identifier: MIT */
/* The functions that trace functions and root callbacks may call. */
#include "marker/base/tracer.h"
#include "tide/tide.h"

void tide_trace(struct tide_tracer *tracer, const void *reference) {
  uintptr_t word = (uintptr_t)reference;
  if (tracer) tracer->slots(tracer, &word, 1);
}

void tide_trace_range(struct tide_tracer *tracer, void *const *slots, size_t count) {
  if (tracer && slots) tracer->slots(tracer, (const uintptr_t *)slots, count);
}

void tide_trace_conservative(struct tide_tracer *tracer, uintptr_t word) {
  if (tracer) tracer->conservative(tracer, word);
}
