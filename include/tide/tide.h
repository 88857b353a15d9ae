/* SPDX-License-Identifier: MIT */
/* Tidemark: a parallel, non-moving mark-sweep collector that you embed.
 *
 * Create a heap, attach the calling thread as a mutator, describe what your objects look like (a
 * layout), allocate. What a root reaches stays; the rest is reclaimed.
 *
 *   struct tide_heap *heap = tide_heap_create(NULL, NULL);
 *   struct tide_mutator *m = tide_attach(heap, NULL, NULL);
 *   size_t refs[] = {offsetof(struct cons, car), offsetof(struct cons, cdr)};
 *   tide_layout cons = tide_layout_offsets(heap, sizeof(struct cons), refs, 2, NULL);
 *   struct cons *c = tide_alloc(m, cons, sizeof *c);
 *
 * Words used below
 *   reference  a word that holds the address of an object's first byte. A word whose low four
 *              bits are not all zero, or that lies outside the heap, is never a reference: tagged
 *              integers and foreign pointers may sit in any reference slot.
 *   slot       a word of memory that may hold a reference.
 *   root       where a collection begins: stacks, handles, and slots that you register.
 *   mutator    a thread attached to a heap. Only attached threads may touch the heap's objects.
 *   safepoint  a place where a mutator lets a collection happen: every allocation, every
 *              tide_safepoint(), every blocking section, and every call that collects or stops
 *              the others: walks, checks, changes of settings.
 * Objects never move. They are 16-byte aligned and zeroed (but for tide_layout_unzeroed).
 *
 * Threads. A function that takes a mutator is for the thread that attached it, one that takes a
 * heap for any thread, unless its comment says otherwise. None may be called in a signal handler.
 *
 * Failures. A comment lists what a function answers besides the following; one that returns no
 * status returns NULL, false or 0, and says why in *error, if it has one. Nothing is changed.
 *   TIDE_ERROR_ARGUMENT  NULL where a heap, a mutator, a function or an address is wanted
 *   TIDE_ERROR_STATE     in a callback; with a mutator in a blocking section, detached or not yours
 *   TIDE_ERROR_MEMORY    no memory to remember what is added or made
 * Debug builds abort and say why at a misused mutator. Inlined functions trust that it is not NULL.
 *
 * Callbacks. A function of yours that Tidemark calls must return: not leave by longjmp, an
 * exception or the thread's end. If one did, the next call into the library ends the process with a
 * message; so does a fork in one while the world stands still. Meanwhile (trace functions, root
 * callbacks, events, visits of a walk) call only tide_trace… and what just looks: tide_current,
 * tide_heap_of, tide_object_…, tide_weak_get, tide_ephemeron_key and _value, tide_weak_table_get
 * and _count, and statistics. Other calls are refused, for all heaps of the thread, layouts too.
 *
 * Includes tide/layout.h, root.h, write.h, weak.h and fiber.h; figures are in tide/stats.h. */
#ifndef TIDE_TIDE_H
#define TIDE_TIDE_H
#include "tide/base.h"
#include "tide/layout.h"
#include "tide/root.h"

TIDE_BEGIN
/* ---- Heaps ----------------------------------------------------------------------------- */
/* How the heap decides when to collect and how much to grow. */
enum tide_sizing {
  TIDE_SIZING_DEFAULT = 0, /* growth factor; more where it pays, up to a bound */
  TIDE_SIZING_FIXED,       /* collect only when the hard limit is reached */
  TIDE_SIZING_GROWTH,      /* next collection at live bytes times growth_factor */
  TIDE_SIZING_ADAPTIVE,    /* square-root rule of MemBalancer (Kirisame et al., OOPSLA 2022) */
  TIDE_SIZING_WEIGHTED,    /* growth by what collections read: objects without references and
                             roots count half, and small heaps get up to 1 MiB more */
};

