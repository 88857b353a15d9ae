/* SPDX-License-Identifier: MIT */
/* Layouts: which words of an object are references.
 *
 * A layout is interned: asking twice for the same description gives the same number. The marker
 * reads the kind and map of an object's block. It needs the table here only for long bitmaps and
 * trace functions. */
#ifndef TD_HEAP_SPACE_LAYOUT_H
#define TD_HEAP_SPACE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/tide.h"

enum td_kind {
  TD_KIND_NONE = 0, /* free block, or the tail of a large object */
  TD_KIND_LEAF,     /* nothing to scan */
  TD_KIND_SLOTS_1,  /* of blocks only: BITMAP with one slot, */
  TD_KIND_SLOTS_2,  /* two, and so on: markers scan objects of one kind in a loop of its own */
  TD_KIND_SLOTS_3,
  TD_KIND_SLOTS_4,
  TD_KIND_SLOTS_5,
  TD_KIND_SLOTS_6,
  TD_KIND_SLOTS_7,
  TD_KIND_SLOTS_8,
  TD_KIND_BITMAP,  /* map: bit i says that word i is a slot */
  TD_KIND_WORDS_2, /* of blocks only: the first two words may each point at or into an object, */
  TD_KIND_WORDS_4, /* the first four, and so on */
  TD_KIND_WORDS_6,
  TD_KIND_WORDS_8,
  TD_KIND_WORDS,        /* of blocks only: a map of such words */
  TD_KIND_REFS,         /* every word a slot */
  TD_KIND_PREFIXED,     /* map: words to skip, then slots to the end of the cell */
  TD_KIND_BITMAP_LONG,  /* more than 64 words: the layout's words */
  TD_KIND_REPEATED,     /* elements of the layout's words, each with the bitmap of its element */
  TD_KIND_CONSERVATIVE, /* any word may point at or into an object */
  TD_KIND_TRACED,       /* the layout's trace function */
  TD_KIND_WEAK,         /* struct td_weak_object */
  TD_KIND_EPHEMERON,    /* struct td_ephemeron_object */
  TD_KINDS
};

/* Layout numbers of the collector's own objects. They follow the three public ones. */
#define TD_LAYOUT_WEAK ((tide_layout)4)
#define TD_LAYOUT_EPHEMERON ((tide_layout)5)
#define TD_LAYOUT_FIRST_FREE ((tide_layout)6)

/* The collector's own objects: weak references and ephemerons.
 *
 * `link` chains the objects that one marker met in this cycle. The marker that claimed the object
 * writes it, and the collecting thread reads it after marking. At other times it means nothing.
 * `claimed` is the number of the cycle in which the object was last chained. Markers change it by
 * compare-and-swap, so an object that two markers scan at once is chained once. */
struct td_weak_object {
  uintptr_t target;
  uintptr_t link;
  _Atomic(uint64_t) claimed;
  uint64_t weak_kind; /* enum tide_weak_kind */
};
struct td_ephemeron_object {
  uintptr_t key;
  uintptr_t value;
  uintptr_t link;
  _Atomic(uint64_t) claimed;
};

struct td_layout {
  uint8_t kind;            /* enum td_kind */
  bool held_by_first_page; /* conservative words behind the first TD_DISPLACEMENTS bytes do not
                              count */
  bool beside;             /* TRACED: it may run beside mutators */
  bool unzeroed;           /* LEAF: objects are handed out with whatever their memory holds */
  uint32_t words;          /* length in words of `bits`; REPEATED: words of an element */
  uint64_t map;            /* as in struct td_block; kinds that need the table: own layout number */
  uint64_t element;        /* REPEATED: bit i says that word i of an element is a slot */
  /* BITMAP_LONG; TRACED with words, which may be pointers: `context` is this structure then */
  uint64_t *bits;
  char *name;                 /* or NULL */
  tide_reclaim_fn on_reclaim; /* or NULL */
  void *reclaim_context;
  tide_trace_fn trace; /* TRACED */
  void *context;
  /* Of elements: the layout of the arrays that were made last, and above TD_LAYOUT_BITS the bytes
   * of one of their elements. Written under the lock, read without it: [layout.arrays]. */
  uint64_t arrays;
};
#define TD_LAYOUT_BITS 16u
_Static_assert(TIDE_LAYOUT_MAX <= 1u << TD_LAYOUT_BITS, "the number of a layout");

/* Grows under the space's lock. An entry never changes once its number is given out, but for
 * `arrays`, and the array never moves, so entries are read without the lock. */
struct td_layouts {
  struct td_layout *at; /* TIDE_LAYOUT_MAX entries */
  /* What they point to. A leak detector looks into memory of malloc, and not into the table. */
  struct td_layout_parts *parts;
  uint32_t count;
  bool any_told; /* one of them has on_reclaim */
};

/* Returns whether the layout exists, and its slots lie inside an object of `bytes`. */
bool td_layout_fits(const struct td_layout *layout, size_t bytes);

/* `at` holds TIDE_LAYOUT_MAX entries, all zero. */
void td_layouts_init(struct td_layouts *layouts, struct td_layout *at);
void td_layouts_deinit(struct td_layouts *layouts);
/* Returns the number of an equal layout, or of a new one; TIDE_LAYOUT_INVALID if the table is full
 * or memory ran out. What `wanted` points to is copied. The caller holds the space's lock. */
tide_layout td_layouts_intern(struct td_layouts *layouts, const struct td_layout *wanted);

#endif
