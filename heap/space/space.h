/* SPDX-License-Identifier: MIT */
/* The space: where objects live.
 *
 *   base                                                               base + reserved
 *   | slab 0 (2 MiB) | slab 1 | …                                       |
 *   | block 0 | block 1 | … 64 KiB each; block 0 is never used, so granule 0 is no object
 *   | cell | cell | …  all of one layout and size class; no headers
 *
 * Side tables, found from an address by a subtraction and a shift:
 *   marks[granule]   one byte for 16 bytes: the epoch in which the object that starts there was
 *                    last found alive, or was allocated, and the bit TD_DEFERRED
 *   blocks[block]    what the marker must know of a block (16 bytes)
 *   infos[block]     what only allocation and sorting need
 *   flags[row][page] the 4 KiB page has deferred objects
 *
 * Invariants
 *   [epoch] Between collections, a cell of a SMALL block holds an object if and only if the byte of
 *      its first granule equals space->epoch. Allocation stores the epoch. A collection takes the
 *      next epoch and stores it for every object it finds. Nothing has to be cleared afterwards: a
 *      byte with another epoch is a free cell.
 *   [start] No other byte equals the epoch, nor, while marking, the one before: not the bytes of
 *      granules inside of objects, and none in free blocks. So a marker that is led somewhere by a
 *      word which may be a pointer learns from one byte whether an object begins there.
 *   [young] In a space that tells young objects from old ones, allocation stores TD_YOUNG instead.
 *      So a cell holds an old object if its byte is the epoch, and a young one if it is TD_YOUNG. A
 *      young collection keeps the epoch: old objects count as marked, and young ones that it finds
 *      get the epoch. Afterwards no byte is TD_YOUNG, because sorting clears those of the dead. A
 *      full collection first makes all objects old (heap/young/young.h). While the space bears_old,
 *      allocation stores the epoch.
 *   [run] A mutator allocates from a run of free cells. The cells of the run count as objects from
 *      the moment they are reserved, used or not. The mutator's bump cache covers the run piece by
 *      piece, because a piece must be zeroed as a rule. Before a collection the unused rest goes
 *      back (byte 0).
 *   [beside] While a program runs beside the marking (heap/epoch.h), a cell holds an object if its
 *      byte is the epoch or the one before. Allocation stores the epoch: markers never look into
 *      what is new. A block that was in use when the marking began stays what it is until all are
 *      sorted. Markers look no word up that leads into another block, for it may be in the making.
 *      All that was reachable when the marking began is found, and nothing that was not becomes
 *      white. Or allocation stores TD_YOUNG, which is no white byte either, and young collections
 *      happen meanwhile (gc/cycle/young_beside.h): that is over before marking ends.
 *   [owner] A block taken off an unswept list, or new from the pool, belongs to one mutator until
 *      the next collection, or the mutator's end.
 *
 * The space never decides to collect. When its budget is used up it says "no memory".
 *
 * This header has the structure and the address arithmetic. heap/space/ computes and looks up;
 * heap/withheld/ keeps cells from being handed out, heap/memory/ gives blocks, heap/young/ knows
 * what is new, heap/cells/ allocates; heap/ itself has what concerns a space as a whole. */
#ifndef TD_HEAP_SPACE_SPACE_H
#define TD_HEAP_SPACE_SPACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/space/block.h"
#include "heap/space/layout.h"
#include "heap/space/size_class.h"
#include "platform/platform.h"
#include "tide/tide.h"

#define TD_SLAB_LOG2 21u /* memory is taken from the system and given back by the slab */
#define TD_SLAB_BYTES ((size_t)1 << TD_SLAB_LOG2)
#define TD_SLAB_BLOCKS (TD_SLAB_BYTES / TD_BLOCK_BYTES)
#define TD_PAGE_LOG2 12u /* what one deferred flag speaks for; not the system's page */
#define TD_PAGE_BYTES ((size_t)1 << TD_PAGE_LOG2)
#define TD_PAGE_GRANULES (TD_PAGE_BYTES / TD_GRANULE_BYTES)
#define TD_BLOCK_PAGES (TD_BLOCK_BYTES / TD_PAGE_BYTES)

