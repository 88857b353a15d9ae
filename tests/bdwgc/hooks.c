/* SPDX-License-Identifier: MIT */
/* Functions of the program that the collector calls: when, in which order, and what they may wait
 * for; and finalizers that do not return. */
#include "tests/bdwgc/semantics.h"

#include <setjmp.h>

/* ---- What a thread holds that a collection stops ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(bool) over, holds;
static int waits;

/* Like one that writes to a stream. */
static void *hold_often(void *unused) {
  while (!over) {
    pthread_mutex_lock(&lock);
    holds = true;
    usleep(10000);
    holds = false;
    pthread_mutex_unlock(&lock);
    usleep(100);
  }
  return unused;
}
static void wait_for_it(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 20;
  CHECK(pthread_mutex_timedlock(&lock, &until) == 0);
  pthread_mutex_unlock(&lock);
  waits++;
}
static void collect_beside_holder(void (*before_each)(void)) {
  pthread_t thread = start(hold_often, NULL);
  for (int i = 0; i < 10; i++) {
    if (before_each) before_each();
    while (!holds)
      usleep(100);
    GC_gcollect();
  }
  over = true;
  finish(thread);
  CHECK(waits > 0);
}

/* ---- Events ---- */

static char told[64];
static size_t told_count;
static void note_event(GC_EventType event) {
  if (told_count < sizeof told - 1) told[told_count++] = "SMmRrEpPwWtu"[event];
}
PART(hooks_in_order) {
  GC_set_on_collection_event(note_event);
  GC_gcollect();
  CHECK(!strcmp(told, "SpPMmwWRrE"));
}

static void wait_in_event(GC_EventType event) {
  if (strchr("WRrE", "SMmRrEpPwWtu"[event])) wait_for_it();
}
PART(hooks_events_wait) {
  GC_set_on_collection_event(wait_in_event);
  collect_beside_holder(NULL);
}

/* ---- Toggle references, and objects that wait for their finalizers ---- */

static GC_ToggleRefStatus wait_and_keep(void *object) {
  wait_for_it();
  CHECK(*(int *)object == 7);
  return GC_TOGGLE_REF_STRONG;
}
static APART void add_toggle(void) {
  int *object = GC_malloc(24);
  *object = 7;
  CHECK(GC_toggleref_add(object, 1) == GC_SUCCESS);
}
PART(hooks_toggles_wait) {
  GC_set_toggleref_func(wait_and_keep);
  for (int i = 0; i < 4; i++)
    add_toggle();
  collect_beside_holder(NULL);
}

static int awaited, finalized;
static void wait_awaited(void *object) {
  CHECK(GC_base(object) == object);
  awaited++;
  wait_for_it();
}
static void finalize_awaited(void *object, void *data) {
  CHECK(++finalized <= awaited);
}
static APART void drop_some(void) {
  for (int i = 0; i < 3; i++)
    GC_register_finalizer_no_order(GC_malloc(24), finalize_awaited, NULL, NULL, NULL);
}
static void *take_finalizers(void *unused) {
  while (!over)
    GC_invoke_finalizers();
  return unused;
}
PART(hooks_awaited_wait) {
  GC_set_await_finalize_proc(wait_awaited);
  GC_set_finalize_on_demand(1);
  pthread_t taker = start(take_finalizers, NULL);
  collect_beside_holder(drop_some);
  finish(taker);
  CHECK(finalized > 0);
}

/* ---- All objects ---- */

static size_t seen;
static void *sought;
static void wait_and_see(void *object, size_t bytes, void *data) {
  CHECK(data == &seen);
  if (object != sought) return;
  CHECK(bytes >= 100);
  seen++;
  wait_for_it();
}
static void *look_at_all(void *unused) {
  GC_enumerate_reachable_objects_inner(wait_and_see, &seen);
  return unused;
}
static void look_locked(void) {
  while (!holds)
    usleep(100);
  GC_call_with_alloc_lock(look_at_all, NULL);
}
PART(hooks_enumeration_waits) {
  sought = GC_malloc(100);
  GC_gcollect(); /* the other library tells of what it has found alive */
  collect_beside_holder(look_locked);
  CHECK(seen == 10);
}