/* Does allocation collect when a collection is due? */
enum tide_collects {
  TIDE_COLLECTS_WHEN_DUE = 0,
  TIDE_COLLECTS_WHEN_ASKED, /* never: see tide_collection_due. At the hard limit it fails */
  TIDE_COLLECTS_AT_LIMIT,   /* the same, but at the hard limit it collects */
};

struct tide_advanced_options;
/* 0 in a field is its default. tide_options_init keeps programs with an older header working. */
struct tide_options {
  size_t struct_size; /* set by tide_options_init */
  /* Hard limit of what objects, fragments and tables of objects take from the system, give or take
   * a few MiB. Default TIDE_HEAP_MAX, else 7/8 of the memory there is; under memcheck 2 GiB. */
  size_t heap_max_bytes;
  size_t heap_initial_bytes; /* no collection before this much is in use */
  size_t reserve_bytes;      /* address space; if refused, most of what there is */
  /* Marking threads, the collecting one included. Default TIDE_MARKERS, else CPUs allowed. No more
   * take part in a collection than there are CPUs: TIDE_CPUS, else those allowed. */
  unsigned markers;
  enum tide_sizing sizing;
  double growth_factor; /* over 1.0 */
  /* Called by the allocating thread when a collection and growing made no room for what is not over
   * the whole limit. True: caches were dropped, say, and allocation is tried once more. It may
   * collect, run finalizers, write a snapshot, but not allocate from this heap. */
  bool (*out_of_memory)(void *context, size_t bytes);
  void *out_of_memory_context;
  /* Ask the system for no huge pages. With them, behind the first 2 MiB, scattered heaps are marked
   * faster, but the first touch costs more: short runs are better off without. Default: true if
   * TIDE_HUGE_PAGES is 0. */
  bool small_pages;
  /* The program promises to store references into objects by tide_write (see tide/write.h). The
   * heap then collects young objects apart. TIDE_YOUNG=0 takes the promise back. Default: false. */
  bool write_barrier;
  const struct tide_advanced_options *advanced; /* NULL, or see tide/advanced.h */
  /* With small_pages: over this many bytes of heap, ask for huge pages after all, 2 MiB at a time,
   * where it may grow over them before the next collection. 0, or TIDE_HUGE_PAGES=0: nowhere. */
  size_t huge_pages_from;
  /* The collecting thread marks alone until marking has taken this many milliseconds in all, or the
   * heap uses 32 MiB: short programs start no threads. Default, and with TIDE_MARKERS: 0. */
  unsigned helpers_after_ms;
  enum tide_collects collects;
  /* With write_barrier: full collections mark while the program runs, and stop it twice for well
   * under a millisecond. The program also promises tide_write or tide_write_begin for stores of
   * NULL and numbers over references. Young collections happen, but only with a pause_goal_us
   * or after tide_heap_set_young. A heap with layouts of tide_layout_traced (not _concurrent), weak
   * slots in place or TIDE_STOP_SIGNAL is marked stopped, as stopped_because in tide_cycle_stats
   * says. During a collection tide_free and shrinking in place wait for the next one.
   * TIDE_CONCURRENT=0 or 1 overrides it, in heaps with write_barrier. Default: false. */
  bool concurrent;
  /* How long a young collection may take, 100 to 1,000,000: it then collects less at a time. A
   * goal, not a promise. Default: TIDE_PAUSE_GOAL_US, else 0: none. */
  unsigned pause_goal_us;
};
TIDE_API void tide_options_init(struct tide_options *options);

/* Creates a heap. options may be NULL. A reference from one heap into another is not seen.
 *   TIDE_ERROR_ARGUMENT     an option is out of range, contradicts another, or is a newer header's
 *   TIDE_ERROR_ENVIRONMENT  a variable TIDE_… means nothing
 *   TIDE_ERROR_SYSTEM       no address space, thread key or fork handlers; or pages over 64 KiB
 * On success error->status is TIDE_OK, and error->text tells what was not to be had as it was meant
 * (less address space); as a rule it is empty. */
TIDE_API struct tide_heap *tide_heap_create(const struct tide_options *options,
                                            struct tide_error *error);

