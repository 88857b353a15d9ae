#include "marker/loop/batch.h"

static uint32_t keep_white(const struct td_view *v, uintptr_t *references, uint32_t count) {
  const uintptr_t marks = v->marks;
  const uint8_t white = v->white;
  uint32_t kept = 0;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t object = references[i];
    uint8_t mark = td_mark_load((const uint8_t *)(marks + (object >> TD_GRANULE_LOG2)));
    references[kept] = object;
    kept += mark == white;
  }
  return kept;
}

static uint32_t drop_marked(const struct td_view *v, uintptr_t *references, uint32_t count) {
  const uintptr_t marks = v->marks;
  const uint8_t epoch = v->epoch;
  uint32_t kept = 0;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t reference = references[i];
    uint8_t mark = td_mark_load((const uint8_t *)(marks + (reference >> TD_GRANULE_LOG2)));
    references[kept] = reference;
    kept += (mark & (TD_DEFERRED - 1)) != epoch;
  }
  return kept;
}

uint32_t td_batch_sift(const struct td_view *v, uintptr_t *references, uint32_t count) {
  return v->words ? drop_marked(v, references, count) : keep_white(v, references, count);
}

void td_batch_fetch(const struct td_view *v, const uintptr_t *references, uint32_t count) {
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++)
    __builtin_prefetch(td_view_mark(v, references[i]), 1);
}
