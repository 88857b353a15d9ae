/* SPDX-License-Identifier: MIT */
#include "workloads/thg_zstd.h"

#include <stdlib.h>
#include <zstd.h>

#include "workloads/thg_error.h"

#define LEVEL 19 /* slow to write, as fast to read as any; graphs are written once */

bool td_thg_zstd_new(struct td_thg_zstd *zstd, const struct td_thg_progress *progress,
                     uint64_t total) {
  *zstd = (struct td_thg_zstd){.compressor = ZSTD_createCCtx(),
                               .packed_bytes = ZSTD_CStreamOutSize(),
                               .progress = progress,
                               .total = total};
  zstd->packed = malloc(zstd->packed_bytes);
  if (!zstd->compressor || !zstd->packed) return false;
  ZSTD_CCtx_setParameter(zstd->compressor, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter(zstd->compressor, ZSTD_c_checksumFlag, 1);
  return true;
}

void td_thg_zstd_free(struct td_thg_zstd *zstd) {
  ZSTD_freeCCtx(zstd->compressor);
  free(zstd->packed);
}

static void pack(void *context, struct td_thg_writer *writer, const uint8_t *raw, size_t bytes,
                 bool first, bool last) {
  struct td_thg_zstd *zstd = context;
  ZSTD_inBuffer in = {.src = raw, .size = bytes};
  size_t left;
  (void)first; /* after the end of a frame the compressor begins a new one by itself */
  do {
    ZSTD_outBuffer out = {.dst = zstd->packed, .size = zstd->packed_bytes};
    left = ZSTD_compressStream2(zstd->compressor, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) {
      td_thg_writer_fail(writer, TD_THG_WRITER_MEMORY, ZSTD_getErrorName(left));
      return;
    }
    td_thg_writer_store(writer, zstd->packed, out.pos);
  } while (last ? left > 0 : in.pos < in.size);
  zstd->done += bytes;
  td_thg_report(zstd->progress, "compressing", zstd->done < zstd->total ? zstd->done : zstd->total,
                zstd->total);
}

struct td_thg_sink td_thg_zstd_sink(struct td_thg_zstd *zstd) {
  return (struct td_thg_sink){pack, zstd};
}