#define TD_DEFERRED 0x80u /* in a mark byte: marked, not yet scanned */
#define TD_EPOCH_FIRST 2u
#define TD_EPOCH_LAST 121u
/* In spaces that tell young objects: tide_write takes a byte from TIDE_MARK_OLD on for old. */
#define TD_EPOCH_FIRST_OLD TIDE_MARK_OLD
#define TD_YOUNG 2u
_Static_assert(TD_EPOCH_FIRST_OLD < TD_EPOCH_LAST && TD_YOUNG < TIDE_MARK_OLD, "byte ranges");

/* Why there is no room for an object. A larger budget helps against OVER_BUDGET; against the last
 * two it would help to free something. */
enum td_room {
  TD_ROOM = 0,         /* there is */
  TD_ROOM_OVER_BUDGET, /* the budget is used up */
  TD_ROOM_YOUNG_DUE,   /* a young collection would make room; so would a larger young_due */
  TD_ROOM_NO_MEMORY,   /* the system gives no memory */
  TD_ROOM_NO_PLACE,    /* no free blocks lie side by side in sufficient number */
};

/* What a slab has of the system. */
enum td_slab {
  TD_SLAB_NONE = 0, /* no memory */
  TD_SLAB_SMALL,    /* memory in small pages */
  TD_SLAB_HUGE,     /* a huge page was asked for */
};

/* Spans of a layout and medium class: heap/cells/medium.h. */
#define TD_MEDIUM_CLASSES 32u
struct td_medium_list {
  uint32_t first; /* first block of the first span that may have room, or 0 */
  uint32_t seen;  /* objects that came before there was a span */
};

#define TD_DISPLACEMENTS 4096u /* bytes from an object's start */

/* Blocks of a layout and size class that have room. */
struct td_unswept {
  uint32_t first;        /* of the list, or 0 */
  uint32_t listed, left; /* how many were listed since all were sorted, and how many are still */
};

/* Where a layout's objects find room. */
struct td_layout_lists {
  struct td_unswept unswept[TIDE_BUMP_SLOTS];
  struct td_medium_list medium[TD_MEDIUM_CLASSES];
};

struct td_space {
  /* Constant after creation. */
  uintptr_t base;
  size_t reserved_bytes;
  size_t granules; /* reserved_bytes / 16 */
  uint8_t *marks;
  struct td_block *blocks;
  struct td_block_info *infos;
  _Atomic(uint8_t) *flags; /* of pages: see heap/space/marks.h */
  uint32_t block_count;
  bool has_young;     /* objects allocated since the last collection are told from others */
  size_t mark_span;   /* bytes of the table of marks; if has_young a power of two, see create */
  size_t table_bytes; /* of all side tables: they lie behind the range, the marks first */

  /* Written while the world is stopped, read by all. */
  uint64_t live_objects, live_bytes; /* what the last collection found */
  uint64_t leaf_bytes;               /* of these, in objects without references */
  uint8_t epoch;
  /* While marking, the byte of objects that were not found yet. At other times `born`: TD_YOUNG if
   * has_young and not bears_old, or the epoch. */
  uint8_t epoch_before;
  bool bears_old; /* objects count as old at once: no young collection will look at them */
  /* [beside] Of objects that are allocated: epoch_before, but the epoch or TD_YOUNG while the
   * program runs beside the marking. */
  uint8_t born;
  /* [beside] A byte of objects besides the epoch: epoch_before then, else the epoch once more. */
  uint8_t kept;
  uint32_t view_frontier;    /* the frontier when marking began: what markers see */
  const uint64_t *view_free; /* beside the program: free_before, else NULL */

  /* Which conservative words count: heap/space/find.h. Written while no collection runs. */
  bool base_only;
  uint64_t displacements[TD_DISPLACEMENTS / 64]; /* bit i: i bytes behind the start will do, too */
  uint64_t looked_up;                            /* by td_space_set_words */

  /* How much of the range is ours: where addresses are scarce, others may have what lies behind.
   * Written under the lock, read by all. relaxed, all: it only grows, and before there is an object
   * in what it has grown by. Whoever has the object's address has it from there. */
  _Atomic(size_t) mapped_bytes;

