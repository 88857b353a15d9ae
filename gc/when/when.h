/* What decides when to collect. */
#ifndef TD_GC_WHEN_WHEN_H
#define TD_GC_WHEN_WHEN_H

#include <stddef.h>

#include "gc/when/sizing.h"
#include "gc/when/youth.h"

struct td_when {
  /* Under the space's lock. */
  struct td_sizing policy;
  size_t external_bytes; /* that the program has told of: tide_external_add */

  /* Under the world's lock. */
  uint64_t ended_ns;         /* when the last collection ended */
  uint64_t allocated_before; /* bytes allocated before it */
  /* Since the last full collection: time of mutators, and bytes that were allocated and, as far as
   * one knows, live. Of the latter those that came since the last collection of any kind. */
  uint64_t mutator_ns, grown_bytes, growth_now;
  struct td_youth youth;
};

#endif
