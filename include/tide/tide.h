/* Tidemark: a parallel, non-moving mark-sweep collector that you embed.
 *
 * In four steps: create a heap, attach the calling thread as a mutator, describe what your
 * objects look like (a layout), allocate. Whatever a root reaches stays; the rest is reclaimed.
 *
 *   struct tide_heap *heap = tide_heap_create(NULL, NULL);
 *   struct tide_mutator *m = tide_attach(heap, NULL, NULL);
 *   size_t refs[] = {offsetof(struct cons, car), offsetof(struct cons, cdr)};
 *   tide_layout cons = tide_layout_offsets(heap, sizeof(struct cons), refs, 2, NULL);
 *   struct cons *c = tide_alloc(m, cons, sizeof *c);
 *
 * Words used below
 *   reference  a word that holds the address of an object's first byte. A word whose low four
 *              bits are not all zero, or that lies outside the heap, is never a reference, so
 *              tagged integers and foreign pointers may sit in any reference slot.
 *   mutator    a thread attached to a heap. Only attached threads may touch the heap's objects.
 *   safepoint  a place where a mutator lets a collection happen: every allocation, every
 *              tide_safepoint(), every blocking region.
 * Objects never move. Their memory is zeroed when handed out, and 16-byte aligned.
 *
 * Threads: a function that takes a mutator is for the thread that attached it; a function that
 * takes a heap may be called by any thread unless its comment says otherwise. None may be called
 * in a signal handler.
 *
 * Callbacks: a function of yours that Tidemark calls returns; it does not leave by longjmp, an
 * exception or the thread's end. Where the world stands still (in trace functions, root callbacks,
 * events, visits of a walk) call only tide_trace… and what just looks: tide_current, tide_heap_of,
 * tide_object_…, tide_weak_get, tide_ephemeron_key and _value, tide_weak_table_get and _count, and
 * statistics. What would wait for itself or change what is being read is refused there, with
 * TIDE_ERROR_STATE, NULL, false or 0; a fork ends the process with a message.
 *
 * Misuse that a function can see gives what its comment says. Debug builds of the library say what
 * was wrong and abort where a mutator is NULL, detached, another thread's, or used where it must
 * not be. The inlined functions, tide_alloc and tide_safepoint, trust that it is not NULL. */
#ifndef TIDE_TIDE_H
#define TIDE_TIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TIDE_API __attribute__((visibility("default")))
#define TIDE_LIKELY(x) __builtin_expect(!!(x), 1)
#else
#error "Tidemark needs GCC or Clang"
#endif

#define TIDE_VERSION_MAJOR 0
#define TIDE_VERSION_MINOR 1
#define TIDE_VERSION_PATCH 0

struct tide_heap;
struct tide_mutator;
struct tide_tracer;

/* ---- Errors ---------------------------------------------------------------------------- */

enum tide_status {
  TIDE_OK = 0,
  TIDE_ERROR_ARGUMENT,    /* a NULL, zero, huge or contradictory argument */
  TIDE_ERROR_ENVIRONMENT, /* an environment variable TIDE_… has a value that means nothing */
  TIDE_ERROR_MEMORY,      /* the system or the heap's limit gives no more memory */
  TIDE_ERROR_LIMIT,       /* a count over one of Tidemark's own limits (TIDE_…_MAX) */
  TIDE_ERROR_STATE,       /* right call, wrong moment: already attached, still attached, … */
  TIDE_ERROR_SYSTEM,      /* the operating system refused a thread or a mapping */
  TIDE_ERROR_CHECK,       /* a verification found a difference */
  TIDE_ERROR_UNSUPPORTED, /* this build of the library leaves it out */
};

/* Filled in by calls that can fail for more than one reason; pass NULL if you don't care. */
struct tide_error {
  enum tide_status status;
  char text[256]; /* one line that names what was wrong and where; no newline */
};

/* A constant English phrase for a status; never NULL. */
TIDE_API const char *tide_status_text(enum tide_status status);

/* "MAJOR.MINOR.PATCH" of the library that is linked. */
TIDE_API const char *tide_version(void);

/* ---- Heaps ----------------------------------------------------------------------------- */

