/* SPDX-License-Identifier: MIT */
/* The memory that marking a graph must touch, in the order of a traversal: what the oracle replays.
 *
 * A tape is a list of touches of four bytes each: the granule (16 bytes) of a line, and what is
 * done there. An object without references is marked and never read. Any other object is marked and
 * read line by line up to its last reference, or to its end if it is conservative: all but leaves
 * are then. Addresses are those of the objects on their Tidemark heap, which must not change while
 * the tape is in use. */
#ifndef TD_BENCH_LIMIT_TAPE_H
#define TD_BENCH_LIMIT_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/subject/subject.h"
#include "workloads/spec.h"

/* The replay touches what a marker touches: depth first, and a mark byte for every reference. */
enum td_tape_order { TD_TAPE_DEPTH_FIRST, TD_TAPE_ADDRESS, TD_TAPE_REPLAY, TD_TAPE_ORDERS };
extern const char *const td_tape_order_names[TD_TAPE_ORDERS];

#define TD_TOUCH_GRANULE UINT32_C(0x3FFFFFFF)
#define TD_TOUCH_LEAF UINT32_C(0x40000000) /* mark, do not read */
#define TD_TOUCH_MORE UINT32_C(0x80000000) /* a further line of an object: read, do not mark */
#define TD_TOUCH_GRANULE_BYTES 16u
#define TD_TAPE_AHEAD_MAX 64u

struct td_tape {
  uint32_t *touch; /* [count], and TD_TAPE_AHEAD_MAX more that may be looked at */
  size_t count;
};

struct td_tapes {
  uintptr_t base;   /* of granule 0 */
  size_t granules;  /* all are below this */
  uint64_t objects; /* live objects, each marked once */
  uint64_t lines;   /* lines that are read */
  struct td_tape order[TD_TAPE_ORDERS];
};

/* Remembers the address of each object while a graph is built on the subject. */
struct td_places {
  struct td_graph_sink inner; /* the sink that calls are passed on to */
  uintptr_t *at;              /* addresses, in the order of allocation */
  size_t count, capacity;
  bool conservative; /* so are the objects: the caller says */
  bool failed;       /* memory ran out */
};
/* Wraps a sink; for td_subject_create. */
void td_places_wrap(void *places, struct td_graph_sink *sink);
void td_places_free(struct td_places *places);

/* Traverses a recording of the graph that was built at these places. Returns 0, or an exit status
 * after saying why not. */
int td_tapes_make(const struct td_graph_spec *spec, const struct td_places *places,
                  struct td_tapes *tapes);
/* Frees the tapes. The counts stay. */
void td_tapes_end(struct td_tapes *tapes);

#endif
