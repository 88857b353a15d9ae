/* SPDX-License-Identifier: MIT */
/* Knobs that a program rarely has a reason to touch: the marking queue, whom idle markers steal
 * from. The defaults are what measured best. */
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
  double adaptive_cost;       /* TIDE_SIZING_ADAPTIVE: MemBalancer's c per MiB, over 0. Smaller
                               * trades memory for time. */
};
TIDE_API void tide_advanced_options_init(struct tide_advanced_options *options);

/* Chooses the marking queue. This and the next wait and count as the settings in tide.h.
 *   TIDE_ERROR_ARGUMENT  no such engine, or one for one marker where the heap has more */
TIDE_API enum tide_status tide_heap_set_engine(struct tide_heap *heap, const char *name,
                                               struct tide_error *error);
/* Chooses from whose queue a marker without work tries to steal. The library does not know where
 * its markers run, so "numa" and "numa+prob" choose like "random" and "random+prob"; error->text
 * says so, with TIDE_OK.
 *   TIDE_ERROR_ARGUMENT  no such policy */
TIDE_API enum tide_status tide_heap_set_policy(struct tide_heap *heap, const char *name,
                                               struct tide_error *error);

/* Return the names and one-line descriptions of the marking queues, and the names of the policies,
 * index from 0; NULL past the last. */
TIDE_API const char *tide_engine_name(size_t index);
TIDE_API const char *tide_engine_text(size_t index);
TIDE_API const char *tide_policy_name(size_t index);
TIDE_END
#endif
