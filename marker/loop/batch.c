/* SPDX-License-Identifier: MIT */
#include "marker/loop/batch.h"

/* `words`, a constant: what leads to no object's beginning stays as well. */
TD_INLINE uint32_t sift(const struct td_view *v, uintptr_t *references, uint32_t count,
                        bool words) {
  const uintptr_t marks = v->marks;
  const uint8_t epoch = v->epoch, white = v->white;
  uint32_t kept = 0;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t reference = references[i];
    uint8_t mark = td_mark_load((const uint8_t *)(marks + (reference >> TD_GRANULE_LOG2)));
    references[kept] = reference;
    kept += words ? (mark & (TD_DEFERRED - 1)) != epoch : mark == white;
  }
  return kept;
}

uint32_t td_batch_sift(const struct td_view *v, uintptr_t *references, uint32_t count) {
  return v->words ? sift(v, references, count, true) : sift(v, references, count, false);
}

void td_batch_fetch(const struct td_view *v, const uintptr_t *references, uint32_t count) {
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++)
    __builtin_prefetch(td_view_mark(v, references[i]), 1);
}