/* Gives everything back: the heap and all that came from it. No finalizer runs. NULL is TIDE_OK.
 *   TIDE_ERROR_STATE  mutators are attached */
TIDE_API enum tide_status tide_heap_destroy(struct tide_heap *heap);

/* What the functions below set counts from the next collection on; they wait for a running one.
 * This one chooses how many markers. Threads start when a collection needs them, end after a second
 * without one, and are fewer if the system refuses some: see `available` in tide_cycle_stats.
 *   TIDE_ERROR_ARGUMENT  not 1 to TIDE_MARKERS_MAX, or several with an engine for one marker */
TIDE_API enum tide_status tide_heap_set_markers(struct tide_heap *heap, unsigned markers,
                                                struct tide_error *error);
#define TIDE_MARKERS_MAX 256u
/* Changes the hard limit. Below what is in use, allocation fails until enough has died.
 *   TIDE_ERROR_ARGUMENT  under 1 MiB, or over reserve_bytes (by default twice the first limit) */
TIDE_API enum tide_status tide_heap_set_max(struct tide_heap *heap, size_t heap_max_bytes,
                                            struct tide_error *error);
/* Changes how the heap grows. A factor of 0 is the default; FIXED and ADAPTIVE do not use it.
 *   TIDE_ERROR_ARGUMENT  no such sizing, or a factor that is not over 1 */
TIDE_API enum tide_status tide_heap_set_sizing(struct tide_heap *heap, enum tide_sizing sizing,
                                               double growth_factor, struct tide_error *error);

/* Do young collections happen, in a heap with a write barrier? From the next collection on. Under
 * TIDE_VERIFY=1 the first is as the second, because they show which tide_write was forgotten.
 *   TIDE_ERROR_ARGUMENT  no such setting
 *   TIDE_ERROR_STATE     there is no barrier: see tide_collect_young */
enum tide_young {
  TIDE_YOUNG_WHERE_IT_PAYS = 0,
  TIDE_YOUNG_ALWAYS,
  TIDE_YOUNG_NEVER, /* stores cost nothing more then */
};
TIDE_API enum tide_status tide_heap_set_young(struct tide_heap *heap, enum tide_young young);

/* Which conservative words keep objects alive; those of stacks and registers do in any case. */
enum tide_interior {
  TIDE_INTERIOR_ALL = 0, /* those that point at or into an object */
  TIDE_INTERIOR_BASE,    /* those that point at its first byte, or behind it by a displacement */
};
/*   TIDE_ERROR_ARGUMENT  no such setting, or TIDE_DISPLACEMENT_MAX bytes or more */
TIDE_API enum tide_status tide_heap_set_interior(struct tide_heap *heap,
                                                 enum tide_interior interior);
TIDE_API enum tide_status tide_heap_add_displacement(struct tide_heap *heap, size_t bytes);
#define TIDE_DISPLACEMENT_MAX 4096u

/* ---- Mutators -------------------------------------------------------------------------- */
enum tide_stack {
  TIDE_STACK_CONSERVATIVE = 0, /* its stack and registers are roots, interior pointers too */
  TIDE_STACK_PRECISE,          /* only handles are roots: see tide_handle */
};
/* How the thread comes to stand still for a collection. */
enum tide_stop {
  TIDE_STOP_POLL = 0, /* at safepoints: it calls tide_safepoint where it runs long */
  TIDE_STOP_SIGNAL,   /* a signal stops it wherever it is; it may run without safepoints */
};
struct tide_attach_options {
  size_t struct_size; /* set by tide_attach_options_init */
  enum tide_stack stack;
  enum tide_stop stop; /* TIDE_STOP_SIGNAL needs TIDE_STACK_CONSERVATIVE */
  /* Where the thread's conservative stack begins, if that is not on the one that the system gave
   * it: a multiple of 8, as for tide_stack_set_own. NULL: there */
  void *own_high;
};
TIDE_API void tide_attach_options_init(struct tide_attach_options *options);

