/* SPDX-License-Identifier: MIT */
/* Looking at a heap that stands still: the walk, and the files that the library writes with it. */
#ifndef TIDE_INSPECT_H
#define TIDE_INSPECT_H
#include "tide/tide.h"

TIDE_BEGIN
/* Calls visit, until it returns false, for every object live as of the last collection or allocated
 * since, in address order; `bytes` is the cell's size. Other mutators are stopped meanwhile. */
typedef bool (*tide_visit_fn)(void *object, size_t bytes, tide_layout layout, void *context);
TIDE_API enum tide_status tide_heap_walk(struct tide_mutator *mutator, tide_visit_fn visit,
                                         void *context);

/* Returns a line that says what lies at the address: which object, of which layout and size,
 * whether it lives or, with TIDE_VERIFY=1, how long it has been dead. For a debugger, "print
 * tide_describe(heap, p)", and handlers of crashes: it takes no lock and may be called anywhere,
 * and what others change meanwhile it tells as it finds it. The line is the thread's, until its
 * next call. With TIDE_VERIFY=1 a crash at what was read from a dead object says so by itself. */
TIDE_API const char *tide_describe(struct tide_heap *heap, const void *address);

/* ---- Many questions in one stop --------------------------------------------------------- */
struct tide_walk;
/* Collects, and in the same stop of the world calls inspect once, which asks about the objects that
 * the collection found alive. The library's own snapshots are written with nothing else. inspect is
 * a callback like any other, and may write files. The walk is good until it returns, on its thread.
 *   TIDE_ERROR_STATE   collecting is paused
 *   TIDE_ERROR_MEMORY  no memory to number the objects (a bit for each 16 bytes of the heap) */
typedef void (*tide_inspect_fn)(struct tide_walk *walk, void *context);
TIDE_API enum tide_status tide_heap_inspect(struct tide_mutator *mutator, tide_inspect_fn inspect,
                                            void *context, struct tide_error *error);

/* Visits of the functions below may call them again. One that returns false ends the function that
 * called it: TIDE_OK. Returns how many objects there are, numbered in address order from 0. */
TIDE_API uint64_t tide_walk_count(const struct tide_walk *walk);
/* Returns the number of the object that begins at this address, or TIDE_NO_NUMBER. */
TIDE_API uint64_t tide_walk_number(const struct tide_walk *walk, const void *object);
#define TIDE_NO_NUMBER UINT64_MAX

struct tide_walk_object {
  void *address;
  size_t bytes; /* of its cell: at least what was asked for */
  uint64_t number;
  tide_layout layout;
};
typedef bool (*tide_walk_object_fn)(struct tide_walk *walk, const struct tide_walk_object *object,
                                    void *context);
/* Visits all objects in address order. */
TIDE_API enum tide_status tide_walk_objects(struct tide_walk *walk, tide_walk_object_fn visit,
                                            void *context);

enum tide_reference_kind {
  TIDE_REFERENCE_STRONG = 0,
  TIDE_REFERENCE_WEAK,  /* from a weak reference to its target */
  TIDE_REFERENCE_KEY,   /* from an ephemeron to its key: as weak */
  TIDE_REFERENCE_VALUE, /* from an ephemeron to its value: strong while the key lives */
};
#define TIDE_NO_OFFSET SIZE_MAX
struct tide_walk_reference {
  void *target; /* the first byte of an object, also where the word points into it */
  /* Of the word in the referring object that holds the reference. TIDE_NO_OFFSET where a trace
   * function did not say: it tells only of slots that it passes to tide_trace_range. */
  size_t offset;
  enum tide_reference_kind kind;
};
typedef bool (*tide_walk_reference_fn)(struct tide_walk *walk,
                                       const struct tide_walk_reference *reference, void *context);
/* Visits what an object refers to: slot by slot in the order of their offsets, or in the order in
 * which its trace function reports. Words that are no reference are left out.
 *   TIDE_ERROR_ARGUMENT  no object begins at `object` */
TIDE_API enum tide_status tide_walk_references(struct tide_walk *walk, const void *object,
                                               tide_walk_reference_fn visit, void *context);