/* How the heap decides when to collect and how much to grow. */
enum tide_sizing {
  TIDE_SIZING_DEFAULT = 0, /* growth factor; more where it pays, up to a bound */
  TIDE_SIZING_FIXED,       /* collect only when the hard limit is reached */
  TIDE_SIZING_GROWTH,      /* next collection at live bytes times growth_factor */
  TIDE_SIZING_ADAPTIVE,    /* square-root rule of MemBalancer (Kirisame et al., OOPSLA 2022) */
};

/* Zero in any field means "the default". Call tide_options_init first: it keeps programs that
 * were compiled against an older header working. */
struct tide_options {
  size_t struct_size;        /* set by tide_options_init */
  size_t heap_max_bytes;     /* hard limit; default TIDE_HEAP_MAX, else the memory there is */
  size_t heap_initial_bytes; /* no collection before this much is in use */
  size_t reserve_bytes;      /* address space; halved until the system agrees */
  /* Marking threads, the collecting one included; default TIDE_MARKERS, else CPUs allowed. */
  unsigned markers;
  const char *engine;         /* see tide_engine_name; default TIDE_ENGINE, else "bwos" */
  uint32_t queue_blocks;      /* power of two, at least 2 */
  uint32_t queue_block_items; /* power of two, at least 2 */
  enum tide_sizing sizing;
  double growth_factor; /* over 1.0 */
  double adaptive_cost; /* MemBalancer's c per MiB: smaller trades memory for time */
  /* Called by the allocating thread when a collection and growing did not make room; return true
   * to have the allocation tried once more (after you dropped caches, say). It may collect, run
   * finalizers that do not allocate, or write a snapshot; allocation from this heap is refused. Not
   * called for what is larger than the whole limit. */
  bool (*out_of_memory)(void *context, size_t bytes);
  void *out_of_memory_context;
  /* Do not ask the system for huge pages. They mark scattered heaps faster, but a page touched
   * first costs more, in some virtual machines much more, so short runs are better off without.
   * Small pages are asked for 2 MiB at a time, all in use from then on.
   * Default: false unless TIDE_HUGE_PAGES is 0. */
  bool small_pages;
};

TIDE_API void tide_options_init(struct tide_options *options);

/* Returns NULL on failure and says why in error. options may be NULL.
 * On success error->status is TIDE_OK, and error->text is empty unless the system gave less address
 * space than was meant for the heap: then it says so.
 * Several heaps may live in one process; a reference from one into another is not seen. */
TIDE_API struct tide_heap *tide_heap_create(const struct tide_options *options,
                                            struct tide_error *error);

/* Gives everything back. TIDE_ERROR_STATE, and nothing done, while mutators are attached or in a
 * callback. NULL is TIDE_OK. No finalizer runs. Neither the heap nor anything that came from it may
 * be used afterwards. */
TIDE_API enum tide_status tide_heap_destroy(struct tide_heap *heap);

/* Chooses the marking queue / the number of markers for the following collections. Waits for a
 * collection to end. TIDE_ERROR_ARGUMENT: no such engine, not 1 to TIDE_MARKERS_MAX, or an engine
 * for one marker with more; TIDE_ERROR_MEMORY or TIDE_ERROR_SYSTEM: no memory or threads for it,
 * and all is as before; TIDE_ERROR_STATE in a callback. */
TIDE_API enum tide_status tide_heap_set_engine(struct tide_heap *heap, const char *name,
                                               struct tide_error *error);
TIDE_API enum tide_status tide_heap_set_markers(struct tide_heap *heap, unsigned markers,
                                                struct tide_error *error);

/* Names and one-line descriptions of the marking queues, index from 0; NULL past the last. */
TIDE_API const char *tide_engine_name(size_t index);
TIDE_API const char *tide_engine_text(size_t index);

#define TIDE_MARKERS_MAX 256u

/* ---- Layouts --------------------------------------------------------------------------- */

/* What the collector must know of an object's inside. Equal layouts share one number.
 * A layout belongs to the heap that made it and lives as long. The functions that make one return
 * TIDE_LAYOUT_INVALID on failure: TIDE_ERROR_ARGUMENT, TIDE_ERROR_LIMIT for over TIDE_LAYOUT_MAX
 * layouts or TIDE_LAYOUT_WORDS_MAX words, TIDE_ERROR_MEMORY. */
typedef uint16_t tide_layout;

