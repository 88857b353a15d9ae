/* The heap, and how large it may get. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bdwgc/alloc/collect.h"
#include "bdwgc/environment.h"
#include "bdwgc/threads/interior.h"
#include "bdwgc/debug/leaks.h"
#include "bdwgc/lock.h"
#include "bdwgc/threads/roots.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/stack.h"
#include "bdwgc/state.h"
#include "bdwgc/threads/threads.h"
#include "tide/stats.h"

struct td_bdwgc td_bdwgc;

/* Allocation until the first collection. Programs with little alive go round in so much; of the
 * other library's heaps those are 1 to 2 MiB. */
#define INITIAL_BYTES ((size_t)5 << 19)

/* Huge pages behind the first 8 MiB: found by trying. */
#define HUGE_PAGES_FROM ((size_t)8 << 20)

/* Programs that are over sooner are slower with a second marker: see docs/boehm.md. */
#define HELPERS_AFTER_MS 30u

static struct tide_options options_from(const struct td_bdwgc_environment *environment) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = environment->maximum_bytes;
  if (!options.heap_max_bytes) options.heap_max_bytes = td_bdwgc_settings.max_heap_bytes;
  options.heap_initial_bytes = environment->initial_bytes;
  if (!options.heap_initial_bytes) options.heap_initial_bytes = INITIAL_BYTES;
  if (options.heap_max_bytes && options.heap_initial_bytes > options.heap_max_bytes)
    options.heap_initial_bytes = options.heap_max_bytes;
  options.markers = environment->markers ? environment->markers : td_bdwgc_settings.markers;
  if (!options.markers) options.helpers_after_ms = HELPERS_AFTER_MS;
  options.sizing = TIDE_SIZING_SCANNED;
  options.growth_factor = td_bdwgc_growth();
  options.small_pages = true;
  options.huge_pages_from = HUGE_PAGES_FROM;
  return options;
}

static void start(void) {
  struct td_bdwgc_environment environment;
  struct tide_error error;
  td_bdwgc_environment(&environment);
  if (environment.free_space_divisor) GC_free_space_divisor = environment.free_space_divisor;
  struct tide_options options = options_from(&environment);
  td_threads_prepare();
  struct tide_heap *heap = tide_heap_create(&options, &error);
  if (!heap) td_bdwgc_die("%s", error.text);
  if (tide_layout_as_it_is(heap, TIDE_LAYOUT_LEAF, &error) != TD_LAYOUT_ATOMIC)
    td_bdwgc_die("the layout of atomic objects has another number than %u", TD_LAYOUT_ATOMIC);
  td_bdwgc.heap = heap;
  td_lock_start();
  td_bdwgc_interior_start();
  td_stack_start();
  td_bdwgc_roots_start();
  td_bdwgc_collect_start(environment.print_stats);
  if (environment.dont_gc) GC_dont_gc = 1;
  (void)tide_collect_pause_by(heap, &GC_dont_gc);
  td_leaks_start();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

void td_bdwgc_start_slow(void) {
  pthread_once(&once, start);
  (void)td_bdwgc_mutator();
}

EXPORT void GC_init(void) {
  td_bdwgc_start();
}
EXPORT int GC_is_init_called(void) {
  return td_bdwgc.heap != NULL;
}
/* The heap stays until the process ends: objects may be in use in other threads. */
EXPORT void GC_deinit(void) {}
