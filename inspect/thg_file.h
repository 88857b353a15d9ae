/* The graph file (.thg, docs/thg-format.md) as the library writes it: streams of numbers, one after
 * the other, then the header in front of them.
 *
 * The format wants each stream as a zstd frame. A frame need not compress: these are made of raw
 * blocks, and of blocks that repeat one byte, so that the library needs no other. The program
 * compresses such a file when asked to. */
#ifndef TD_INSPECT_THG_FILE_H
#define TD_INSPECT_THG_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "inspect/xxh64.h"

enum td_thg_column {
  TD_THG_SHAPES = 1,
  TD_THG_SHAPE_OF,
  TD_THG_SIZES,
  TD_THG_TARGETS,
  TD_THG_ROOTS,
  TD_THG_ABOUT,
  TD_THG_COLUMNS = 6
};

struct td_thg_counts {
  uint64_t objects, slots, roots, shapes;
};

struct td_thg_file {
  FILE *file;
  uint8_t *block; /* its header, then what has gathered of it */
  size_t used;
  unsigned columns; /* begun so far; the last is the open one */
  struct {
    uint64_t number, stored_bytes, raw_bytes, sum;
  } entries[TD_THG_COLUMNS];
  struct td_xxh64 sum;
};

/* false: no memory. Errors of writing show in the FILE, which must be able to seek. */
bool td_thg_file_begin(struct td_thg_file *out, FILE *file);
/* Each column once, in any order. */
void td_thg_file_open(struct td_thg_file *out, enum td_thg_column column);
void td_thg_file_put(struct td_thg_file *out, uint64_t number);
void td_thg_file_put_text(struct td_thg_file *out, const char *text);
void td_thg_file_close(struct td_thg_file *out);
/* After all columns: the header. false: the file could not seek. */
bool td_thg_file_end(struct td_thg_file *out, const struct td_thg_counts *counts);
void td_thg_file_free(struct td_thg_file *out);

static inline uint64_t td_thg_file_zigzag(uint64_t difference) {
  return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

#endif