#define TIDE_LAYOUT_INVALID ((tide_layout)0)
#define TIDE_LAYOUT_LEAF ((tide_layout)1)         /* no references: never looked into */
#define TIDE_LAYOUT_REFS ((tide_layout)2)         /* every word is a reference slot */
#define TIDE_LAYOUT_CONSERVATIVE ((tide_layout)3) /* any word may point at or into an object */
#define TIDE_LAYOUT_MAX 4096u
#define TIDE_LAYOUT_WORDS_MAX 4096u /* longest bitmap, in 8-byte words */

/* The reference slots of a structure of `bytes` bytes, by offset. Offsets must be multiples of
 * 8, distinct and inside the structure. Larger objects of the layout have references only there. */
TIDE_API tide_layout tide_layout_offsets(struct tide_heap *heap, size_t bytes,
                                         const size_t *offsets, size_t count,
                                         struct tide_error *error);
/* The same as a bitmap: bit i of bits[i / 64] says that word i is a reference slot. */
TIDE_API tide_layout tide_layout_bitmap(struct tide_heap *heap, const uint64_t *bits, size_t words,
                                        struct tide_error *error);
/* prefix_words words without references, then references to the end (a vector with a header). */
TIDE_API tide_layout tide_layout_prefixed(struct tide_heap *heap, size_t prefix_words,
                                          struct tide_error *error);
/* Objects that only your function can read: it calls tide_trace for each reference. It runs
 * on marking threads, several at once, while mutators are stopped; it must not allocate. It is
 * called for an object at least once in a collection that reaches it, and again by checks and
 * snapshots, so it only reads. The size given is that of the cell, at least what was asked for. */
typedef void (*tide_trace_fn)(void *object, size_t bytes, struct tide_tracer *tracer,
                              void *context);
TIDE_API tide_layout tide_layout_traced(struct tide_heap *heap, tide_trace_fn trace, void *context,
                                        struct tide_error *error);

/* Inside a trace function or root callback only. Values that are not references are ignored. */
TIDE_API void tide_trace(struct tide_tracer *tracer, const void *reference);
/* count reference slots at slots. */
TIDE_API void tide_trace_range(struct tide_tracer *tracer, void *const *slots, size_t count);
/* A word that may point at or into an object. */
TIDE_API void tide_trace_conservative(struct tide_tracer *tracer, uintptr_t word);

/* ---- Mutators -------------------------------------------------------------------------- */

enum tide_stack {
  TIDE_STACK_CONSERVATIVE = 0, /* its stack and registers are roots, interior pointers too */
  TIDE_STACK_PRECISE,          /* only handles are roots: see tide_handle */
};

struct tide_attach_options {
  size_t struct_size; /* set by tide_attach_options_init */
  enum tide_stack stack;
};
TIDE_API void tide_attach_options_init(struct tide_attach_options *options);

/* Makes the calling thread a mutator. NULL options: conservative stack. Waits for a running
 * collection to end. Returns NULL on failure: TIDE_ERROR_STATE if this thread is attached to the
 * heap already or in a callback, TIDE_ERROR_ARGUMENT, TIDE_ERROR_MEMORY, or TIDE_ERROR_SYSTEM if
 * the system does not tell the stack's bounds or has no thread key left. */
TIDE_API struct tide_mutator *tide_attach(struct tide_heap *heap,
                                          const struct tide_attach_options *options,
                                          struct tide_error *error);
/* Ends it; a thread that exits while attached is detached by itself. NULL is TIDE_OK.
 * TIDE_ERROR_STATE from another thread, with handle scopes open, or in a callback, finalizers and
 * the out-of-memory hook included. The mutator may not be used afterwards; Tidemark notices until
 * 64 more have been detached. */
TIDE_API enum tide_status tide_detach(struct tide_mutator *mutator);
/* The calling thread's mutator for this heap, or NULL. */
TIDE_API struct tide_mutator *tide_current(struct tide_heap *heap);
TIDE_API struct tide_heap *tide_heap_of(struct tide_mutator *mutator);

/* Between these two calls the thread promises not to touch the heap (a system call, a long
 * computation), and a collection does not wait for it. Regions may nest. Calls with this mutator
 * are refused meanwhile, but for these two, tide_safepoint and tide_detach. What references the
 * thread has on its conservative stack when it enters keep their objects alive. The calls may stand
 * in small functions of their own (a guard's constructor and destructor). Leaving may wait
 * for a collection to end; both keep errno. */
TIDE_API void tide_blocking_enter(struct tide_mutator *mutator);
TIDE_API void tide_blocking_leave(struct tide_mutator *mutator);

