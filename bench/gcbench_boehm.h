/* Boehm GC as an allocator of gcbench, set up to its advantage where there is a choice: small
 * objects come from free lists of the thread's own by the inlined path of gc_inline.h, kinds tell
 * where references are, interior pointers are recognised on stacks only, and mark threads run. */
#ifndef TD_BENCH_GCBENCH_BOEHM_H
#define TD_BENCH_GCBENCH_BOEHM_H

#define GC_THREADS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <gc/gc.h>
#include <gc/gc_inline.h>
#include <gc/gc_mark.h>
#include <gc/gc_typed.h>
#pragma GCC diagnostic pop
#include <stdlib.h>
#include <string.h>

#define MEMORY_COLLECTS true

struct memory {
  void *lists[MEMORY_KINDS][GC_TINY_FREELISTS];
};

struct gcbench_boehm {
  unsigned kind[MEMORY_KINDS];
  uint64_t stop_ns, reclaim_ns; /* when they began */
};
static struct gcbench_boehm gcbench_boehm;

/* The pause is the time the world stands still; the collection, that and the walk over all
 * blocks that starts sweeping. */
static inline void GC_CALLBACK gcbench_boehm_event(GC_EventType event) {
  uint64_t now = gcbench_now_ns();
  switch (event) {
  case GC_EVENT_PRE_STOP_WORLD:
    gcbench_boehm.stop_ns = now;
    break;
  case GC_EVENT_POST_START_WORLD:
    gcbench_pause(now - gcbench_boehm.stop_ns, now - gcbench_boehm.stop_ns);
    break;
  case GC_EVENT_RECLAIM_START:
    gcbench_boehm.reclaim_ns = now;
    break;
  case GC_EVENT_RECLAIM_END:
    gcbench_pauses.collect_ns += now - gcbench_boehm.reclaim_ns;
    break;
  default:
    break;
  }
}

/* The collector's own variables (GC_MARKERS, GC_INITIAL_HEAP_SIZE, …) would change what is
 * compared without a trace in the report. */
static inline void gcbench_boehm_forget_environment(void) {
  extern char **environ;
  for (size_t i = 0; environ[i];) {
    char name[128];
    size_t length = strcspn(environ[i], "=");
    bool ours = strncmp(environ[i], "GC_", 3) == 0 && length < sizeof name;
    if (ours) memcpy(name, environ[i], length);
    name[ours ? length : 0] = '\0';
    if (ours && unsetenv(name) == 0)
      i = 0;
    else
      i++;
  }
}

static inline void memory_begin(const struct memory_options *wanted) {
  gcbench_boehm_forget_environment();
  if (wanted->markers) GC_set_markers_count(wanted->markers);
  GC_set_all_interior_pointers(0);
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_INIT();
  if (wanted->heap_max) GC_set_max_heap_size((GC_word)wanted->heap_max);
  GC_start_mark_threads();
  GC_set_on_collection_event(gcbench_boehm_event);
  gcbench_boehm.kind[MEMORY_LEAF] = GC_I_PTRFREE;
  gcbench_boehm.kind[MEMORY_REFS] = GC_I_NORMAL;
  for (unsigned kind = MEMORY_TREE; kind < MEMORY_KINDS; kind++)
    gcbench_boehm.kind[kind] =
        GC_new_kind(GC_new_free_list(),
                    GC_make_descriptor((const GC_word *)&memory_bits[kind], memory_words[kind]), 0,
                    1);
}

static inline bool memory_attach(struct memory *memory) {
  memset(memory, 0, sizeof *memory); /* pthread_create has registered the thread */
  return true;
}

static inline void memory_detach(struct memory *memory) {
  memset(memory, 0, sizeof *memory);
}

static inline void memory_wait_begin(struct memory *memory) {
  (void)memory;
}

static inline void memory_wait_end(struct memory *memory) {
  (void)memory;
}

static inline void *memory_new(struct memory *memory, enum memory_kind kind, size_t bytes) {
  void *object;
  size_t granules = (bytes + GC_GRANULE_BYTES - 1) / GC_GRANULE_BYTES;
  int number = kind == MEMORY_LEAF   ? GC_I_PTRFREE
               : kind == MEMORY_REFS ? GC_I_NORMAL
                                     : (int)gcbench_boehm.kind[kind];
  GC_FAST_MALLOC_GRANS(object, granules, memory->lists[kind], 0, number,
                       GC_malloc_kind(bytes, number), *(void **)object = NULL);
  if (__builtin_expect(!object, 0)) gcbench_out_of_memory();
  return object;
}

static inline void *memory_new_zeroed(struct memory *memory, enum memory_kind kind, size_t bytes) {
  void *object = memory_new(memory, kind, bytes);
  if (kind == MEMORY_LEAF) memset(object, 0, bytes);
  return object;
}

static inline void memory_free(struct memory *memory, void *object) {
  (void)memory;
  (void)object;
}

#endif
