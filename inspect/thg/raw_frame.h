/* SPDX-License-Identifier: MIT */
/* A sink for .thg files that needs no compressor.
 *
 * The format wants each stream as a zstd frame. A frame need not compress: these are made of raw
 * blocks, and of blocks that repeat one byte (RFC 8878, 3.1.1.2). The program compresses such a
 * file when asked to. */
#ifndef TD_INSPECT_THG_RAW_FRAME_H
#define TD_INSPECT_THG_RAW_FRAME_H

#include "inspect/thg/writer.h"

extern const struct td_thg_sink td_thg_raw_frames;

#endif