/* Chooses the signal for TIDE_STOP_SIGNAL in the whole process; 0 stands for the default: the
 * variable TIDE_STOP_SIGNAL (a number), else SIGPWR.
 *   TIDE_ERROR_ARGUMENT  no signal that a program can handle has this number
 *   TIDE_ERROR_STATE     such threads are attached
 * tide_stop_signal returns the one in use or, before the first such attach, that was chosen.
 *
 * Such threads may stand anywhere, inside malloc or with a lock of the C library's too. So trace
 * functions, root callbacks and events may call nothing that waits for those: no malloc, no stdio.
 * Tidemark keeps to that in collections. Where they cannot, and for snapshots and inspections,
 * which allocate, have them enter blocking sections first. System calls that the signal interrupts
 * go on where the system restarts them (SA_RESTART); others, such as sleeps, fail with EINTR. No
 * thread may block the signal, which tide_attach unblocks: collections would wait. Such an attach
 * waits for the end of a collection that marks beside the program. */
TIDE_API enum tide_status tide_stop_signal_set(int signal, struct tide_error *error);
TIDE_API int tide_stop_signal(void);

/* Makes the calling thread a mutator, after a running collection. NULL: a conservative stack.
 *   TIDE_ERROR_ARGUMENT     the options mean nothing
 *   TIDE_ERROR_STATE        this thread is attached to the heap already; a signal would stop it in
 *                           one heap and not in another; or the program handles that signal itself
 *   TIDE_ERROR_ENVIRONMENT  the variable TIDE_STOP_SIGNAL means nothing
 *   TIDE_ERROR_SYSTEM       a conservative stack's bounds are unknown; no thread key is left */
TIDE_API struct tide_mutator *tide_attach(struct tide_heap *heap,
                                          const struct tide_attach_options *options,
                                          struct tide_error *error);
/* Ends it, in a blocking section too. The mutator may not be used afterwards; Tidemark notices such
 * use until 64 more were detached. A thread that exits is detached by itself. NULL is TIDE_OK.
 *   TIDE_ERROR_STATE  handle scopes are open; also in finalizers and the out-of-memory hook */
TIDE_API enum tide_status tide_detach(struct tide_mutator *mutator);
/* Returns the calling thread's mutator for this heap, or NULL. */
TIDE_API struct tide_mutator *tide_current(struct tide_heap *heap);
TIDE_API struct tide_heap *tide_heap_of(struct tide_mutator *mutator);

/* Between these two calls the thread promises not to touch the heap (a system call, a long
 * computation), and a collection does not wait for it. Regions may nest. Calls with this mutator
 * are refused meanwhile, but for these two, tide_safepoint, tide_external_add and tide_detach. The
 * references on its conservative stack and in its registers are copied when it enters, which takes
 * longer from a deep stack, and keep their objects alive until it leaves. So does what others store
 * meanwhile into frames that were there then, a thread its result, say. Without memory for the
 * copy, collections wait until the thread leaves. The calls may stand in a guard's constructor and
 * destructor. Leaving may wait for a collection to end. Both keep errno. */
TIDE_API void tide_blocking_enter(struct tide_mutator *mutator);
TIDE_API void tide_blocking_leave(struct tide_mutator *mutator);

/* The part of a mutator that inlined code sees. Do not touch it: its fields may change. */
struct tide_bump {
  uintptr_t next, limit; /* first free byte of a run of zeroed cells; its end */
};
struct tide_mutator_fast {
  uint32_t stop;          /* a collection waits; the collector writes, this thread reads */
  uint32_t inside;        /* this thread allocates just now; it writes, its signal handler reads */
  struct tide_bump *bump; /* [layout * TIDE_BUMP_SLOTS + size class]; this thread only */
  /* For tide_write: the heap's marks, constant while attached, and what of an object's address
   * finds its mark; 0, which finds none, while a collection says that nothing need be told. */
  const signed char *marks;
  uintptr_t mark_mask;
  uint32_t due; /* a collection is due, and does not take place by itself; others write, too */
};
#define TIDE_BUMP_SLOTS 64u
#define TIDE_BUMP_INLINE_BYTES 512u /* classes of 16 bytes each up to here */

