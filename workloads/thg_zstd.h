/* SPDX-License-Identifier: MIT */
/* The sink that compresses the streams of a .thg file (inspect/thg/writer.h). */
#ifndef TD_WORKLOADS_THG_ZSTD_H
#define TD_WORKLOADS_THG_ZSTD_H

#include "inspect/thg/writer.h"
#include "workloads/thg.h"

struct td_thg_zstd {
  void *compressor; /* ZSTD_CCtx */
  uint8_t *packed;
  size_t packed_bytes;
  const struct td_thg_progress *progress;
  uint64_t done, total; /* bytes of numbers, for progress */
};

/* false: no memory. To be freed in either case. progress may be NULL. */
bool td_thg_zstd_new(struct td_thg_zstd *zstd, const struct td_thg_progress *progress,
                     uint64_t total);
void td_thg_zstd_free(struct td_thg_zstd *zstd);

/* For as long as zstd lives. */
struct td_thg_sink td_thg_zstd_sink(struct td_thg_zstd *zstd);

#endif
