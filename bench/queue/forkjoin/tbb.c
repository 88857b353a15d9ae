/* SPDX-License-Identifier: MIT */
#include "bench/queue/forkjoin/tbb.h"

#include <stddef.h>

#ifdef TD_HAVE_TBB

static size_t no_storage(uint32_t blocks, uint32_t entries) {
  (void)blocks, (void)entries;
  return 1;
}

static const struct td_queue_kind tbb = {.name = "tbb", .storage_bytes = no_storage};

const struct td_queue_kind *td_forkjoin_tbb(void) {
  return &tbb;
}

#else

const struct td_queue_kind *td_forkjoin_tbb(void) {
  return NULL;
}

uint64_t td_forkjoin_tbb_run(unsigned threads, unsigned depth, uint64_t steps, uint64_t trees,
                             uint64_t *ns) {
  (void)threads, (void)depth, (void)steps, (void)trees, (void)ns;
  return 0;
}

#endif
