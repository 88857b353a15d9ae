/* Where the parts of a root set hand over what they find. Code that gathers roots fills the
 * functions in and embeds the structure as the first member of its own state. */
#ifndef TD_GC_THREADS_MUTATOR_SINK_H
#define TD_GC_THREADS_MUTATOR_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "marker/marker.h"

/* Words that are copied at once. */
#define TD_SINK_WORDS 512u

struct td_root_sink {
  /* `count` words from `start` on, which stay as they are until marking is over. A count of 0 is
   * allowed. */
  void (*span)(struct td_root_sink *sink, enum td_span_kind kind, const void *start, size_t count);
  /* Returns room for TD_SINK_WORDS words, into which candidates are copied from memory that will
   * not stay. `copied` then says how many there are. */
  uintptr_t *(*room)(struct td_root_sink *sink);
  void (*copied)(struct td_root_sink *sink, size_t count);
};

#endif
