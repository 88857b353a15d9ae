/* The collector's state: one struct tide_heap per heap, one struct tide_mutator per attached
 * thread. What each file of this folder offers to the others is declared in its own header.
 *
 * Locks, in the order in which they are taken:
 *   process  (gc/threads/mutator/fork.c) the list of heaps
 *   world    the list of mutators, and the right to stop them
 *   roots    what was registered as a root
 *   final    registered and pending finalizers
 *   heap     blocks (heap/space.h)
 *   stats    figures of past collections
 * A mutator that may have to wait for `world` counts as standing still meanwhile
 * (gc/threads/stop/world.h); the other locks are held for short, never across a safepoint. */
#ifndef TD_GC_BASE_STATE_H
#define TD_GC_BASE_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gc/base/scan.h"
#include "gc/base/table.h"
#include "gc/when/filling.h"
#include "gc/when/sizing.h"
#include "gc/when/youth.h"
#include "heap/space.h"
#include "marker/marker.h"
#include "tide/foreign.h"
#include "tide/stats.h"
#include "tide/tide.h"

/* ---- Mutators ---- */

/* A part of some stack whose frames are not running: everything in [top, high) may be a root,
 * and so may the registers that were saved when the mutator left it. */
#define TD_SAVED_WORDS 192u
struct tide_fiber_stack {
  struct tide_fiber_stack *next;
  uintptr_t low, high;
  bool grows;    /* it may be used below `low`: see td_plat_stack_bounds */
  uintptr_t top; /* lowest word in use; while the mutator stands still, or when it left */
  bool left;     /* the mutator ran here and told of leaving: top and saved are of that moment */
  void *fake; /* AddressSanitizer's other stack, which has some of the frames' variables, or NULL */
  uint32_t saved_count;
  uintptr_t saved[TD_SAVED_WORDS];
};

#define TD_HANDLES_PER_SEGMENT 510u
struct td_handle_segment {
  struct td_handle_segment *below, *above;
  void *slots[TD_HANDLES_PER_SEGMENT];
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
  const void *thread;     /* td_thread_identity of the thread that attached it */
  long thread_id;         /* the system's number of that thread; the forking one's changes */
  struct tide_bump *runs; /* fast.bump points here, or at an empty table when it must not */
  uint32_t *filled;       /* behind the runs: indices of those that may hold a run */
  uintptr_t *freed;       /* behind those: lists of freed cells, gc/object/runs.c */
  uint32_t *freed_at;     /* behind those: indices of the lists that were used */
  enum tide_stack stack_kind;
  int stop_signal; /* that stops its thread anywhere; 0: it polls */

  /* Owner only; a stopper reads them while the mutator is safe. */
  uint32_t filled_count, freed_count;
  uint32_t blocking_depth;
  struct td_self *signalled; /* its thread if a signal may stop that, or NULL */
  bool interrupted;   /* it stands still wherever a signal met it: gc/threads/stop/signal.h */
  uint32_t door;      /* number of the fork's stop that it has answered so, 0: none */
  bool region_safe;   /* it counts as standing still for the length of its blocking region */
  bool region_copied; /* its stack's words are those in `region`: the stack itself may change */
  uintptr_t *region;  /* words of the current stack and of registers that may be references */
  size_t region_count, region_capacity;
  enum tide_status alloc_status;
  uint64_t stress_count, stress_turns;
  uint64_t handed_out;  /* bytes, not yet in the heap's allocated_bytes */
  uint64_t freed_bytes; /* by tide_free, not yet in the heap's */
  /* Stores that the barrier has told of since the last collection, and those of them to a slot that
   * held another reference; and how many times something was logged that had not been. A collection
   * sets them to 0. */
  uint64_t told, replaced, logged;
  struct tide_fiber_stack own;
  struct tide_fiber_stack native;   /* what the system says of it; own is what the program says */
  struct tide_fiber_stack *current; /* the stack it has told that it runs on: &own or a fiber's */
  struct tide_fiber_stack *running; /* while it stands still: the one that it stood on. Another than
                                     * `current` if a signal came between telling and switching */
  struct tide_fiber_stack *fibers;
  struct td_local_root *locals;
  const char *callback; /* a function of the embedder that runs inside an allocation, or NULL */
  struct td_handle_segment *handles; /* the segment in use, or NULL */
  uint32_t handles_used;             /* slots in use in it */
  size_t scope;                      /* token of the innermost scope, 0 if none is open */
  size_t scope_base;                 /* slots in the segments below it */

  bool released; /* a stop lets it go on for a while: gc/threads/stop/world.c. Under the world's
                    lock */
  /* It stands still between stops too: gc/foreign/suspend.c. Written under the world's lock; read
   * there, and by the thread itself. */
  _Atomic(bool) suspended;

