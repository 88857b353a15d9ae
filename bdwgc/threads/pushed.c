/* SPDX-License-Identifier: MIT */
/* Roots that the program tells under the stop. */
#include "bdwgc/threads/pushed.h"

#include <string.h>
#include <sys/mman.h>

#include "bdwgc/say.h"

static void nothing(void) {}
EXPORT GC_push_other_roots_proc GC_push_other_roots = nothing;

/* Words that GC_push_other_roots names one by one lie here until the collection ends. World
 * stopped: the collecting thread writes all three. */
static uintptr_t *loose;
static size_t loose_count, loose_capacity;
static struct tide_root_list *open_list; /* the collecting thread's, while it asks */
static TD_TLS struct tide_tracer *open_tracer;

#define LOOSE_FIRST 4096u

/* malloc's locks may be taken. */
static void make_room(void) {
  size_t capacity = loose_capacity ? loose_capacity * 2 : LOOSE_FIRST;
  uintptr_t *larger = mmap(NULL, capacity * sizeof *larger, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (larger == MAP_FAILED)
    td_bdwgc_die("GC_push_other_roots: no memory for %zu objects marked one by one", capacity);
  if (loose) {
    memcpy(larger, loose, loose_count * sizeof *larger);
    munmap(loose, loose_capacity * sizeof *loose);
  }
  loose = larger;
  loose_capacity = capacity;
}

static void stopped(struct tide_root_list *list, void *context) {
  (void)context;
  loose_count = 0;
  open_list = list;
  GC_push_other_roots();
  tide_root_report(list, loose, loose_count * sizeof *loose);
  open_list = NULL;
}

typedef void report_fn(struct tide_root_list *list, const void *start, size_t bytes);

static void push(const char *function, void *bottom, void *top, report_fn *report) {
  if ((uintptr_t)bottom >= (uintptr_t)top) return;
  if (open_list)
    report(open_list, bottom, (uintptr_t)top - (uintptr_t)bottom);
  else if (open_tracer)
    for (const uintptr_t *at = bottom; at + 1 <= (const uintptr_t *)top; at++)
      tide_trace_conservative(open_tracer, *at);
  else
    td_bdwgc_die("%s: called outside of GC_push_other_roots and mark procedures", function);
}

static void push_word(uintptr_t word) {
  if (open_tracer) {
    tide_trace_conservative(open_tracer, word);
  } else if (open_list) {
    if (loose_count == loose_capacity) make_room();
    loose[loose_count++] = word;
  }
}

struct tide_tracer *td_pushed_set_tracer(struct tide_tracer *tracer) {
  struct tide_tracer *before = open_tracer;
  open_tracer = tracer;
  return before;
}

EXPORT void GC_push_all(void *bottom, void *top) {
  push("GC_push_all", bottom, top, tide_root_report);
}
/* For stacks. */
EXPORT void GC_push_all_eager(void *bottom, void *top) {
  push("GC_push_all_eager", bottom, top, tide_root_report_stack);
}
SAME_AS(GC_push_all, GC_push_conditional);
EXPORT void GC_set_mark_bit(const void *object) {
  push_word((uintptr_t)object);
}
EXPORT struct GC_ms_entry *GC_mark_and_push(void *object, struct GC_ms_entry *top,
                                            struct GC_ms_entry *limit, void **source) {
  (void)limit, (void)source;
  push_word((uintptr_t)object);
  return top;
}
VALUE(GC_push_other_roots_proc, push_other_roots, GC_push_other_roots)

void td_pushed_start(void) {
  const struct tide_root_source source = {.stopped = stopped};
  if (tide_root_add_source(td_bdwgc_heap, &source) != TIDE_OK)
    td_bdwgc_die("no memory for the list of roots");
}