/* A stack that is not the thread's own (a fiber, a coroutine) and that only this thread runs on.
 * While it is registered, it is scanned conservatively: all of [low, high) until the mutator has
 * run on it (so leave guard pages out), later what lies above the place where it was left.
 * tide_stack_switch tells that the mutator is about to run on that stack (NULL: on the thread's
 * own); it is called right before the switch, because it notes the registers. After the switch is
 * too late, TIDE_ERROR_STATE, unless the fiber that was left has ended. Precise mutators need none.
 * low and high: multiples of 8, TIDE_ERROR_ARGUMENT; TIDE_ERROR_STATE if the stack overlaps one of
 * this mutator's; TIDE_ERROR_MEMORY. switch, unregister: TIDE_ERROR_ARGUMENT if this mutator has no
 * such stack, TIDE_ERROR_STATE if it runs on the one to be unregistered. */
struct tide_fiber_stack;
TIDE_API struct tide_fiber_stack *tide_stack_register(struct tide_mutator *mutator, void *low,
                                                      void *high, struct tide_error *error);
TIDE_API enum tide_status tide_stack_switch(struct tide_mutator *mutator,
                                            struct tide_fiber_stack *to);
TIDE_API enum tide_status tide_stack_unregister(struct tide_mutator *mutator,
                                                struct tide_fiber_stack *stack);

/* The part of a mutator that inlined code sees. Do not touch it: its fields may change. */
struct tide_bump {
  uintptr_t next;  /* first free byte of a run of zeroed cells */
  uintptr_t limit; /* end of the run */
};
struct tide_mutator_fast {
  uint32_t stop; /* a collection waits; the collector writes, this thread reads */
  uint32_t reserved;
  struct tide_bump *bump; /* [layout * TIDE_BUMP_SLOTS + size class]; this thread only */
};
#define TIDE_BUMP_SLOTS 64u
#define TIDE_BUMP_INLINE_BYTES 512u /* classes of 16 bytes each up to here */

TIDE_API void tide_safepoint_slow(struct tide_mutator *mutator);

/* One load when nobody waits. Call it in loops that run long without allocating. */
static inline void tide_safepoint(struct tide_mutator *mutator) {
  struct tide_mutator_fast *fast = (struct tide_mutator_fast *)mutator;
  if (!TIDE_LIKELY(__atomic_load_n(&fast->stop, __ATOMIC_RELAXED) == 0))
    tide_safepoint_slow(mutator);
}

/* ---- Allocation ------------------------------------------------------------------------ */

TIDE_API void *tide_alloc_slow(struct tide_mutator *mutator, tide_layout layout, size_t bytes);

/* A zeroed object of at least `bytes` bytes (0 counts as 1), 16-byte aligned. Up to half a block
 * (32 KiB) it comes from a size class; above, it has blocks of its own. A safepoint.
 * Returns NULL when there is no room even after a collection, growing the heap, and the
 * out-of-memory hook (TIDE_ERROR_MEMORY); when the layout is not of this heap, its reference
 * slots would lie outside the object, or the size is over PTRDIFF_MAX (TIDE_ERROR_ARGUMENT); or
 * when the call is made where allocation is forbidden (TIDE_ERROR_STATE): trace function, root
 * callback, event, out-of-memory hook, visit, blocking region, detached mutator, another thread's
 * mutator. The last is found out only when the mutator's piece of memory is used up, or at every
 * call with TIDE_STRESS=1; until then it is a data race. */
static inline void *tide_alloc(struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  if (TIDE_LIKELY(bytes <= TIDE_BUMP_INLINE_BYTES && layout < TIDE_LAYOUT_MAX)) {
    struct tide_mutator_fast *fast = (struct tide_mutator_fast *)mutator;
    size_t cell = (bytes + 15u) & ~(size_t)15u;
    struct tide_bump *bump = &fast->bump[(size_t)layout * TIDE_BUMP_SLOTS + (cell >> 4)];
    uintptr_t at = bump->next;
    if (TIDE_LIKELY(at + cell - 1 < bump->limit)) { /* false for an empty cache and for cell 0 */
      bump->next = at + cell;
      if (at == 0) __builtin_unreachable(); /* so that callers' tests for NULL cost nothing */
      return (void *)at;
    }
  }
  return tide_alloc_slow(mutator, layout, bytes);
}

