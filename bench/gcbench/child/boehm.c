/* SPDX-License-Identifier: MIT */
/* The functions of the allocator that are not inlined. */
#include "bench/gcbench/child/boehm.h"

#include <gc/gc_mark.h>
#include <gc/gc_typed.h>

#include "bench/boehm/environment.h"
#include "bench/cli/clock.h"
#include "bench/gcbench/child/account.h"

struct gcbench_boehm gcbench_boehm;

static uint64_t stop_ns, reclaim_ns; /* when the last stop and the last reclaim began */

/* A pause is the time for which the world stands still. A collection is that, and the walk over all
 * blocks afterwards that starts the sweep. */
static void GC_CALLBACK tell_event(GC_EventType event) {
  uint64_t now = td_now_ns();
  switch (event) {
  case GC_EVENT_PRE_STOP_WORLD:
    stop_ns = now;
    break;
  case GC_EVENT_POST_START_WORLD:
    gcbench_collected(false, &(uint64_t){now - stop_ns}, 1);
    break;
  case GC_EVENT_RECLAIM_START:
    reclaim_ns = now;
    break;
  case GC_EVENT_RECLAIM_END:
    gcbench_pauses.collect_ns += now - reclaim_ns;
    break;
  default:
    break;
  }
}

void memory_begin(const struct memory_options *wanted) {
  td_boehm_clean_environment();
  if (wanted->markers) GC_set_markers_count(wanted->markers);
  GC_set_all_interior_pointers(0);
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_INIT();
  if (wanted->heap_max) {
    GC_set_max_heap_size((GC_word)wanted->heap_max);
    size_t have = GC_get_heap_size();
    if (wanted->takes_all && have < wanted->heap_max) GC_expand_hp(wanted->heap_max - have);
  }
  GC_start_mark_threads();
  if (wanted->concurrent) {
    GC_enable_incremental();
    if (!GC_is_incremental_mode()) gcbench_fail(4, "Boehm GC cannot collect incrementally here");
  }
  GC_set_on_collection_event(tell_event);
  gcbench_boehm.kind[MEMORY_LEAF] = GC_I_PTRFREE;
  gcbench_boehm.kind[MEMORY_REFS] = GC_I_NORMAL;
  for (unsigned kind = MEMORY_TREE; kind < MEMORY_KINDS; kind++)
    gcbench_boehm.kind[kind] = (int)GC_new_kind(
        GC_new_free_list(),
        GC_make_descriptor((const GC_word *)&memory_bits[kind], memory_words[kind]), 0, 1);
}

/* The thread itself is registered already, by pthread_create. */
struct memory *memory_attach(void) {
  return GC_malloc_uncollectable(sizeof(struct memory)); /* zeroed, and scanned by the collector */
}

void memory_detach(struct memory *memory) {
  GC_free(memory);
}

void memory_wait_begin(struct memory *memory) {
  (void)memory;
}

void memory_wait_end(struct memory *memory) {
  (void)memory;
}

void memory_note_pauses(void) {}

uint64_t memory_degenerate(void) {
  return 0;
}
