/* SPDX-License-Identifier: MIT */
/* When a collection is due, and of which kind.
 *
 * An allocation comes to one of two bounds. Blocks in use have reached the *budget*: a full
 * collection is due, and sets the next budget by the heap's sizing rule. Or the *young part* is
 * full: a young one is due, which leaves the budget as it is. So a heap needs no more memory with
 * young collections than without. Where they do not pay, the heap *waits*: mutators do not log, and
 * a young part that fills up ends the wait. */
#ifndef TD_GC_WHEN_WHEN_H
#define TD_GC_WHEN_WHEN_H

#include "gc/state/heap.h"

/* ---- The numbers. docs/notes/allocation.md has trials of others ---- */

#define TD_MIB ((size_t)1 << 20)
#define TD_SMOOTHING 0.5                /* the newest figure counts as much as all before it */
#define TD_HEAP_MAX_LEAST TD_MIB        /* what a limit may be at least */
#define TD_INITIAL_DEFAULT (4 * TD_MIB) /* a small heap stays in the caches */
#define TD_KEEP_CYCLES 8u               /* budgets for which a live set that swings keeps memory */
#define TD_GROWTH_DEFAULT 2.0           /* a byte is allocated for each that is read */
#define TD_GROWTH_MOST 1e6              /* so that no budget overflows */
#define TD_ADAPTIVE_COST_DEFAULT 0.005  /* per MiB, of the adaptive rule */
/* By the default rule: the adaptive one's cost, and the most room that it may ask for. */
#define TD_ROOT_COST 0.002
#define TD_ROOT_MOST (72 * TD_MIB)
/* Where young collections find most of the garbage, full ones are few. So small heaps save room:
 * four tenths of the first 96 MiB are not made up for, which is a growth by 1.6. */
#define TD_ROOT_MOST_YOUNG (32 * TD_MIB)
#define TD_SAVED_PART 0.4
#define TD_SAVED_OF (96 * TD_MIB)
/* By weight: a leaf is found and sorted, but not read; a root is read, but neither. Small heaps get
 * a quarter more room, as they pay most for a collection's fixed costs. */
#define TD_LIGHT 0.5
#define TD_EXTRA_PART 0.25
#define TD_EXTRA_MOST TD_MIB

#define TD_ADDED_PART 8  /* of the blocks in use, where holes are of little use */
#define TD_LITTLE_PART 8 /* of the room was allocated: the rest went to kinds and sizes */

#define TD_YOUTH_LEAST TD_MIB /* where caches are smaller than that */
/* It grows while collections of it take more of the time, and shrinks below the lesser share. */
#define TD_SHARE_MUCH 0.01
#define TD_SHARE_LITTLE 0.002
#define TD_SHORT_NS 1e6 /* it grows only if twice the pause is no long one, */
#define TD_PAUSE_NS 3e6 /* which programs would notice: it shrinks */
/* Stores that are logged before a collection comes: each takes 0.1 to 0.2 us to look into. */
#define TD_YOUTH_LOGGED ((size_t)16 << 10)
/* With a goal: what a pause takes for a byte if all survives, and for what was logged, which gets
 * half of the time; and the least young part, of which a pause takes as long as a stop does. */
#define TD_GOAL_BYTE_NS 1.0
#define TD_GOAL_LOGGED_NS 150.0
#define TD_GOAL_LEAST ((size_t)256 << 10)
#define TD_GOAL_LEAST_US 100u
#define TD_GOAL_MOST_US 1000000u
static inline bool td_pause_goal_is_in_range(uint64_t us) {
  return us >= TD_GOAL_LEAST_US && us <= TD_GOAL_MOST_US;
}
/* The budget is used up: with this part of a young part a young collection comes first. */
#define TD_YOUTH_ENOUGH 4
/* Trials in vain: their part of the time of full collections, the most to be saved for them (each
 * is a pause), how many times larger the young part is in the next step, and how many of the first
 * young parts are allocated before another trial: if all survives, it marks a small part of that.
 */
