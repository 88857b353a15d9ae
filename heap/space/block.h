/* SPDX-License-Identifier: MIT */
/* Blocks: what the heap knows of each 64 KiB of its range.
 *
 * A block holds cells of one layout and one size class, or it is part of an extent: the
 * neighbouring blocks of one large object. Two tables have an entry for every block. The marker
 * reads struct td_block for every object it meets, so that one is small. struct td_block_info is
 * for all other code. */
#ifndef TD_HEAP_SPACE_BLOCK_H
#define TD_HEAP_SPACE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "heap/space/layout.h"
#include "heap/space/published.h"
#include "tide/tide.h"

#define TD_GRANULE_LOG2 4u /* objects start at multiples of a granule */
#define TD_GRANULE_BYTES ((size_t)1 << TD_GRANULE_LOG2)
#define TD_BLOCK_LOG2 16u
#define TD_BLOCK_BYTES ((size_t)1 << TD_BLOCK_LOG2)
#define TD_BLOCK_GRANULES (TD_BLOCK_BYTES / TD_GRANULE_BYTES)
#define TD_BLOCK_GRANULES_LOG2 (TD_BLOCK_LOG2 - TD_GRANULE_LOG2)
#define TD_RANGE_LOG2 48u /* of the longest range: blocks are counted in 32 bits */
#define TD_SMALL_BYTES_MAX (TD_BLOCK_BYTES / 2) /* longer objects get an extent */

/* Read by markers for every object, and constant in a block that has unmarked ones. A word may lead
 * a marker to a block that a mutator is just making: [beside]. No mark byte there says "unmarked",
 * so that what the marker reads of it does not matter, but it is read and written in one piece. */
struct td_block {
  uint64_t map;           /* by kind: see enum td_kind */
  uint32_t recip : 24;    /* SMALL: see td_cell_of */
  uint32_t kind : 8;      /* enum td_kind */
  uint16_t cell_granules; /* 0 for large and medium objects: see td_block_info */
  tide_layout layout;
};
_Static_assert(sizeof(struct td_block) == 16, "four to a cache line");

typedef uint64_t __attribute__((may_alias)) td_block_half;

/* Writes the entry of a block: its map, then the rest. */
static inline void td_block_write(struct td_block *at, struct td_block block) {
  td_block_half halves[2];
  memcpy(halves, &block, sizeof halves);
  for (unsigned i = 0; i < 2; i++) /* relaxed: see above */
    __atomic_store_n((td_block_half *)at + i, halves[i], __ATOMIC_RELAXED);
}

/* Returns the kind of a block that may be in the making; below, its map. */
static inline unsigned td_block_kind_seen(const struct td_block *at) {
  struct td_block block;
  const td_block_half half =
      __atomic_load_n((const td_block_half *)at + 1, __ATOMIC_RELAXED); /* relaxed: see above */
  memcpy((char *)&block + sizeof half, &half, sizeof half);
  return block.kind;
}

static inline uint64_t td_block_map_seen(const struct td_block *at) {
  return __atomic_load_n(&at->map, __ATOMIC_RELAXED); /* relaxed: see above */
}

enum td_block_state {
  TD_BLOCK_FREE = 0, /* in the pool, or never committed */
  TD_BLOCK_SMALL,    /* cells of one size class */
  TD_BLOCK_LARGE,    /* first block of an extent */
  TD_BLOCK_MEDIUM,   /* first block of a span: heap/cells/medium.h */
  TD_BLOCK_TAIL,     /* further block of an extent or a span */
};

enum td_zeroed {
  TD_WRITTEN = 0, /* the block holds what was written */
  TD_ZEROED,      /* never written into since its memory came from the system */
  TD_ZEROED_BARE, /* free: the same, and it has no memory yet (heap/memory/backing.h) */
};