/* As tide_alloc, of count * bytes_each bytes; TIDE_ERROR_ARGUMENT if that overflows. */
TIDE_API void *tide_alloc_array(struct tide_mutator *mutator, tide_layout layout, size_t count,
                                size_t bytes_each);
/* As tide_alloc. alignment: a power of two up to 64 KiB, otherwise TIDE_ERROR_ARGUMENT. */
TIDE_API void *tide_alloc_aligned(struct tide_mutator *mutator, tide_layout layout, size_t bytes,
                                  size_t alignment);
/* Why the last allocation of this mutator that returned NULL did so. TIDE_ERROR_ARGUMENT for NULL.
 * What makes weak references, ephemerons and tables allocates too. */
TIDE_API enum tide_status tide_alloc_status(const struct tide_mutator *mutator);

/* Bytes usable at an object, its layout, and the object that an address points at or into (one
 * past the end is the next one's). 0, TIDE_LAYOUT_INVALID and NULL for what is no object of this
 * heap. By an attached thread that is not in a blocking region, or in a callback; memory from which
 * another thread is about to allocate may be taken for objects. */
TIDE_API size_t tide_object_bytes(struct tide_heap *heap, const void *object);
TIDE_API tide_layout tide_object_layout(struct tide_heap *heap, const void *object);
TIDE_API void *tide_object_find(struct tide_heap *heap, const void *address);

/* ---- Roots ----------------------------------------------------------------------------- */

/* Roots of the heap, for as long as they are registered: the memory stays readable, and only
 * running mutators write it. Adding the same address once more is TIDE_ERROR_STATE, and so is any
 * of these functions in a callback of a collection; removing what was not added is
 * TIDE_ERROR_ARGUMENT, as NULL, a slot that is not 8-byte aligned and an empty or overflowing range
 * are; TIDE_ERROR_MEMORY.
 *
 * A slot, or an array of slots, whose content is a reference or not one at all. */
TIDE_API enum tide_status tide_root_add(struct tide_heap *heap, void *slot);
TIDE_API enum tide_status tide_root_remove(struct tide_heap *heap, void *slot);
TIDE_API enum tide_status tide_root_add_range(struct tide_heap *heap, void *slots, size_t count);
TIDE_API enum tide_status tide_root_remove_range(struct tide_heap *heap, void *slots);
/* Memory [start, start + bytes) in which any aligned word may point at or into an object. */
TIDE_API enum tide_status tide_root_add_conservative(struct tide_heap *heap, const void *start,
                                                     size_t bytes);
TIDE_API enum tide_status tide_root_remove_conservative(struct tide_heap *heap, const void *start);
/* Called once in every collection, and again by checks and snapshots, mutators stopped; it calls
 * tide_trace for its references. */
typedef void (*tide_root_fn)(struct tide_tracer *tracer, void *context);
TIDE_API enum tide_status tide_root_add_callback(struct tide_heap *heap, tide_root_fn callback,
                                                 void *context);
TIDE_API enum tide_status tide_root_remove_callback(struct tide_heap *heap, tide_root_fn callback,
                                                    void *context);

/* Handles: precise roots of one mutator, in scopes that close in reverse order.
 *   size_t scope = tide_scope_open(m);
 *   struct node **n = (struct node **)tide_handle(m, tide_alloc(m, node, sizeof **n));
 *   …
 *   tide_scope_close(m, scope);
 * A handle is a slot that you may read and write; it is valid until its scope closes, or until
 * the detach if no scope was open. NULL when memory ran out; tide_scope_open returns SIZE_MAX
 * then, and later handles belong to the scope outside. tide_scope_close: TIDE_ERROR_ARGUMENT if
 * the scope is not the innermost. tide_scope_unwind closes all scopes inside it as well, for those
 * who leave functions by longjmp or an exception; TIDE_ERROR_ARGUMENT if the scope is not open.
 * All: NULL, SIZE_MAX or TIDE_ERROR_STATE in a blocking region or a callback of a collection. */
TIDE_API size_t tide_scope_open(struct tide_mutator *mutator);
TIDE_API void **tide_handle(struct tide_mutator *mutator, void *reference);
TIDE_API enum tide_status tide_scope_close(struct tide_mutator *mutator, size_t scope);
TIDE_API enum tide_status tide_scope_unwind(struct tide_mutator *mutator, size_t scope);