#define TD_TRIAL_SHARE 0.1
#define TD_TRIAL_MOST_NS 16e6
#define TD_TRIAL_STEP 4
#define TD_TRIAL_WAIT 32

/* Beside the program: how much more may be allocated meanwhile than in the collections before, how
 * much in the first for each byte that lives, and the part of the limit that is left for then. */
#define TD_BESIDE_AHEAD 1.5
#define TD_BESIDE_FIRST 0.25
#define TD_BESIDE_LEAST ((size_t)1 << 20) /* counts as alive, too: to begin takes its time */
#define TD_BESIDE_RESERVE 32u
/* This part of what is free is left for a program that is to collect by itself. */
#define TD_ASKED_RESERVE 8u

/* Full collections. Under the space's lock. */
struct td_sizing {
  /* Constant but for tide_heap_set_max and tide_heap_set_sizing. */
  enum tide_sizing kind;
  double growth_factor; /* 0: the usual one of the rule */
  double adaptive_cost;
  bool young;  /* young collections happen, */
  bool beside; /* and full ones do not stop the program */
  uint32_t initial_blocks, max_blocks;
  uint32_t reserve_blocks; /* below the limit: a collection is due before they are used */
  double allocation_rate, marking_rate; /* bytes per ns, smoothed */
  double room;                          /* of the last budget, as meant */
  double room_share;                    /* of that for each byte that lives */
  double free_bytes;    /* free in blocks that were in use after the last collection */
  double unusable;      /* part of those that was not allocated, smoothed */
  uint32_t used_blocks; /* after the last collection */
  /* A collection is due when used blocks and external bytes reach this. max_blocks does not bound
   * it, or a heap at its limit would collect each time that external memory is added. */
  uint64_t due_bytes;
  uint32_t recent[TD_KEEP_CYCLES]; /* budgets, for giving memory back late */
  unsigned recent_at;
};

/* Young collections. Written under the world's and the space's lock, read under one of them. */
struct td_youth {
  enum tide_young kind; /* under the world's lock; the next collection goes by it */
  bool on;          /* they happen, as soon as the space bears young objects; else the heap waits */
  size_t due_bytes; /* to be allocated until the next one, or the end of the wait */
  size_t least_bytes, most_bytes; /* of due_bytes; the former prevails */
  double credit_ns;               /* that full collections have given for trials */
  /* Constant, the next three. */
  double goal_ns;    /* a young collection shall take no longer; 0: as long as it pays */
  size_t logged_due; /* what may be logged before it */
  bool beside;       /* full collections do not stop the program */
  bool had_full;     /* full_cost is no guess */
  /* ns, smoothed: of a full collection for each byte of room that it leaves; of young ones for each
   * byte allocated, and for each promoted. */
  double full_cost, young_cost, mark_cost;
  double survival; /* bytes promoted for each allocated, smoothed */
};

/* What the program has told of memory outside the heap. */
struct td_external {
  _Atomic(size_t) bytes; /* any thread */
  _Atomic(size_t) noted; /* of these, what the budget knows. Written under the space's lock */
  _Atomic(size_t) dead;  /* given back for objects found dead, and not noted yet. Any thread */
  /* Under that lock. */
  size_t least;       /* what may live of the bytes of the last full collection */
  size_t passed;      /* taken between that and the last young one */
  size_t left;        /* the least noted since the last one, of either kind */
  size_t young_bytes; /* of the space's young_bytes: what has come since the last collection */
};

struct td_when {
  struct td_sizing sizing;
  _Atomic(uint32_t) owed;  /* a wish that was not fulfilled; any thread: gc/cycle/owed.c */
  _Atomic(bool) owed_told; /* all mutators know, and the program */
  struct td_external external;
  struct td_youth youth;
  struct td_youth youth_beside; /* of young collections while a full one goes on */
  /* Under the world's lock. */
  uint64_t ended_ns;                /* when the last collection ended */
  uint64_t allocated_before;        /* bytes allocated before it */
  uint64_t mutator_ns, grown_bytes; /* since the last full one: time, and bytes not found dead */
};