enum tide_root_kind {
  TIDE_ROOT_SLOT = 0,     /* a registered slot or range, a handle, a pending finalizer's object */
  TIDE_ROOT_CONSERVATIVE, /* a word of a stack, a register, or registered conservative memory */
  TIDE_ROOT_CALLBACK,     /* reported by a root callback */
};
struct tide_walk_root {
  void *target; /* the first byte of an object */
  enum tide_root_kind kind;
};
typedef bool (*tide_walk_root_fn)(struct tide_walk *walk, const struct tide_walk_root *root,
                                  void *context);
/* Visits the roots, of stacks and registers the words that the collection saw. Objects may recur.
 *   TIDE_ERROR_STATE     called by a visit of itself, or by a root callback
 *   TIDE_ERROR_MEMORY    there was none to remember the words of stacks; nothing was visited */
TIDE_API enum tide_status tide_walk_roots(struct tide_walk *walk, tide_walk_root_fn visit,
                                          void *context);

enum tide_layout_kind {
  TIDE_KIND_LEAF = 0,     /* no references */
  TIDE_KIND_BITMAP,       /* bits says which words are slots; there are none behind `words` */
  TIDE_KIND_REFERENCES,   /* every word is a slot */
  TIDE_KIND_PREFIXED,     /* prefix_words words without references, then slots to the end */
  TIDE_KIND_CONSERVATIVE, /* any word may point at or into an object */
  TIDE_KIND_REPEATED,  /* an array: bits says which of the `words` words of an element are slots */
  TIDE_KIND_TRACED,    /* its trace function knows */
  TIDE_KIND_WEAK,      /* weak references: tide_weak_new */
  TIDE_KIND_EPHEMERON, /* tide_ephemeron_new, and the entries of weak tables */
};
struct tide_layout_info {
  enum tide_layout_kind kind;
  const char *name;     /* NULL if it has none; as long as the heap */
  const uint64_t *bits; /* BITMAP: bit i of bits[i / 64] stands for word i; as long as the heap */
  size_t words;         /* BITMAP: up to and with the last slot */
  size_t prefix_words;  /* PREFIXED */
};
/* Layouts are numbered from 1; returns the highest number, 0 for NULL. */
TIDE_API tide_layout tide_walk_layouts(const struct tide_walk *walk);
/* Describes a layout.
 *   TIDE_ERROR_ARGUMENT  there is no such layout */
TIDE_API enum tide_status tide_walk_layout(const struct tide_walk *walk, tide_layout layout,
                                           struct tide_layout_info *info);

/* ---- Files ------------------------------------------------------------------------------ */
/* Both collect, and in the same stop write what that found alive: tide_heap_snapshot a V8
 * .heapsnapshot, which Chrome DevTools opens; tide_heap_snapshot_thg a graph file (.thg), which the
 * program `tidemark` reads: tidemark compare --graph file:PATH. It holds sizes, references and
 * roots, and no contents, types or addresses. References of trace functions, arrays of structures
 * and ephemerons may be in other words of the object than in truth. An object whose trace function
 * reports more references than it has words is longer in the file.
 *
 * The file appears whole or not at all: it is written under a name of its own beside path, and
 * renamed. Trace functions and root callbacks must report the same references each time.
 *   TIDE_ERROR_ARGUMENT     path is empty
 *   TIDE_ERROR_STATE        what a trace function or a root callback reports differs
 *   TIDE_ERROR_SYSTEM       the file cannot be written, or path names what is no regular file
 *   TIDE_ERROR_LIMIT        .thg: 2^32 - 1 objects or roots, or an object of over 2^40 bytes
 *   TIDE_ERROR_UNSUPPORTED  .thg: the library was built without TIDE_GRAPH_FILES */
TIDE_API enum tide_status tide_heap_snapshot(struct tide_mutator *mutator, const char *path,
                                             struct tide_error *error);
TIDE_API enum tide_status tide_heap_snapshot_thg(struct tide_mutator *mutator, const char *path,
                                                 struct tide_error *error);
TIDE_END
#endif
