/* SPDX-License-Identifier: MIT */
/* What an import found and left out. */
#ifndef TD_WORKLOADS_IMPORT_SUMMARY_H
#define TD_WORKLOADS_IMPORT_SUMMARY_H

#include <stdint.h>

struct td_import_summary {
  const char *format; /* "hprof", "heapsnapshot" or "thg" */
  uint64_t input_bytes;
  uint64_t output_bytes; /* 0 where nothing was written */
  uint64_t objects;
  uint64_t slots;      /* references, nulls included */
  uint64_t null_slots; /* of these, the dump says null */
  uint64_t dangling;   /* of these, the dump does not hold the target: made null */
  uint64_t roots;      /* kept */
  uint64_t roots_lost; /* root records whose object the dump does not hold: left out */
  uint64_t weak_edges; /* edges left out because the collector would not follow them */
  uint64_t map_edges;  /* V8: edges left out because they stand for an object's header */
  uint64_t heap_bytes; /* sum of object sizes */
};

#endif