/* What a collection and the time before it showed. */
struct td_facts {
  enum tide_cycle_kind kind;
  bool asked;               /* by the program: so what was not used might have been */
  uint64_t collect_ns;      /* the collection's, and of it the collecting thread's own work, */
  uint64_t worked_ns;       /* which other programs do not disturb */
  uint64_t mutator_ns;      /* since the collection before */
  uint64_t allocated_bytes; /* in that time */
  uint64_t promoted_bytes;  /* by a young one */
  bool logged_much;         /* and it came for what was logged */
  uint64_t live_bytes;      /* as far as is known */
  uint64_t leaf_bytes;      /* of these, in objects that hold no references */
  uint64_t root_bytes;      /* read by marking */
  uint32_t freed_blocks;
  /* Filled in by td_when_set. */
  uint32_t used_blocks, budget_blocks;
  bool withholds; /* dead objects are kept, and may have taken the room */
  uint64_t external_bytes;
};

/* ---- Decisions. Pure ---- */

struct td_wish {
  enum tide_cycle_kind kind;
  enum tide_cycle_cause cause;
};
/* What is to be collected if an allocation found no room, and young_bytes were allocated since the
 * last collection. */
struct td_wish td_when_due(const struct td_when *when, enum td_room room, size_t young_bytes);
/* After a collection: decides when the next ones are due. Returns the budget of blocks. */
uint32_t td_when_next(struct td_when *when, const struct td_facts *facts);
/* The two halves of it. Room: bytes until the budget is used up. */
uint32_t td_sizing_next(struct td_when *when, const struct td_facts *facts);
void td_youth_next(struct td_youth *youth, const struct td_facts *facts, double room);
/* cache_bytes: of the processor's second level, or 0 if that is not known. */
void td_youth_begin(struct td_youth *youth, enum tide_young kind, size_t cache_bytes,
                    unsigned goal_us);
/* While a full collection goes on, young ones always pay: how large the young part is meanwhile, at
 * the beginning and after each. */
void td_youth_begin_beside(struct td_when *when);
void td_youth_adjust(struct td_youth *youth, const struct td_facts *facts);
/* Returns the blocks, used or free, that should stay committed. */
uint32_t td_sizing_keep(const struct td_sizing *sizing);
/* Returns an average, 0 at first, after a fresh figure. */
static inline double td_smooth(double old, double fresh) {
  return old > 0 ? old + TD_SMOOTHING * (fresh - old) : fresh;
}

/* Adds to the external bytes; dead: the program is being told of what has died. Returns false if
 * more is taken off than there is, or more added than can be counted. May be called anywhere. */
bool td_external_add(struct td_external *external, ptrdiff_t bytes, bool dead);
/* Returns how many blocks' worth was taken that the budget does not know yet. */
size_t td_external_taken(const struct td_external *external);
/* Lets the budget know, if it is worth while. Returns TD_ROOM if no collection is due, else why,
 * and stores which. */
enum td_room td_external_note(struct tide_heap *heap, struct td_wish *wish);
/* Under the space's lock. After a collection: the external bytes begin anew. Returns them. */
size_t td_external_begin(struct td_when *when, enum tide_cycle_kind kind);

/* Decides, and sets the budget. */
void td_when_set(struct tide_heap *heap, struct td_facts facts);
/* A program that collects when it wants to is to hear that it should while there is room, and goes
 * on until it does. Both under the space's lock; the second returns the most of a budget. */
void td_budget_reserve(struct tide_heap *heap, uint32_t used);
static inline uint32_t td_budget_bound(const struct tide_heap *heap) {
  return heap->space.max_blocks - heap->when->sizing.reserve_blocks;
}
/* Returns the hard limit in blocks. */
uint32_t td_budget_most(struct tide_heap *heap);
/* Raises the budget by what `blocks` more need. Returns false if the hard limit is reached. */
bool td_budget_grow(struct tide_heap *heap, uint32_t blocks);
/* Returns free memory beyond what the last few budgets wanted to the system. */
void td_budget_trim(struct tide_heap *heap);

#endif
