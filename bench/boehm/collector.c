/* SPDX-License-Identifier: MIT */
#include "bench/boehm/collector.h"

#define GC_THREADS
#include <gc/gc_mark.h>

#include <string.h>

#include "bench/boehm/environment.h"
#include "bench/cli/clock.h"

#define BLOCK_BYTES 4096u /* Boehm GC's HBLKSIZE */
#define SMALL_BYTES 256u
#define STACK_CLEANED 65536u

static uint64_t mark_started_ns, mark_ns;

/* The barrier keeps the compiler from leaving out what nobody reads. */
__attribute__((noinline)) static void clean_stack(void) {
  char below[STACK_CLEANED];
  memset(below, 0, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");
}

/* In place of the function that has the stacks of all threads scanned. */
static void GC_CALLBACK push_no_stacks(void) {}

static void GC_CALLBACK on_event(GC_EventType event) {
  if (event == GC_EVENT_MARK_START) {
    clean_stack();
    mark_started_ns = td_now_ns();
  }
  if (event == GC_EVENT_MARK_END) mark_ns += td_now_ns() - mark_started_ns;
}

unsigned td_collector_start(unsigned markers, uint64_t heap_max_bytes) {
  td_boehm_clean_environment();
  GC_set_markers_count(markers);
  GC_set_all_interior_pointers(0);
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_set_no_dls(1);
  GC_INIT();
  GC_clear_roots();
  if (heap_max_bytes) GC_set_max_heap_size((GC_word)heap_max_bytes);
  GC_start_mark_threads();
  GC_set_on_collection_event(on_event);
  GC_set_push_other_roots(push_no_stacks);
  return (unsigned)GC_get_parallel() + 1;
}

uint64_t td_collector_mark(void) {
  mark_ns = 0;
  GC_gcollect();
  return mark_ns;
}

bool td_collector_may_be_met(const void *object, size_t bytes) {
  return bytes <= SMALL_BYTES && (uintptr_t)object % BLOCK_BYTES == 0;
}