/* ---- Collecting ------------------------------------------------------------------------ */

/* Collects now: stops the other mutators, marks, resumes them. Returns when it is done. If
 * another thread is collecting already, waits for that one, then collects. TIDE_ERROR_ARGUMENT for
 * NULL; TIDE_ERROR_STATE in a blocking region, in a callback of a collection, or with a mutator
 * that is detached or another thread's. */
TIDE_API enum tide_status tide_collect(struct tide_mutator *mutator);

/* ---- Weak references, ephemerons, finalizers -------------------------------------------- */

enum tide_weak_kind {
  TIDE_WEAK_BEFORE = 0, /* cleared before finalizers are queued: a dying object is not seen again */
  TIDE_WEAK_AFTER,      /* cleared when the object is reclaimed: survives resurrection */
};

/* A weak reference is itself an object of the heap: keep it reachable as any other. NULL if
 * memory ran out. tide_weak_get returns the target (strong from then on) or NULL, also for what is
 * no weak reference of this heap. A target that is no object of this heap, a tagged integer or an
 * object of another heap, is never cleared. */
struct tide_weak;
TIDE_API struct tide_weak *tide_weak_new(struct tide_mutator *mutator, void *target,
                                         enum tide_weak_kind kind);
TIDE_API void *tide_weak_get(struct tide_mutator *mutator, struct tide_weak *weak);

/* Keeps value alive only while key is alive otherwise (Hayes, OOPSLA 1997). When the key dies
 * both become NULL, and setting the value does nothing any more. A key that is no object of this
 * heap lives for ever; one of NULL lets no value be set later. NULL if memory ran out, and for what
 * is no ephemeron of this heap. */
struct tide_ephemeron;
TIDE_API struct tide_ephemeron *tide_ephemeron_new(struct tide_mutator *mutator, void *key,
                                                   void *value);
TIDE_API void *tide_ephemeron_key(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron);
TIDE_API void *tide_ephemeron_value(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron);
TIDE_API void tide_ephemeron_set(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron,
                                 void *value);

/* A hash table from object identity to object, entries kept as ephemerons; itself an object of
 * the heap. One mutator at a time. put replaces; it returns false when memory ran out or key is
 * NULL. remove returns whether there was such an entry. count looks at every slot. */
struct tide_weak_table;
TIDE_API struct tide_weak_table *tide_weak_table_new(struct tide_mutator *mutator);
TIDE_API bool tide_weak_table_put(struct tide_mutator *mutator, struct tide_weak_table *table,
                                  void *key, void *value);
TIDE_API void *tide_weak_table_get(struct tide_mutator *mutator, struct tide_weak_table *table,
                                   const void *key);
TIDE_API bool tide_weak_table_remove(struct tide_mutator *mutator, struct tide_weak_table *table,
                                     const void *key);
TIDE_API size_t tide_weak_table_count(struct tide_mutator *mutator, struct tide_weak_table *table);

/* Finalizers never run by themselves: an object registered here that has become unreachable is
 * put on a queue and stays alive (with all it reaches) until you take it off. Objects reachable
 * from another dying registered object wait until that one is taken off and a later collection
 * finds them dying still, so the order is from the outside in; of the members of a cycle, the one
 * registered first comes first, the others wait likewise. Values of ephemerons don't count for
 * the order. Registering again after taking one off is allowed (resurrection), and one object may
 * have several, which run in order. TIDE_ERROR_ARGUMENT if it is no object of this heap;
 * TIDE_ERROR_MEMORY; TIDE_ERROR_STATE in a blocking region or a callback of a collection. */
typedef void (*tide_finalizer_fn)(void *object, void *context);
TIDE_API enum tide_status tide_finalizer_add(struct tide_mutator *mutator, void *object,
                                             tide_finalizer_fn finalizer, void *context);
/* Removes all finalizers of the object but those that are on the queue; how many there were. */
TIDE_API size_t tide_finalizer_remove(struct tide_mutator *mutator, void *object);
TIDE_API size_t tide_finalizers_pending(struct tide_heap *heap);
/* Runs up to `most` pending finalizers on the calling thread, the oldest first; returns how many
 * ran. They may allocate, collect, register and run finalizers. */
TIDE_API size_t tide_finalizers_run(struct tide_mutator *mutator, size_t most);

#ifdef __cplusplus
}
#endif
#endif
