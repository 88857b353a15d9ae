/* SPDX-License-Identifier: MIT */
/* What tide/foreign.h offers, but for finalizers; and how a heap grows on demand. */
#include "tide/dropin.h"

#include "tests/unit/gc/common.h"

static uintptr_t told_before[4], told_stopped[2]; /* of which number 1 is told */
static unsigned calls_before, calls_stopped;

REPORT(before_stop) {
  calls_before++;
  cr_assert_eq(context, (void *)told_before);
  tide_root_report(list, told_before, sizeof told_before);
}
REPORT(stopped) {
  calls_stopped++;
  tide_root_report(list, (char *)&told_stopped[1] - 3, 8 + 3); /* a word is inside */
  tide_root_report(list, told_stopped, 7);                     /* short of one */
}

HeapTest(foreign, sources_tell_roots_in_each_collection_anew) {
  const struct tide_root_source source = {
      .before_stop = before_stop, .stopped = stopped, .context = told_before};
  cr_assert_eq(tide_root_add_source(w.heap, &source), TIDE_OK);
  cr_assert_eq(tide_root_add_source(w.heap, &source), TIDE_ERROR_STATE);
  told_before[2] = (uintptr_t)pair_new(&w, NULL, NULL, 1) + 9; /* conservative: into the object */
  told_stopped[0] = (uintptr_t)pair_new(&w, NULL, NULL, 4);    /* not told of */
  told_stopped[1] = (uintptr_t)pair_new(&w, pair_new(&w, NULL, NULL, 2), NULL, 3);
  cr_assert_eq(live_after_collect(&w), 3);
  cr_assert_eq(calls_before, 1);
  cr_assert_eq(calls_stopped, 1, "checks ask nobody again");
  told_before[2] = 0;
  cr_assert_eq(live_after_collect(&w), 2);
  cr_assert_eq(tide_root_remove_source(w.heap, &source), TIDE_OK);
  cr_assert_eq(tide_root_remove_source(w.heap, &source), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(live_after_collect(&w), 0);
  cr_assert_eq(calls_before, 2);
}

struct around {
  unsigned before, declines, around, twice;
  uintptr_t word;
};
static unsigned stops_told;

EVENT(count_stops) {
  stops_told += event == TIDE_EVENT_STOPPED;
}
REPORT(around_before) {
  struct around *around = context;
  around->before++;
  tide_root_report(list, &around->word, sizeof around->word);
}
static void around_stop(void (*stop)(void *argument), void *argument, void *context) {
  struct around *around = context;
  around->around++;
  if (around->around <= around->declines) return;
  stop(argument);
  if (around->twice) stop(argument);
}

HeapTest(foreign, sources_hold_what_must_not_change_around_the_stop) {
  struct around first = {.declines = 2, .twice = 1}, second = {.declines = 0};
  struct tide_root_source source = {
      .before_stop = around_before, .around_stop = around_stop, .context = &first};
  cr_assert_eq(tide_root_add_source(w.heap, &source), TIDE_OK);
  source.context = &second;
  cr_assert_eq(tide_root_add_source(w.heap, &source), TIDE_OK);
  source.before_stop = NULL;
  cr_assert_eq(tide_root_add_source(w.heap, &source), TIDE_OK, "one that only waits");
  tide_heap_on_event(w.heap, count_stops, NULL);
  first.word = (uintptr_t)pair_new(&w, NULL, NULL, 1);
  second.word = (uintptr_t)pair_new(&w, NULL, NULL, 2);
  cr_assert_eq(live_after_collect(&w), 2);
  cr_assert_eq(stops_told, 1);
  cr_assert_eq(first.before, 3, "asked anew for each time that it did not want");
  cr_assert_eq(second.before, 3);
  cr_assert_eq(first.around, 3);
  cr_assert_eq(second.around, 2, "as two sources, each inside the first");
}

REPORT(tell_both) {
  tide_root_report(list, &told_before[0], sizeof told_before[0]);
  tide_root_report_stack(list, &told_before[1], sizeof told_before[1]);
}

HeapTest(foreign, words_of_stacks_may_point_anywhere) {
  const struct tide_root_source source = {.stopped = tell_both};
  cr_assert_eq(tide_root_add_source(w.heap, &source), TIDE_OK);
  told_before[0] = (uintptr_t)pair_new(&w, NULL, NULL, 1) + 9;
  told_before[1] = (uintptr_t)pair_new(&w, NULL, NULL, 2) + 9;
  cr_assert_eq(live_after_collect(&w), 2);
  cr_assert_eq(tide_heap_set_interior(w.heap, TIDE_INTERIOR_BASE), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(((struct pair *)(told_before[1] - 9))->number, 2);
}

#define MANY 200000u
static uintptr_t many[MANY];

REPORT(tell_many) {
  for (size_t i = 0; i < MANY; i++)
    tide_root_report(list, &many[i], sizeof many[i]);
}

HeapTest(foreign, a_source_may_tell_of_very_many_places) {
  const struct tide_root_source source = {.stopped = tell_many};
  cr_assert_eq(tide_root_add_source(w.heap, &source), TIDE_OK);
  for (size_t i = 0; i < MANY; i += 1000)
    many[i] = (uintptr_t)pair_new(&w, NULL, NULL, i);
  cr_assert_eq(live_after_collect(&w), MANY / 1000);
}

HeapTest(foreign, sources_that_mean_nothing_are_refused) {
  const struct tide_root_source none = {.context = &w}, one = {.stopped = tell_many};
  cr_assert_eq(tide_root_add_source(w.heap, &none), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_source(w.heap, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_source(NULL, &one), TIDE_ERROR_ARGUMENT);
  tide_root_report(NULL, &w, sizeof w);
}

/* ---- Weak slots in place ---- */

static uintptr_t disguised(const void *target) {
  return ~(uintptr_t)target;
}

HeapTest(foreign, a_slot_outside_the_heap_is_cleared_when_its_target_dies) {
  static uintptr_t slot[2];
  void **held = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  void *dying = pair_new(&w, NULL, NULL, 2);
  slot[0] = disguised(*held);
  slot[1] = disguised(dying);
  cr_assert_eq(tide_weak_slot_add(w.m, &slot[0], *held, TIDE_WEAK_BEFORE), TIDE_OK);
  cr_assert_eq(tide_weak_slot_add(w.m, &slot[0], *held, TIDE_WEAK_BEFORE), TIDE_ERROR_STATE);
  cr_assert_eq(tide_weak_slot_add(w.m, &slot[1], dying, TIDE_WEAK_BEFORE), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(slot[0], disguised(*held));
  cr_assert_eq(slot[1], 0);
  cr_assert_eq(tide_weak_slot_remove(w.m, &slot[1], TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_remove(w.m, &slot[0], TIDE_WEAK_BEFORE), TIDE_OK);
  *held = NULL;
  uintptr_t before = slot[0];
  cr_assert_eq(live_after_collect(&w), 0);
  cr_assert_eq(slot[0], before, "removed");
}

HeapTest(foreign, a_slot_in_an_object_is_forgotten_with_it) {
  void **target = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  void **holder = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 64));
  uintptr_t *slot = (uintptr_t *)*holder + 3;
  *slot = disguised(*target);
  cr_assert_eq(tide_weak_slot_add(w.m, slot, *target, TIDE_WEAK_BEFORE), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 2);
  *holder = NULL;
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(tide_weak_slot_remove(w.m, slot, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
}

/* Words that may be pointers count only at an object's start. That is none of the slot's business.
 */
HeapTest(foreign, a_slot_lies_anywhere_in_an_object) {
  cr_assert_eq(tide_heap_set_interior(w.heap, TIDE_INTERIOR_BASE), TIDE_OK);
  tide_layout near = tide_layout_held_by_first_page(w.heap, TIDE_LAYOUT_LEAF, NULL);
  const size_t words[] = {2, 3, 600, 5000, 20000};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    void **target = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
    uintptr_t *holder = held(&w, tide_alloc(w.m, i % 2 ? near : TIDE_LAYOUT_LEAF, words[i] * 8));
    uintptr_t *slot = &holder[words[i] - 1];
    *slot = disguised(*target);
    cr_assert_eq(tide_weak_slot_add(w.m, slot, *target, TIDE_WEAK_BEFORE), TIDE_OK);
    live_after_collect(&w);
    cr_assert_eq(*slot, disguised(*target));
    *target = NULL;
    live_after_collect(&w);
    cr_assert_eq(*slot, 0, "%zu words", words[i]);
  }
}

HeapTest(foreign, a_slot_moves) {
  static uintptr_t from, to, third;
  void *target = pair_new(&w, NULL, NULL, 1);
  from = to = third = 7;
  cr_assert_eq(tide_weak_slot_add(w.m, &from, target, TIDE_WEAK_AFTER), TIDE_OK);
  cr_assert_eq(tide_weak_slot_add(w.m, &third, target, TIDE_WEAK_AFTER), TIDE_OK);
  cr_assert_eq(tide_weak_slot_move(w.m, &from, &third, TIDE_WEAK_AFTER), TIDE_ERROR_STATE);
  cr_assert_eq(tide_weak_slot_move(w.m, &to, &from, TIDE_WEAK_AFTER), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_move(w.m, &from, &to, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_move(w.m, &from, &to, TIDE_WEAK_AFTER), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 0);
  cr_assert_eq(from, 7);
  cr_assert_eq(to, 0);
  cr_assert_eq(third, 0);
}

#define SLOTS 5000u
HeapTest(foreign, many_slots_keep_their_places_in_the_list) {
  static uintptr_t slot[SLOTS];
  void **list = tide_handle(w.m, NULL);
  for (size_t i = 0; i < SLOTS; i++) {
    void *target = pair_new(&w, NULL, NULL, i);
    if (i % 3 == 0) {
      ((struct pair *)target)->left = *list;
      *list = target;
    }
    slot[i] = disguised(target);
    cr_assert_eq(tide_weak_slot_add(w.m, &slot[i], target, TIDE_WEAK_BEFORE), TIDE_OK);
  }
  cr_assert_eq(live_after_collect(&w), (SLOTS + 2) / 3);
  for (size_t i = 0; i < SLOTS; i++) {
    cr_assert_eq(slot[i] == 0, i % 3 != 0, "slot %zu", i);
    enum tide_status status = tide_weak_slot_remove(w.m, &slot[i], TIDE_WEAK_BEFORE);
    cr_assert_eq(status, i % 3 ? TIDE_ERROR_ARGUMENT : TIDE_OK, "slot %zu", i);
  }
}

HeapTest(foreign, slots_that_mean_nothing_are_refused, .signal = TOLD) {
  static uintptr_t slot[2];
  void *target = pair_new(&w, NULL, NULL, 1);
  void *odd = (char *)slot + 1;
  cr_assert_eq(tide_weak_slot_add(w.m, NULL, target, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_add(w.m, odd, target, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_add(w.m, slot, NULL, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_add(w.m, slot, slot, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_add(w.m, slot, target, (enum tide_weak_kind)2), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_move(w.m, slot, odd, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
  tide_blocking_enter(w.m);
  cr_assert_eq(tide_weak_slot_remove(w.m, slot, TIDE_WEAK_BEFORE), TIDE_ERROR_STATE);
  tide_blocking_leave(w.m);
}

struct question {
  void *live, *dead;
  bool live_is, dead_is;
  unsigned asked;
};
EVENT(ask) {
  struct question *question = context;
  if (event != TIDE_EVENT_MARK_END) return;
  question->asked++;
  question->live_is = tide_object_is_live(heap, question->live);
  question->dead_is = tide_object_is_live(heap, question->dead);
}

HeapTest(foreign, events_may_ask_who_is_alive) {
  void **held = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  struct question question = {.live = *held, .dead = pair_new(&w, NULL, NULL, 2)};
  tide_heap_on_event(w.heap, ask, &question);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(question.asked, 1);
  cr_assert(question.live_is);
  cr_assert_not(question.dead_is);
  cr_assert_not(tide_object_is_live(w.heap, *held), "not in a callback");
  tide_heap_on_event(w.heap, NULL, NULL);
}

static _Atomic(int) inside, most, calls;

TRACE(trace_one) {
  int now = atomic_fetch_add(&inside, 1) + 1;
  for (int seen = atomic_load(&most);
       now > seen && !atomic_compare_exchange_weak(&most, &seen, now);) {
  }
  for (volatile int i = 0; i < 300; i++) {
  }
  atomic_fetch_add(&calls, 1);
  tide_trace_range(tracer, object, 2);
  atomic_fetch_sub(&inside, 1);
}

static void *serial_tree(struct world *w, tide_layout layout, unsigned depth) {
  size_t scope = tide_scope_open(w->m);
  void **node = tide_handle(w->m, tide_alloc(w->m, layout, 2 * sizeof(void *)));
  for (unsigned i = 0; depth && i < 2; i++)
    ((void **)*node)[i] = serial_tree(w, layout, depth - 1);
  void *made = *node;
  tide_scope_close(w->m, scope);
  return made;
}

Test(foreign, one_function_at_a_time_runs) {
  SCOPED_WORLD w = WORLD(.markers = 4);
  tide_layout one = tide_layout_traced_serially(w.heap, trace_one, NULL, NULL);
  tide_layout other = tide_layout_traced_serially(w.heap, trace_one, &w, NULL);
  cr_assert_neq(one, TIDE_LAYOUT_INVALID);
  cr_assert_neq(one, other);
  cr_assert_eq(tide_layout_traced_serially(w.heap, trace_one, NULL, NULL), one, "shared");
  void **left = tide_handle(w.m, serial_tree(&w, one, 12));
  void **right = tide_handle(w.m, serial_tree(&w, other, 12));
  cr_assert(*left && *right);
  cr_assert_eq(live_after_collect(&w), 2 * ((1u << 13) - 1));
  cr_assert_eq(atomic_load(&most), 1);
  cr_assert_geq(atomic_load(&calls), 2 * ((1 << 13) - 1));
}

Test(foreign, a_heap_that_may_grow_collects_later) {
  SCOPED_WORLD w = WORLD(.heap_initial_bytes = (size_t)2 << 20);
  cr_assert(tide_heap_grow(w.heap, (size_t)16 << 20));
  for (size_t i = 0; i < (12u << 20) / sizeof(struct pair); i++)
    pair_new(&w, NULL, NULL, i);
  cr_assert_eq(collections(&w), 0);
  while (tide_heap_grow(w.heap, (size_t)16 << 20)) {
  }
  cr_assert_geq(stats_of(w.heap).next_collection_bytes, stats_of(w.heap).heap_max_bytes);
  cr_assert_not(tide_heap_grow(NULL, 1));
  tide_heap_trim(NULL);
}
