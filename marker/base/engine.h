/* A marking engine: the marking loop compiled around one kind of queue. */
#ifndef TD_MARKER_BASE_ENGINE_H
#define TD_MARKER_BASE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_marker;

struct td_engine {
  const char *name;
  const char *text;
  uint32_t blocks, items; /* default capacity of a queue: `blocks` times `items` */
  bool alone;             /* marks with one marker only */
  /* Returns the bytes that the slots of a queue need, 0 if it cannot have that capacity. */
  size_t (*storage_bytes)(uint32_t blocks, uint32_t items);
  size_t queue_bytes;
  size_t owner_bytes;
  void (*init)(struct td_marker *marker, uint32_t blocks, uint32_t items);
  /* Marks until nothing is left for this marker. `joined` tells whether the marker is active
   * already; it is not any more on return. */
  void (*work)(struct td_marker *marker, bool joined);
};

#endif