/* ---- What was found alive ---- */

static GC_word hidden[100];
static void *volatile kept[100];
static APART void drop_half(void) {
  for (int i = 0; i < 100; i++) {
    kept[i] = GC_malloc(64);
    hidden[i] = ~(GC_word)GC_malloc(64);
  }
}
static void *count_marked(void *unused) {
  int marked = 0;
  for (int i = 0; i < 100; i++) {
    CHECK(GC_is_marked(kept[i]));
    marked += GC_is_marked((void *)~hidden[i]);
  }
  CHECK(marked < 10);
  return unused;
}
static void count_at_end(GC_EventType event) {
  if (event == GC_EVENT_MARK_END) count_marked(NULL);
}
PART(hooks_marked) {
  in_thread(drop_half);
  GC_set_on_collection_event(count_at_end);
  GC_gcollect();
  GC_call_with_alloc_lock(count_marked, NULL);
}

/* ---- The heap's size ---- */

static GC_word size_told;
static void note_size(GC_word bytes) {
  size_told = bytes;
}
PART(hooks_heap_resized) {
  GC_set_on_heap_resize(note_size);
  CHECK(GC_malloc((size_t)64 << 20));
  CHECK(size_told >= (GC_word)64 << 20 && size_told <= GC_get_heap_size() + ((GC_word)64 << 20));
}

/* ---- Being asked whether to go on ---- */

static int asked;
static int ask(void) {
  return ++asked > 0;
}
PART(hooks_stop) {
  GC_word before = GC_get_gc_no();
  CHECK(GC_try_to_collect(ask) == 0 && asked == 1);
  GC_set_stop_func(ask);
  GC_gcollect();
  CHECK(asked == 2 && GC_get_gc_no() == before);
  GC_gcollect_and_unmap(); /* asks nobody */
  CHECK(asked == 2 && GC_get_gc_no() > before);
}

/* ---- Finalizers that do not return ---- */

static jmp_buf outside;
static void leave(void *object, void *data) {
  if (++finalized == 1) longjmp(outside, 1);
}
static APART void drop_with(GC_finalization_proc first, int others) {
  if (first) GC_register_finalizer_no_order(GC_malloc(24), first, NULL, NULL, NULL);
  for (int i = 0; i < others; i++)
    GC_register_finalizer_no_order(GC_malloc(24), count_up, &finalized, NULL, NULL);
}
static void drop_left(void) {
  for (int i = 0; i < 100; i++)
    drop_with(leave, 0);
}
PART(hooks_finalizer_left) {
  if (!setjmp(outside)) {
    drop_left();
    collect();
  }
  for (int i = 0; i < 20 && finalized < 90; i++)
    collect();
  CHECK(finalized >= 90);
}

static bool came;
static void wait_for_others(void *object, void *data) {
  drop_with(NULL, 100);
  for (int i = 0; i < 20 && finalized < 90; i++)
    collect();
  CHECK(finalized >= 90);
  came = true;
}
PART(hooks_finalizer_waits) {
  drop_with(wait_for_others, 0);
  collect();
  CHECK(came);
}

/* ---- On demand ---- */

static int disclaimed, notified;
static const struct GC_finalizer_closure closure = {count_up, &disclaimed};
static void drop_closures(void) {
  for (int i = 0; i < 100; i++)
    GC_finalized_malloc(24, &closure);
}
static void drop_both(void) {
  drop_with(NULL, 100);
  drop_closures();
}
static void notify(void) {
  notified++;
}
/* Closures are called nevertheless, behind finalizers that wait as well. */
PART(hooks_on_demand) {
  GC_init_finalized_malloc();
  GC_set_finalize_on_demand(1);
  GC_set_finalizer_notifier(notify);
  in_thread(drop_closures);
  collect();
  drop_closures(); /* room is looked for */
  CHECK(disclaimed >= 90 && !notified && GC_invoke_finalizers() == 0);
  int before = disclaimed;
  in_thread(drop_both);
  collect();
  drop_closures();
  CHECK(disclaimed - before >= 90 && notified && !finalized);
  CHECK(GC_invoke_finalizers() == finalized && finalized >= 90);
}