/* One load when nobody waits. Call it in loops that run long without allocating. */
TIDE_API void tide_safepoint_slow(struct tide_mutator *mutator);
static inline void tide_safepoint(struct tide_mutator *mutator) {
  struct tide_mutator_fast *fast = (struct tide_mutator_fast *)mutator;
  if (!TIDE_LIKELY(__atomic_load_n(&fast->stop, __ATOMIC_RELAXED) == 0))
    tide_safepoint_slow(mutator);
}

/* ---- Allocation ------------------------------------------------------------------------ */
/* Returns an object of at least `bytes` bytes (0 counts as 1). Up to half a block (32 KiB) it comes
 * from a size class; above, it has blocks of its own. A safepoint. tide_alloc_status says why not:
 *   TIDE_ERROR_MEMORY    no room even after a collection, growing, and the out-of-memory hook
 *   TIDE_ERROR_ARGUMENT  another heap's layout, or slots outside the object; over PTRDIFF_MAX
 *   TIDE_ERROR_STATE     also in the out-of-memory hook. Another thread's mutator is found out only
 *                        when its piece of memory is used up, at once with TIDE_STRESS=1: a race */
TIDE_API void *tide_alloc_slow(struct tide_mutator *mutator, tide_layout layout, size_t bytes);
static inline void *tide_alloc(struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  if (TIDE_LIKELY(bytes <= TIDE_BUMP_INLINE_BYTES && layout < TIDE_LAYOUT_MAX)) {
    struct tide_mutator_fast *fast = (struct tide_mutator_fast *)mutator;
    size_t cell = (bytes + 15u) & ~(size_t)15u;
    struct tide_bump *bump = &fast->bump[(size_t)layout * TIDE_BUMP_SLOTS + (cell >> 4)];
    uintptr_t at = bump->next;
    if (TIDE_LIKELY(at + cell - 1 < bump->limit)) { /* false for an empty cache and for cell 0 */
      __atomic_store_n(&bump->next, at + cell, __ATOMIC_RELAXED);
      /* No instruction: what is written to the object comes after the store, also for signals. */
      __asm__("" : "+r"(at) : "m"(bump->next));
      if (at == 0) __builtin_unreachable(); /* so that callers' tests for NULL cost nothing */
      return (void *)at;
    }
  }
  return tide_alloc_slow(mutator, layout, bytes);
}

/* Returns an array of count elements (0 counts as 1) of bytes_each bytes each. A layout that was
 * made of offsets or a bitmap describes one element, and every element has its references there;
 * bytes_each must be a multiple of 8 then. Other layouts describe the array as a whole. Fails as
 * tide_alloc, and with
 *   TIDE_ERROR_ARGUMENT  count * bytes_each overflows, or an element is too small for its layout
 *   TIDE_ERROR_LIMIT     one layout too many; references behind an element's 64th word */
TIDE_API void *tide_alloc_array(struct tide_mutator *mutator, tide_layout layout, size_t count,
                                size_t bytes_each);
/* As tide_alloc. alignment is a power of two up to 64 KiB; else TIDE_ERROR_ARGUMENT. */
TIDE_API void *tide_alloc_aligned(struct tide_mutator *mutator, tide_layout layout, size_t bytes,
                                  size_t alignment);
/* Returns why this mutator's last allocation that returned NULL did, in tide/weak.h too. */
TIDE_API enum tide_status tide_alloc_status(const struct tide_mutator *mutator);

/* Frees an object now, for programs that know that nothing refers to it any more; collections find
 * that out by themselves. A large object gives its memory back at once; the cell of a small one
 * goes to the next allocation of its layout and size by this mutator, or to a collection. Its
 * finalizers are forgotten and do not run; once one is on the queue, it may not be freed. As with
 * free, nothing catches a later use of the object, or of a reference to it that a collection
 * follows. NULL is TIDE_OK. Allowed in finalizers and in the out-of-memory hook.
 *   TIDE_ERROR_ARGUMENT  no object begins there, or, as memory tells, a freed one. Debug: aborts */
