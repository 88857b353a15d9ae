/* Where objects live.
 *
 *   base                                                               base + reserved
 *   | slab 0 (2 MiB) | slab 1 | …                                       |
 *   | block 0 | block 1 | … 64 KiB each; block 0 is never used, so granule 0 is no object
 *   | cell | cell | …  all of one (layout, size class); no headers
 *
 * Beside the range, found by address arithmetic alone:
 *   marks[granule]   one byte per 16 bytes: TD_DEFERRED bit and the epoch in which the object
 *                    that starts there was last found alive, or was allocated
 *   blocks[block]    what the marker must know of a block (16 bytes)
 *   infos[block]     what only allocation and sweeping need
 *   flags[row][page] the 4 KiB page has deferred objects (marking in address order)
 *
 * Invariants
 *   [epoch] Between collections, a cell of a SMALL block holds an object iff its first granule's
 *      byte equals heap->epoch. So allocation stores the epoch, a collection takes the next
 *      epoch and stores it for what it finds, and sweeping needs no clearing: a byte with
 *      another epoch is a free cell.
 *   [run] Cells reserved for a mutator's bump run are objects from then on, used or not. The run
 *      covers the reservation piece by piece, because what it covers must be zeroed; the unused
 *      rest of both is given back (byte 0) before a collection.
 *   [owner] A block taken off an unswept list, or fresh from the pool, belongs to one mutator
 *      until the next collection.
 *
 * The heap never decides to collect: when the budget is used up it says "no memory". */
#ifndef TD_HEAP_SPACE_H
#define TD_HEAP_SPACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/tide.h"
#include "heap/layout.h"
#include "platform/platform.h"

#define TD_GRANULE_LOG2 4u
#define TD_GRANULE_BYTES ((size_t)1 << TD_GRANULE_LOG2)
#define TD_BLOCK_LOG2 16u
#define TD_BLOCK_BYTES ((size_t)1 << TD_BLOCK_LOG2)
#define TD_BLOCK_GRANULES (TD_BLOCK_BYTES / TD_GRANULE_BYTES)
#define TD_BLOCK_GRANULES_LOG2 (TD_BLOCK_LOG2 - TD_GRANULE_LOG2)
#define TD_SLAB_LOG2 21u
#define TD_SLAB_BYTES ((size_t)1 << TD_SLAB_LOG2)
#define TD_SLAB_BLOCKS (TD_SLAB_BYTES / TD_BLOCK_BYTES)
#define TD_PAGE_LOG2 12u /* what one deferred flag speaks for */
#define TD_PAGE_BYTES ((size_t)1 << TD_PAGE_LOG2)
#define TD_PAGE_GRANULES (TD_PAGE_BYTES / TD_GRANULE_BYTES)
/* Rows of flags: markers that set flags in rows of their own don't take lines from each other. */
#define TD_FLAG_ROWS 4u
#define TD_BLOCK_PAGES (TD_BLOCK_BYTES / TD_PAGE_BYTES)
#define TD_SMALL_BYTES_MAX (TD_BLOCK_BYTES / 2)

#define TD_DEFERRED 0x80u /* in a mark byte: marked, not yet scanned */
#define TD_EPOCH_FIRST 2u
#define TD_EPOCH_LAST 126u

/* Hot: read by markers for every object. Constant during marking. */
struct td_block {
  uint64_t map;           /* by kind: see td_kind */
  uint32_t cell_granules; /* 0 for large objects: see td_block_info */
  uint8_t kind;           /* enum td_kind */
  uint8_t unused;
  tide_layout layout;
};
_Static_assert(sizeof(struct td_block) == 16, "four to a cache line");

/* What the marker sees of a block of cells. Arrays of at most 64 words are bitmaps there: the fewer
 * kinds it meets, the better it can tell the next. */
struct td_block td_small_block(const struct td_layout *described, tide_layout layout,
                               uint32_t cell_granules);

enum td_block_state {
  TD_BLOCK_FREE = 0, /* in the pool, or never committed */
  TD_BLOCK_SMALL,    /* cells of one size class */
  TD_BLOCK_LARGE,    /* first block of a large object */
  TD_BLOCK_TAIL,     /* further block of a large object */
};

/* Cold: under the heap's lock, or the owning mutator's. */
struct td_block_info {
  uint32_t next;       /* unswept list: block number, 0 ends */
  uint32_t recip;      /* SMALL: ceil(2^24 / cell_granules), see td_cell_of */
  uint32_t run_blocks; /* LARGE: blocks of the object; TAIL: distance to the first block */
  uint16_t cells;
  uint16_t live; /* SMALL: cells found alive by the last collection */
  uint8_t size_class;
  uint8_t state;  /* enum td_block_state */
  uint8_t zeroed; /* never written since it was committed */
  uint8_t unused;
  uint16_t piece;     /* SMALL: bytes of a piece of a run, whole cells */
  uint16_t reserved;  /* SMALL, with a run in it: granule where the reservation ends, see [run] */
  size_t large_bytes; /* LARGE: rounded up to granules */
};

struct td_space {
  /* Constant after init. */
  uintptr_t base;
  size_t reserved_bytes;
  size_t granules; /* reserved_bytes / 16 */
  uint8_t *marks;
  struct td_block *blocks;
  struct td_block_info *infos;
  _Atomic(uint8_t) *flags; /* TD_FLAG_ROWS rows of flag_pages each; see heap/marks.h */
  size_t flag_pages;
  uint32_t block_count;
  struct td_slabs *slabs; /* heap/slabs.h; NULL where they come from the system */