  /* Under `lock`. */
  pthread_mutex_t lock;
  uint64_t *free_bits; /* a bit for each block below frontier: it is in the pool */
  uint32_t frontier;   /* no block at or above it was ever used */
  /* How far tables may be written: heap/space/tables.h. Read while marking, too. */
  uint32_t tables_end, listed_layouts;
  uint32_t single_hint;  /* no free block below */
  uint32_t extent_limit; /* no extent of this length is free; or UINT32_MAX */
  uint32_t used_blocks;  /* those that are not FREE */
  _Atomic(uint32_t)
      committed_slabs; /* written under the lock; relaxed readers want a figure only */
  uint32_t peak_committed_slabs;
  uint32_t bare_blocks;   /* blocks of committed slabs that have no memory: heap/memory/backing.h */
  uint32_t strip_hint;    /* word of free_bits where to look for free blocks with memory */
  uint32_t budget_blocks; /* set by the collector's sizing: see td_backing_bound */
  uint32_t max_blocks;    /* hard limit; constant after creation */
  struct td_layout_lists *lists; /* [layout] */
  struct tide_bump *no_runs;     /* TIDE_LAYOUT_MAX * TIDE_BUMP_SLOTS, always empty */
  uint8_t *slab_committed;       /* enum td_slab */
  uint64_t *free_before;         /* [beside] free_bits when marking began */
  uint64_t *touched;             /* a bit for each block, in all spaces: heap/young/young.h */
  /* A byte for each slab: it has logged pages (heap/young/log.h), or pages that mutators have
   * flagged beside the marking (marker/base/deferred.c). */
  uint8_t *logged_slabs;
  uint64_t young_bytes;  /* room in blocks since they were touched */
  uint64_t taken_bytes;  /* the same since all blocks were to be sorted, */
  uint64_t taken_blocks; /* and blocks taken from the pool */
  uint64_t young_due;    /* no block is given out once young_bytes has reached this */
  uint64_t logged;       /* since the last collection, as mutators have told: heap/young/young.h */
  uint64_t logged_due;   /* nor once `logged` has reached this */
  uint32_t dying;        /* first of the blocks that wait: heap/withheld/dying.h. Read as a hint */
  uint32_t dying_blocks; /* how many wait */
  uint32_t dying_free_blocks; /* blocks that will be free then */
  bool has_words;             /* there was a conservative object: see td_kind_has_words */
  struct td_layouts layouts;
  size_t quarantine_bytes; /* of dead objects: heap/withheld/quarantine.h */
  bool quarantine_drains;  /* let all of them go at the next turn */
  /* Blocks below it are to be sorted yet, beside the program: heap/cells/sort.h. Read as a hint. */
  uint32_t unsorted;
  /* Bytes that the program allocates for each byte that lives, while a collection goes on beside
   * it; 0: nobody asks. And a hint to begin one: the room that is left is no more than that. See
   * heap/cells/refill.c. */
  double ahead;
  bool runs_short;
  uint32_t scarce_blocks;    /* while one goes on, else 0: heap/cells/pace.h */
  uint32_t pace_bytes;       /* a hint for those without the lock */
  bool cleaned;              /* of the last epoch: no byte but those of objects has one */
  uint32_t freed_beside;     /* blocks that this sorting has given back so far */
  _Atomic(uint32_t) waiting; /* mutators that wait for the lock: who sorts lets them go first */
  /* heap/memory/ahead.h: constant before the first mutator; a hint; the first block of the slab
   * that is being touched, or 0. */
  bool grows_ahead, wants_slabs;
  uint32_t growing;
  uint32_t avoid_end;  /* blocks below it are watched for false pointers: heap/withheld/avoid.h */
  bool avoids_some;    /* and such cells were found in the last collection */
  bool avoids_nothing; /* do not look for them in the next */
  /* No huge pages are asked for below it, nor, if it is 0, in the first. Constant after creation.
   */
  uint32_t first_huge_slab;
  bool crowded; /* by mutators: they share blocks of which each wants little. A hint */
  bool stress;  /* runs of one cell, so that every allocation takes the slow path */
  /* Constant after creation, both: what becomes of dead objects, see heap/withheld/quarantine.h. */
  bool has_quarantine; /* `stress` is set too */
  bool has_poison;
};

/* Takes the lock for an allocation. It is mostly held for less time than it takes to put a thread
 * to sleep, so this tries for a while. Whoever sorts beside the program holds it for a step, and
 * lets others go first then: but only one that is awake is there in time, so they try for longer.
 */
