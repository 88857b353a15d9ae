/* SPDX-License-Identifier: MIT */
/* A mutator: one for each thread that is attached to a heap. */
#ifndef TD_GC_STATE_MUTATOR_H
#define TD_GC_STATE_MUTATOR_H

#include "gc/arrays/root_list.h"
#include "gc/arrays/table.h"
#include "gc/state/heap.h"
#include "heap/cells/cache.h"

/* A part of some stack whose frames are not running: everything in [top, high) may be a root,
 * and so may the registers that were saved when the mutator left it. */
#define TD_SAVED_WORDS 192u
struct tide_fiber_stack {
  struct tide_fiber_stack *next, **link;   /* of the same mutator, and what leads here */
  struct tide_fiber_stack *after, *before; /* in the list of gc/threads/mutator/resting.h */
  _Atomic(uint32_t) rest;                  /* [rest] in gc/threads/mutator/rest.h */
  uintptr_t low, high;
  bool grows;    /* it may be used below `low`: see td_plat_stack_bounds */
  uintptr_t top; /* lowest word in use; while the mutator stands still, or when it left */
  bool left;     /* the mutator ran here and told of leaving: top and saved are of that moment */
  void *fake; /* AddressSanitizer's other stack, which has some of the frames' variables, or NULL */
  uint32_t saved_count;
  uintptr_t saved[TD_SAVED_WORDS];
};

/* A reference that gc's own code holds across an allocation. */
struct td_local_root {
  uintptr_t reference;
  struct td_local_root *up;
};

/* Bits of tide_mutator.state. */
#define TD_SAFE 1u     /* the mutator promises not to touch the heap; it sets and clears this */
#define TD_STOP 2u     /* someone has stopped the world: SAFE may not be cleared; the stopper's */
#define TD_FORK 4u     /* with STOP: it is a fork, see gc/threads/stop/signal.h; the stopper's */
#define TD_STOP_ONE 8u /* from here on the number of the last stop: [TD_STOP_ONE …) */

struct td_self;

struct tide_mutator {
  struct tide_mutator_fast fast;

  /* Constant while attached. */
  struct tide_heap *heap; /* NULL once detached */
  const void *thread;     /* td_self of the thread that attached it */
  long thread_id;         /* the system's number of that thread; the forking one's changes */
  enum tide_stack stack_kind;
  int stop_signal; /* that stops its thread anywhere; 0: it polls */

  /* Owner only; a stopper reads them while the mutator is safe. */
  struct td_cache cache; /* fast.bump points at its runs, or at empty ones when it must not. What it
                          * has handed out is not yet in the heap's allocated_bytes */
  uint32_t blocking_depth;
  struct td_self *signalled; /* its thread if a signal may stop that, or NULL */
  bool interrupted;    /* it stands still wherever a signal met it: gc/threads/stop/signal.h */
  uint32_t door;       /* number of the fork's stop that it has answered so, 0: none */
  bool section_safe;   /* it counts as standing still for the length of its blocking section */
  bool section_copied; /* its stack's words are in `section`: the stack itself may change */
  struct td_root_list section; /* words of the current stack and registers; it has no spans */
  enum tide_status alloc_status;
  uint64_t stress_count, stress_turns;
  uint64_t scarce;      /* collections when one of its own had left no cell of a size; 0: never */
  uint64_t freed_bytes; /* by tide_free, not yet in the heap's */
  uint64_t logged;      /* times that it logged something anew since the last collection */
  struct td_written_part *written; /* what it fills beside the program: see written.h; or NULL */
  uint64_t overwritten;            /* objects that it has kept while marking went on beside it, */
  uint64_t paced_ns;               /* and how long it has waited: both since that began */
  struct tide_fiber_stack own;
  struct tide_fiber_stack native;   /* what the system says of it; own is what the program says */
  struct tide_fiber_stack signal;   /* of a handler that has a stack of its own (sigaltstack) */
  struct tide_fiber_stack *current; /* the stack it has told that it runs on: &own or a fiber's */
  struct tide_fiber_stack *running; /* while it stands still: the one that it stood on. Another than
                                     * `current` if a signal came between telling and switching, and
                                     * &signal in a handler that interrupted `current` */
  struct tide_fiber_stack *fibers;
  struct td_table known; /* of them */
  void *by_address;      /* the same as a tree of tsearch */
  struct td_local_root *locals;
  bool looks_first;     /* the next allocation is to look what is owed: inlined code sees no run */
  bool tells_dead;      /* the program is being told of what has died */
  size_t dead_to_tell;  /* blocks of the dead, besides one, that its next allocation tells of */
  const char *callback; /* a function of the embedder that runs inside an allocation, or NULL */
  struct td_handle_segment *handles; /* the segment in use, or NULL */
  uint32_t handles_used;             /* slots in use in it */
  size_t scope;                      /* token of the innermost scope, 0 if none is open */
  size_t scope_base;                 /* slots in the segments below it */

  bool released; /* a stop lets it go on for a while: gc/threads/stop/world.c. Under the world's
                    lock */
  /* It stands still between stops too: gc/foreign/other_threads.c. Written under the world's lock;
   * read there, and by the thread itself. */
  _Atomic(bool) suspended;

  /* Links, under the world's lock; thread_next is the thread's own. */
  struct tide_mutator *next, **link; /* what leads here */
  struct tide_mutator *thread_next;

  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) state;
};
_Static_assert(offsetof(struct tide_mutator, fast) == 0, "inlined code takes one for the other");

#endif