/* Written under the heap's lock, or by the mutator that owns the block: see [owner]. */
struct td_block_info {
  uint32_t next; /* the next of the list, 0 at the end */
  union {
    uint32_t extent_blocks; /* LARGE, MEDIUM: length of the extent or span */
    uint32_t extent_offset; /* TAIL: distance to the first block of it */
  };
  union {
    size_t large_bytes; /* LARGE: size of the object, rounded up to granules; spans: of a cell */
    size_t dies;        /* SMALL, waiting: 1 if nothing in it lives, nor is held */
  };
  uint16_t cells;    /* SMALL, MEDIUM */
  uint16_t live;     /* SMALL, MEDIUM: cells that the last collection found alive */
  uint16_t piece;    /* SMALL: bytes of a piece of a run, whole cells */
  uint16_t reserved; /* SMALL: granule where the reservation of the owner's run ends, see [run],
                      * or TD_RESERVED_LISTED: the block is unswept;
                      * or, LARGE as well, TD_RESERVED_DYING: it waits (heap/withheld/dying.h);
                      * MEDIUM: cell to search from */
  uint16_t ahead;    /* SMALL: no cell before this granule and behind `reserved` is free;
                      * while a mutator is telling, LARGE as well: the cell's number and 1, or 0 */
  uint8_t size_class;
  uint8_t zeroed;   /* enum td_zeroed */
  uint8_t held;     /* SMALL, world stopped: a run in it is held; MEDIUM: listed */
  uint8_t unzeroed; /* SMALL: cells are not zeroed: a layout's wish */
  uint8_t avoided;  /* there are cells that are not to be handed out: heap/withheld/avoid.h */
  uint8_t state;    /* enum td_block_state; the last: see td_block_become */
};
_Static_assert(sizeof(struct td_block_info) == 32, "two to a cache line");

/* Writes what the block is. The state comes last, because others may be reading it without the
 * lock: see [small]. */
static inline void td_block_become(struct td_block_info *info, struct td_block_info facts) {
  memcpy(info, &facts, offsetof(struct td_block_info, state));
  td_published_tell((_Atomic(uint8_t) *)&info->state, facts.state);
}

#define TD_RESERVED_LISTED UINT16_MAX
#define TD_RESERVED_DYING (UINT16_MAX - 1)
#define TD_RESERVED_TELLING (UINT16_MAX - 2) /* waited, and a mutator is telling just now */

/* Returns the bytes of each object of a block: of its cells, or of the large object. */
static inline size_t td_block_object_bytes(const struct td_block *block,
                                           const struct td_block_info *info) {
  size_t granules = block->cell_granules;
  return granules ? granules << TD_GRANULE_LOG2 : info->large_bytes;
}

/* Returns whether the map of a block of this kind says which words are slots. */
static inline bool td_kind_is_bitmap(unsigned kind) {
  return kind - TD_KIND_SLOTS_1 <= TD_KIND_BITMAP - TD_KIND_SLOTS_1;
}

/* Returns whether it says which words may be pointers. */
static inline bool td_kind_is_words(unsigned kind) {
  return kind - TD_KIND_WORDS_2 <= TD_KIND_WORDS - TD_KIND_WORDS_2;
}

/* Returns whether it says one or the other. */
static inline bool td_kind_has_map(unsigned kind) {
  return kind - TD_KIND_SLOTS_1 <= TD_KIND_WORDS - TD_KIND_SLOTS_1;
}

/* Returns whether the words of objects of this kind may be pointers that are looked up. */
static inline bool td_kind_has_words(unsigned kind) {
  return kind == TD_KIND_CONSERVATIVE || td_kind_is_words(kind);
}

/* Returns the marker's entry for a block of cells. Where cells have at most 64 words, layouts that
 * need no table become bitmaps or leaves: the fewer kinds the marker meets, the better the
 * processor predicts the next. */
struct td_block td_small_block(const struct td_layout *described, tide_layout layout,
                               uint32_t cell_granules);

/* Returns 2^23 / cell_granules, rounded up. */
static inline uint32_t td_recip_of(uint32_t cell_granules) {
  return (((uint32_t)1 << 23) + cell_granules - 1) / cell_granules;
}

/* Returns the number of the cell that a granule of a SMALL block lies in. This is exact: the
 * granule is below 2^12 and a cell has at most 2^11 granules, so the error of recip times the
 * granule stays below the distance to the next quotient. */
static inline uint32_t td_cell_of(const struct td_block *block, uint32_t granule_in_block) {
  return (uint32_t)((uint64_t)granule_in_block * block->recip >> 23);
}

static inline uint32_t td_block_of_granule(uint64_t granule) {
  return (uint32_t)(granule >> TD_BLOCK_GRANULES_LOG2);
}

#endif