TIDE_API enum tide_status tide_free(struct tide_mutator *mutator, void *object);
/* Makes an object usable for `bytes` bytes (0 counts as 1) where it is. A small one can take what
 * its cell holds (tide_object_bytes); a large one also what is free behind it, which is zeroed, and
 * gives back what it needs no more. Returns false if that is not possible. Never collects. */
TIDE_API bool tide_resize_in_place(struct tide_mutator *mutator, void *object, size_t bytes);

/* Return the bytes usable at an object, its layout, and the object that an address points at or
 * into (one past the end is the next one's). Return 0, TIDE_LAYOUT_INVALID and NULL for what is no
 * object of this heap. For an attached thread that is not in a blocking section, or in a callback.
 * Memory from which another thread is about to allocate may be taken for objects. */
TIDE_API size_t tide_object_bytes(struct tide_heap *heap, const void *object);
TIDE_API tide_layout tide_object_layout(struct tide_heap *heap, const void *object);
TIDE_API void *tide_object_find(struct tide_heap *heap, const void *address);

/* ---- Collecting ------------------------------------------------------------------------ */
/* Collects everything now, after a collection that runs already, and returns when it is done.
 *   TIDE_ERROR_STATE  collecting is paused */
TIDE_API enum tide_status tide_collect(struct tide_mutator *mutator);
/* Begins one beside the program, unless one goes on, and returns at once. For idle moments. It
 * stops this thread at a later safepoint, be that an allocation. A program whose roots are complete
 * in few places only calls tide_safepoint in one of them until TIDE_EVENT_STOPPED has come.
 *   TIDE_ERROR_STATE   the heap has not tide_options.concurrent, or collecting is paused
 *   TIDE_ERROR_SYSTEM  there is no thread for it */
TIDE_API enum tide_status tide_collect_begin(struct tide_mutator *mutator);
/* Collects what was allocated since the last one and is reached by nothing; older is alive.
 *   TIDE_ERROR_STATE  collecting is paused; no tide_options.write_barrier, or TIDE_YOUNG=0 */
TIDE_API enum tide_status tide_collect_young(struct tide_mutator *mutator);

/* Is a collection due that does not take place by itself, because collecting is paused or because
 * of tide_options.collects? One load. TIDE_EVENT_COLLECTION_DUE tells when it becomes due. */
static inline bool tide_collection_due(const struct tide_mutator *mutator) {
  const struct tide_mutator_fast *fast = (const struct tide_mutator_fast *)mutator;
  return __atomic_load_n(&fast->due, __ATOMIC_RELAXED) != 0;
}
/* Collects what is due, young objects or everything; nothing if nothing is.
 *   TIDE_ERROR_STATE  collecting is paused */
TIDE_API enum tide_status tide_collect_due(struct tide_mutator *mutator);

/* Between these two calls no collection of this heap begins, and it grows up to its hard limit,
 * where allocation fails. Pauses nest, over all threads. Pausing waits for a collection to end.
 *   TIDE_ERROR_STATE  resumed more often than paused */
TIDE_API enum tide_status tide_collect_pause(struct tide_heap *heap);
TIDE_API enum tide_status tide_collect_resume(struct tide_heap *heap);

/* Tells of memory outside the heap that lives and dies with objects: buffers from malloc, say. Add
 * `bytes` when it is taken, minus as many when it is freed. It counts like objects for when to
 * collect next, also for young collections, but not towards the limit. No safepoint: allowed
 * wherever the mutator's thread is, in your realloc, in blocking sections and events.
 *   TIDE_ERROR_ARGUMENT  more is taken off than was added */
TIDE_API enum tide_status tide_external_add(struct tide_mutator *mutator, ptrdiff_t bytes);
TIDE_END

#include "tide/fiber.h"
#include "tide/weak.h"
#include "tide/write.h"
#endif