#define TD_LOCK_PAUSES 256u       /* 10 us where a pause instruction takes long, else 2 */
#define TD_LOCK_SORT_PAUSES 4096u /* while blocks are sorted */
static inline void td_space_lock(struct td_space *space) {
  if (pthread_mutex_trylock(&space->lock) == 0) return;
  /* relaxed, all: hints. */
  bool sorts = __atomic_load_n(&space->unsorted, __ATOMIC_RELAXED) != 0;
  atomic_fetch_add_explicit(&space->waiting, 1, memory_order_relaxed);
  bool locked = false;
  for (unsigned i = sorts ? TD_LOCK_SORT_PAUSES : TD_LOCK_PAUSES; !locked && i > 0; i--) {
    td_plat_pause();
    locked = pthread_mutex_trylock(&space->lock) == 0;
  }
  if (!locked) pthread_mutex_lock(&space->lock);
  atomic_fetch_sub_explicit(&space->waiting, 1, memory_order_relaxed);
}

/* Without the lock, which the caller has just given up and will take again: lets mutators go first
 * that wait for it. One that has no CPU keeps nobody waiting. */
static inline void td_space_let_others(struct td_space *space) {
  for (unsigned i = 0; i < TD_LOCK_PAUSES; i++) {
    /* relaxed: a hint. */
    if (atomic_load_explicit(&space->waiting, memory_order_relaxed) == 0) return;
    td_plat_pause();
  }
}

/* Under the lock: a block or extent of this kind is about to be used. */
static inline void td_space_note_kind(struct td_space *space, uint8_t kind) {
  /* relaxed: mutators that look meanwhile have no use for what is not there yet. */
  if (td_kind_has_words(kind) && !space->has_words)
    __atomic_store_n(&space->has_words, true, __ATOMIC_RELAXED);
}
/* Without the lock. */
static inline bool td_space_has_words(const struct td_space *space) {
  return __atomic_load_n(&space->has_words, __ATOMIC_RELAXED); /* relaxed: as above */
}

static inline uint8_t td_first_epoch(const struct td_space *space) {
  return space->has_young ? TD_EPOCH_FIRST_OLD : TD_EPOCH_FIRST;
}

/* ---- Address arithmetic ---- */

/* Returns the granule that a reference points at, or a number >= space->granules if the word is no
 * reference. A subtraction and a rotation let one comparison test alignment and range together,
 * because low bits that are set end up at the top. */
static inline uint64_t td_granule_of(uintptr_t base, uintptr_t word) {
  uint64_t offset = word - base;
  return offset >> TD_GRANULE_LOG2 | offset << (64 - TD_GRANULE_LOG2);
}

static inline uintptr_t td_granule_address(uintptr_t base, uint64_t granule) {
  return base + (granule << TD_GRANULE_LOG2);
}

/* Of an address inside the range. */
static inline uint32_t td_block_of(const struct td_space *space, uintptr_t address) {
  return (uint32_t)((address - space->base) >> TD_BLOCK_LOG2);
}
/* Returns the block that a reference leads into, to an object or not; NULL if the word is none. */
static inline const struct td_block *td_block_at(const struct td_space *space, uintptr_t word) {
  uint64_t granule = td_granule_of(space->base, word);
  return granule < space->granules ? &space->blocks[td_block_of_granule(granule)] : NULL;
}
/* Does the address lie in memory of the space, be there an object or not? */
static inline bool td_space_owns(const struct td_space *space, uintptr_t address) {
  /* relaxed: see there. */
  return address - space->base < atomic_load_explicit(&space->mapped_bytes, memory_order_relaxed);
}

static inline uintptr_t td_block_start(const struct td_space *space, uint32_t block) {
  return space->base + ((uintptr_t)block << TD_BLOCK_LOG2);
}

static inline uint64_t td_block_granule(uint32_t block) {
  return (uint64_t)block << TD_BLOCK_GRANULES_LOG2;
}

static inline uint8_t *td_block_marks(const struct td_space *space, uint32_t block) {
  return space->marks + td_block_granule(block);
}

/* Returns whether the object that starts here was found alive in this epoch, deferred or not. */
static inline bool td_is_marked(const struct td_space *space, uint64_t granule) {
  /* relaxed: [mark]; beside the program others may mark it just now. */
  uint8_t mark = __atomic_load_n(&space->marks[granule], __ATOMIC_RELAXED);
  return (mark & (TD_DEFERRED - 1)) == space->epoch;
}

#endif