  /* Links, under the world's lock; thread_next is the thread's own. */
  struct tide_mutator *next;
  struct tide_mutator *thread_next;

  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) state;
};
_Static_assert(offsetof(struct tide_mutator, fast) == 0, "inlined code takes one for the other");

/* ---- The world: gc/threads/stop/world.c ---- */

struct td_world {
  pthread_mutex_t lock;
  struct tide_mutator *mutators;
  _Atomic(uint32_t) count;  /* changed under the lock */
  _Atomic(bool) collecting; /* a collection runs, or may begin: gc/cycle/asked.h */
  int cancel_state;         /* of the thread that holds the lock, from before; under the lock */
  bool stands_still;        /* under the lock, as the next */
  bool for_program;         /* by tide_world_stop, until tide_world_resume */
  /* Identity of the thread that holds the lock, NULL if none does. */
  _Atomic(const void *) holder;
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) awaited; /* mutators that have not stopped yet */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) gate;    /* bit 0: someone sleeps; rest: resumes */
};

/* ---- Roots: gc/roots/set.c ---- */

struct td_root_range {
  const void *start;
  size_t count; /* words */
};
struct td_root_ranges {
  struct td_root_range *at;
  size_t count, capacity;
  struct td_table index; /* start -> position */
};
struct td_root_callback {
  tide_root_fn call;
  void *context;
};
struct td_pins { /* objects that are kept alive: gc/roots/pin.c */
  /* A byte for each granule, TD_PIN_…; NULL until an object is pinned. Set under the lock. */
  _Atomic(_Atomic(uint8_t) *) bytes;
  size_t from, to;   /* under the lock: which of them may be written; the others are zero */
  uintptr_t *listed; /* under the lock: what has TD_PIN_LISTED, in order of pinning */
  size_t count, capacity;
};
struct td_root_set {
  pthread_mutex_t lock;
  uintptr_t *slots; /* addresses of single slots, dense */
  size_t slot_count, slot_capacity;
  struct td_table slot_index; /* address -> position */
  struct td_root_ranges ranges, conservative;
  struct td_pins pins;
  struct td_root_callback *callbacks;
  size_t callback_count, callback_capacity;
  /* World stopped: words of stacks and registers that lie inside the heap, as the last
   * collection saw them, and the list of spans under construction. */
  uintptr_t *stack_words;
  size_t stack_word_count, stack_word_capacity;
  bool words_incomplete; /* for want of memory: verification cannot see all roots */
  struct td_span *spans;
  size_t span_count, span_capacity;
};

/* ---- Sources of roots: gc/roots/source.c; under the world's lock ---- */

struct td_sources {
  struct tide_root_source *at;
  size_t source_count;
  struct td_span *spans; /* as the sources told the last collection */
  size_t count, capacity;
  size_t reserved_bytes; /* address space for them */
};

/* ---- Weak slots in place: gc/foreign/weak_slot.c; under the finalizers' lock ---- */

#define TD_WEAK_KINDS 2 /* of enum tide_weak_kind */
struct td_weak_slot {
  uintptr_t slot, target;
};
struct td_weak_slots {
  struct td_weak_slot *at;
  size_t count, capacity;
  struct td_table index; /* slot -> position */
  _Atomic(bool) inside;  /* one has been in an object; never taken back */
};

/* ---- One finalizer to an object: gc/weak/finalizer_set.c; under the finalizers' lock ---- */

struct td_set_finalizer {
  uintptr_t object;
  tide_finalizer_fn call;
  uint8_t order; /* enum tide_finalizer_order */
};
#define TD_SETTLED_WORDS 32u
struct td_set_finalizers {
  struct td_set_finalizer *at;
  uintptr_t *contexts; /* of the same numbers: a root */
  size_t count, capacity;
  struct td_table index; /* object -> position */
  /* Bits by address (a Bloom filter of one hash) of what ever had a finalizer here. Set under the
   * lock, read without it by threads that free. */
  _Atomic(uint64_t) seen[TD_SETTLED_WORDS];
};

/* ---- Finalizers: gc/weak/finalizer.c ---- */

struct td_finalizer {
  uintptr_t object; /* 0: removed */
  tide_finalizer_fn call;
  void *context;
  size_t next;  /* of the same object, in order of registration; TD_TABLE_NONE ends */
  uint8_t fate; /* in a collection: enum td_fate */
};
struct td_finalizers {
  pthread_mutex_t lock;
  struct td_finalizer *at; /* in order of registration */
  size_t count, capacity, removed;
  struct td_table index; /* object -> first entry */
  _Atomic(bool) ever;    /* set under the lock; relaxed readers skip the lock without it */
  /* Pending, a ring of `capacity` entries so that queueing cannot fail. The objects stand in an
   * array of their own because they are roots. */
  uintptr_t *pending_objects;
  struct td_finalizer *pending;
  uintptr_t *pending_contexts; /* roots as well; 0 where the context is none */
  size_t pending_capacity, pending_first, pending_count;
  size_t pending_before; /* how many when the last collection began */
  struct td_set_finalizers set;
};

