/* SPDX-License-Identifier: MIT */
/* The heap, and how large it may get. */
#include "bdwgc/threads/start.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/events.h"
#include "bdwgc/threads/fork.h"
#include "bdwgc/threads/interior.h"
#include "bdwgc/threads/pushed.h"
#include "bdwgc/threads/stack.h"
#include "bdwgc/threads/register.h"
#include "bdwgc/threads/roots.h"
#include "bdwgc/uncancelled.h"

/* Allocation until the first collection. Programs with little alive stay in a heap of this size;
 * on Boehm GC theirs have 1 to 2 MiB. */
#define INITIAL_BYTES ((size_t)5 << 19)

/* Huge pages behind the first 8 MiB: found by trying. */
#define HUGE_PAGES_FROM ((size_t)8 << 20)

/* Programs that are over sooner are slower with a second marker: see docs/boehm.md. */
#define HELPERS_AFTER_MS 30u

static struct tide_options options_from(const struct td_bdwgc_settings *set) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_initial_bytes = set->initial_heap_bytes ? set->initial_heap_bytes : INITIAL_BYTES;
  options.markers = set->markers;
  if (!options.markers) options.helpers_after_ms = HELPERS_AFTER_MS;
  options.sizing = TIDE_SIZING_WEIGHTED;
  options.growth_factor = td_bdwgc_growth();
  options.small_pages = true;
  options.huge_pages_from = HUGE_PAGES_FROM;
  return options;
}

/* Else each thread's first malloc, which the C library itself calls when a stack is asked for,
 * takes up to 128 MiB of address space for a heap of its own, and leaves nothing for stacks. */
static void spare_address_space(void) {
#ifdef M_ARENA_MAX
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}

static void start(void) {
  struct tide_error error;
  spare_address_space();
  td_bdwgc_read_environment();
  struct tide_options options = options_from(&td_bdwgc_settings);
  td_register_prepare();
  struct tide_heap *heap = tide_heap_create(&options, &error);
  if (!heap) td_bdwgc_die("%s", error.text);
  if (tide_layout_unzeroed(heap, TIDE_LAYOUT_LEAF, &error) != TD_LAYOUT_ATOMIC)
    td_bdwgc_die("the layout of atomic objects has another number than %u", TD_LAYOUT_ATOMIC);
  td_bdwgc_heap = heap;
  td_bdwgc_limit();
  td_fork_start();
  td_interior_start();
  td_stack_start();
  td_roots_start();
  td_pushed_start();
  td_events_start();
  (void)tide_collect_pause_by(heap, &GC_dont_gc);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

bool td_bdwgc_try_start(void *bottom, struct tide_error *error) {
  TD_UNCANCELLED; /* or a lock might stay taken, or half a heap be there */
  pthread_once(&once, start);
  return td_bdwgc_self || td_register_self(bottom, error);
}

struct tide_mutator *td_bdwgc_start_slow(void) {
  struct tide_error error;
  if (!td_bdwgc_try_start(NULL, &error))
    td_bdwgc_die("a thread cannot be registered: %s", error.text);
  return td_bdwgc_self;
}

EXPORT void GC_init(void) {
  td_bdwgc_start();
}
SAME_AS(GC_init, GC_allow_register_threads);
SAME_AS(GC_init, GC_enable_incremental); /* every collection is a whole one */
EXPORT int GC_is_init_called(void) {
  return td_bdwgc_heap != NULL;
}