  /* Changed with the world stopped only; read by all. */
  uint64_t live_objects, live_bytes; /* what the last collection found */
  uint8_t epoch;
  uint8_t epoch_before; /* while marking, the epoch of what existed before; else equal to epoch */

  /* Under lock. */
  pthread_mutex_t lock;
  uint64_t *free_bits;               /* bit per block: committed and free */
  uint32_t frontier;                 /* blocks below were committed at some time */
  uint32_t single_hint;              /* no free block below */
  uint32_t used_blocks;              /* SMALL, LARGE and TAIL blocks */
  _Atomic(uint32_t) committed_slabs; /* relaxed readers without the lock ask only for change */
  uint32_t peak_committed_slabs;
  uint32_t budget_blocks; /* used_blocks may not pass this: gc's policy sets it */
  uint32_t max_blocks;    /* hard limit; constant after init */
  uint32_t *unswept;      /* [layout * TIDE_BUMP_SLOTS + class]: first block of the list */
  uint8_t *slab_committed;
  struct td_layouts layouts;
  bool small_pages; /* do not ask the system for huge ones; constant after creation */
  bool stress;      /* runs of one cell, so that every allocation takes the slow path */
};

/* ---- Life ---- */

/* reserve_bytes is halved until the system agrees (down to 64 MiB; the error says so if not even
 * that); max_bytes is the hard limit. */
bool td_space_init(struct td_space *space, size_t reserve_bytes, size_t max_bytes,
                   struct tide_error *error);
void td_space_deinit(struct td_space *space);

/* ---- Allocation: heap/alloc.c, heap/large.c ---- */

/* Gives the bump cache a new run of zeroed cells of the class; false: no memory in the budget.
 * `bump` is the caller's own: no other thread touches it. Returns the bytes of the run. */
size_t td_space_refill(struct td_space *space, struct tide_bump *bump, tide_layout layout,
                       unsigned size_class);
/* The same within the block that the run lies in, without a lock; 0: the block is used up, or
 * there is no run. */
size_t td_space_advance(struct td_space *space, struct tide_bump *bump);
/* Gives the unused rest of a run back. World stopped, or the owner detaching. */
void td_space_retire(struct td_space *space, struct tide_bump *bump);
/* A zeroed object with blocks of its own; NULL: no memory in the budget. */
void *td_space_alloc_large(struct td_space *space, tide_layout layout, size_t bytes);

/* ---- A collection: heap/sweep.c ---- */

/* Takes the next epoch: from here on every object counts as unmarked. World stopped, all runs
 * retired. */
void td_space_begin_marking(struct td_space *space);
/* After marking: counts what is alive, returns blocks without a marked object to the pool, lists
 * those with room as unswept. Returns the number of blocks freed. World stopped. */
uint32_t td_space_end_marking(struct td_space *space);
/* Decommits free slabs beyond keep_bytes of free memory; bytes given back. Any thread. */
size_t td_space_trim(struct td_space *space, size_t keep_bytes);

/* ---- Questions ---- */

/* The object that the address points at or into, 0 if none. While marking, "object" means alive
 * or allocated before this collection. */
uintptr_t td_space_find(const struct td_space *space, uintptr_t address);
/* Bytes of the cell of an object (its start is given). */
size_t td_space_object_bytes(const struct td_space *space, uintptr_t object);
/* Calls visit for each object in address order until it returns false. World stopped. */
typedef bool (*td_space_visit)(uintptr_t object, size_t bytes, tide_layout layout, void *context);
void td_space_walk(const struct td_space *space, td_space_visit visit, void *context);
/* Checks the structures against each other. World stopped. */
bool td_space_check(struct td_space *space, struct tide_error *error);

/* ---- Address arithmetic ---- */

/* The granule of a reference, or a number >= heap->granules if the word is none: a subtraction,
 * a rotation and one comparison test alignment and range together, because low bits that are set
 * end up at the top. */
static inline uint64_t td_granule_of(uintptr_t base, uintptr_t word) {
  uint64_t offset = word - base;
  return offset >> TD_GRANULE_LOG2 | offset << (64 - TD_GRANULE_LOG2);
}

static inline uintptr_t td_granule_address(uintptr_t base, uint64_t granule) {
  return base + (granule << TD_GRANULE_LOG2);
}

/* The number of the cell that a granule of a SMALL block lies in. Exact because the offset is
 * under 2^12 and a cell has at most 2^11 granules: the error of recip, times the offset, stays
 * under the distance to the next quotient. */
static inline uint32_t td_cell_of(const struct td_block_info *info, uint32_t granule_in_block) {
  return (uint32_t)((uint64_t)granule_in_block * info->recip >> 24);
}

static inline uint32_t td_block_of_granule(uint64_t granule) {
  return (uint32_t)(granule >> TD_BLOCK_GRANULES_LOG2);
}

/* Was the object that starts here found alive, deferred or not, in this epoch? */
static inline bool td_is_marked(const struct td_space *space, uint64_t granule) {
  return (space->marks[granule] & (TD_DEFERRED - 1)) == space->epoch;
}

#endif