/* ---- Ephemerons: gc/weak/ephemeron.c; the collecting thread's ---- */

#define TD_VALUES_MAX 1024u

struct td_ephemerons {
  uintptr_t unresolved; /* ephemerons whose key is unmarked, chained by their links */
  size_t count;
  size_t work;                     /* ephemerons looked at in this cycle's rounds */
  uintptr_t *buckets;              /* the same by key, while the serial closure runs */
  size_t bucket_count;             /* power of two */
  struct td_worklist list;         /* empty between uses; gc/weak/order.c borrows it */
  uintptr_t values[TD_VALUES_MAX]; /* to be marked in the next run */
  size_t value_count;
  uintptr_t weak;   /* weak references that the serial closure met */
  uint64_t objects; /* marked by the serial closure */
};

/* ---- What a collection did ---- */

struct td_cycle_figures {
  struct tide_cycle_stats all;
  struct tide_marker_stats marker[TIDE_MARKERS_MAX]; /* [0, all.markers) */
};

/* ---- A heap ---- */

#define TD_HEAP_MAX_LEAST ((size_t)1 << 20)
#define TD_POOLED_TABLES 16u
#define TD_QUARANTINE 64u

/* Objects that roots led to at the last look: gc/cycle/watch.h. World stopped. */
#define TD_WATCHED 128u
struct td_watch {
  uintptr_t objects[TD_WATCHED], seen[TD_WATCHED]; /* those, and what the running collection saw */
  unsigned count, seen_count;
  unsigned words;      /* of roots that were looked at */
  unsigned seen_again; /* found by marking, as if they were young */
  bool let_go;         /* at the last look, roots may have let go of much */
};

struct tide_heap {
  struct td_space space;
  struct td_markers *markers;
  struct td_world world;
  struct td_root_set roots;
  struct td_finalizers finalizers;
  struct td_weak_slots weak_slots[TD_WEAK_KINDS];
  struct td_sources sources;
  /* Held by markers, around functions of tide_layout_traced_serially. */
  pthread_mutex_t serial_tracing;
  struct td_serial_trace *serial_traces; /* under the space's lock */
  struct td_ephemerons ephemerons;
  struct td_sizing policy; /* under the space's lock, as external_bytes */
  size_t external_bytes;   /* that the program has told of: tide_external_add */

  /* Constant after creation. */
  bool (*out_of_memory)(void *context, size_t bytes);
  void *out_of_memory_context;
  uint64_t stress; /* allocations from one collection to the next; 0: not asked for */
  bool verify, log;
  tide_layout weak_table_layout;

  /* Under the world's lock. */
  struct td_marker_config config;
  uint32_t pauses_open;      /* of tide_collect_pause: no collection begins while there is one */
  const int *paused_by;      /* tide_collect_pause_by, or NULL; the embedder writes what is there */
  uint64_t ended_ns;         /* when the last collection ended */
  uint64_t allocated_before; /* bytes allocated before it */
  /* Since the last full collection: time of mutators, and bytes that were allocated and, as far as
   * one knows, live. Of the latter those that came since the last collection of any kind. */
  uint64_t mutator_ns, grown_bytes, growth_now;
  enum tide_cycle_kind last_kind; /* of the last collection; while it ends, of that */
  struct td_youth youth;
  struct td_filling filling;
  struct td_watch watch;
  struct tide_bump *pooled_tables[TD_POOLED_TABLES];
  unsigned pooled_table_count;
  struct tide_mutator *retired_first, *retired_last; /* detached ones, reused late */
  unsigned retired_count;

  /* Written with the world stopped, read by mutators that want to know whether another thread
   * has collected meanwhile. */
  _Atomic(uint64_t) cycles;

  /* Markers that the last collection was allowed; written with the world stopped, a figure. */
  _Atomic(unsigned) markers_allowed;

  /* Bytes of runs and large objects handed out; relaxed counter, mutators add now and then. */
  _Atomic(uint64_t) allocated_bytes;
  _Atomic(uint64_t) freed_bytes;

  /* Under the stats lock. */
  pthread_mutex_t stats_lock;
  struct td_cycle_figures *last;     /* the collection that ended last */
  struct td_cycle_figures *building; /* the one that runs: the collecting thread's */
  struct tide_cycle_running running; /* the collecting thread writes it */
  struct tide_pause_histogram pauses;
  uint64_t young_cycles, promoted_bytes;
  uint64_t mark_ns_total, pause_ns_total, pause_ns_max;
  tide_event_fn event;
  void *event_context;
  _Atomic(bool) has_event;
  /* For HEAP_GREW and HEAP_SHRANK: what was told last. Written under the heap's lock. */
  _Atomic(uint32_t) committed_slabs_seen;

  struct tide_heap *next; /* under the process lock */
};

#endif
