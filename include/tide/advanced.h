/* Knobs for research and tuning: the marking queue, whom idle markers steal from, and what else a
 * program rarely has a reason to touch. The defaults are what measured best. */
#ifndef TIDE_ADVANCED_H
#define TIDE_ADVANCED_H

#include "tide/tide.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero in any field stands for the default. Call tide_advanced_options_init first: it keeps
 * programs working that were compiled with an older header. tide_options.advanced points to this
 * structure, which tide_heap_create only reads. */
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

/* Chooses the marking queue for the following collections. Waits for a collection to end.
 *
 *   TIDE_ERROR_ARGUMENT  heap or name is NULL, or there is no such engine
 *   TIDE_ERROR_ARGUMENT  the engine is for one marker, and the heap has more
 *   TIDE_ERROR_MEMORY    no memory for its queues; all is as before
 *   TIDE_ERROR_STATE     in a callback */
TIDE_API enum tide_status tide_heap_set_engine(struct tide_heap *heap, const char *name,
                                               struct tide_error *error);

/* Chooses from whose queue a marker without work tries to steal, for the following collections.
 * Waits for a collection to end. The library does not know where its markers run, so "numa" and
 * "numa+prob" choose like "random" and "random+prob"; error->text says so, with TIDE_OK.
 *   TIDE_ERROR_ARGUMENT  heap or name is NULL, or no such policy
 *   TIDE_ERROR_STATE     in a callback */
TIDE_API enum tide_status tide_heap_set_policy(struct tide_heap *heap, const char *name,
                                               struct tide_error *error);

/* Return the names and one-line descriptions of the marking queues, and the names of the policies,
 * index from 0; NULL past the last. */
TIDE_API const char *tide_engine_name(size_t index);
TIDE_API const char *tide_engine_text(size_t index);
TIDE_API const char *tide_policy_name(size_t index);

#ifdef __cplusplus
}
#endif

#endif
