/* SPDX-License-Identifier: MIT */
/* A marking engine: the marking loop compiled around one kind of queue. */
#ifndef TD_MARKER_BASE_ENGINE_H
#define TD_MARKER_BASE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "marker/queue/list.h"

struct td_marker;

struct td_engine {
  const struct td_queue_entry *queue; /* its name and defaults */
  /* Returns the bytes that the slots of a queue need, 0 if it cannot have that capacity. */
  size_t (*storage_bytes)(uint32_t blocks, uint32_t items);
  size_t queue_bytes;
  size_t owner_bytes;
  void (*init)(struct td_marker *marker, uint32_t blocks, uint32_t items);
  /* After a collection, while all queues are empty and no other thread uses them: the marker's
   * queue goes back to its first storage. */
  void (*shrink)(struct td_marker *marker);
  /* Returns roughly how many items thieves could take from the queue. */
  uint64_t (*size)(const void *queue);
  /* Marks until nothing is left for this marker. `joined` tells whether the marker is active
   * already; it is not any more on return. */
  void (*work)(struct td_marker *marker, bool joined);
};

#endif
