/* SPDX-License-Identifier: MIT */
/* Marking in the small (marking.h) for GenMC. run-genmc makes the macros from clients.py:
 * MODEL_FIRST, how many root slices marker 0 takes before the others begin: what happens then is
 * the same in every execution. A helper tries to take part once, whether it looks promising or not;
 * marker 0 waits when it has nothing left. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tests/model/genmc.h"

#include "marker/queue/bwos.h"

/* The other headers spell their orders out; here each spelling leads to a site. */
#define TD_TERM_ORDER_LEAVE TD_ORDER(term, leave, acq_rel)
#define TD_TERM_ORDER_JOIN TD_ORDER(term, join, acq_rel)
#define TD_TERM_ORDER_DONE TD_ORDER(term, over, acquire)
#define memory_order_release TD_ORDER(term, start, release)
#include "marker/base/termination.h"
#undef memory_order_release

/* Of the heap, marks and flags only. */
#define TD_HEAP_SPACE_SPACE_H
#define TD_DEFERRED 0x80u
struct td_space {
  _Atomic(uint8_t) *flags;
};
#define memory_order_release TD_ORDER(flag, store, release)
#define memory_order_acquire TD_ORDER(flag, take, acquire)
#include "heap/space/marks.h"
#undef memory_order_release
#undef memory_order_acquire

#define MODEL_REGIONS 0 /* regions are Relacy's: see region.cpp and marking_regions.h */
#define MODEL_CHUNKS 0
#define TD_CHUNK_REFERENCES 2u
#include "marker/region/region.h"

#define MODEL_MET(event) (void)(event)
extern struct marking state;
#define MODEL_STATE state
static uint8_t marks[8];
#define MODEL_MARKS marks
#define MODEL_MODE(id) (MODEL_MODES >> (8 * (id)) & 0xff)
#include "tests/model/marking.h"

struct marking state;
static _Alignas(TD_CACHE_LINE) uint64_t storage[MODEL_MARKERS][MARKING_BLOCKS * 10];
static _Atomic(uint8_t) flags[MODEL_PAGES];

static pthread_t helpers[MODEL_MARKERS - 1];

static void *help(void *id) {
  if (MODEL_WISH) td_bwos_want(&state.queue[0]);
  (void)marking_try((unsigned)(uintptr_t)id);
  return NULL;
}

static void start_helpers(void) {
  for (unsigned id = 1; id < MODEL_MARKERS; id++)
    pthread_create(&helpers[id - 1], NULL, help, (void *)(uintptr_t)id);
}

int main(void) {
  marking_init(flags, &storage[0][0], sizeof storage[0]);
  if (MODEL_FIRST < 0) start_helpers();
  marking_start();
  struct marking_loop l;
  marking_begin(&l, 0);
  for (int slice = 0; slice < MODEL_FIRST; slice++)
    (void)marking_scan_roots(&l, 0);
  if (MODEL_FIRST >= 0) start_helpers();
  if (!marking_work(&l, 0)) {
    while (!td_term_over(&state.term)) {
    }
  }
  marking_check();
  return 0;
}
