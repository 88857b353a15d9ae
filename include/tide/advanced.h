/* SPDX-License-Identifier: MIT */
/* Knobs rarely touched: the marking queue, whom idle markers steal from. Defaults measured best. */
#ifndef TIDE_ADVANCED_H
#define TIDE_ADVANCED_H
#include "tide/tide.h"

TIDE_BEGIN
/* As tide_options, whose field `advanced` points to this. tide_heap_create only reads it. */
struct tide_advanced_options {
  size_t struct_size;         /* set by tide_advanced_options_init */
  const char *engine;         /* see tide_engine_name; default TIDE_ENGINE, else "bwos" */
  const char *policy;         /* see tide_policy_name; default TIDE_POLICY, else "random" */
  uint32_t queue_blocks;      /* a power of two, at least 2; default by engine */
  uint32_t queue_block_items; /* a power of two, at least 2; default by engine */
  double adaptive_cost;       /* MemBalancer's c per MiB, over 0: smaller trades memory for time */
};
TIDE_API void tide_advanced_options_init(struct tide_advanced_options *options);

/* Chooses the marking queue. This and the next wait and count as the settings in tide.h.
 *   TIDE_ERROR_ARGUMENT  no such engine, or one for one marker where the heap has more */
TIDE_API enum tide_status tide_heap_set_engine(struct tide_heap *heap, const char *name,
                                               struct tide_error *error);
/* Chooses from whose queue a marker without work tries to steal.
 *   TIDE_ERROR_ARGUMENT  no such policy */
TIDE_API enum tide_status tide_heap_set_policy(struct tide_heap *heap, const char *name,
                                               struct tide_error *error);

/* Return the queues' names and descriptions, and the policies' names, from 0 on; then NULL. */
TIDE_API const char *tide_engine_name(size_t index);
TIDE_API const char *tide_engine_text(size_t index);
TIDE_API const char *tide_policy_name(size_t index);
TIDE_END
#endif
