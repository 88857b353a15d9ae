/* SPDX-License-Identifier: MIT */
/* Finalizers: order, resurrection, weak references on the way; and those of which an object has
 * one, in their four orders. */
#include "tide/dropin.h"

#include "tests/unit/gc/common.h"

static uint64_t ran[2048];
static size_t ran_count;

FINALIZER(record) {
  ran[ran_count++] = ((struct pair *)object)->number;
}

/* Collects once. Returns how many finalizers ran. */
static size_t round_of(struct world *w) {
  live_after_collect(w);
  ran_count = 0;
  return tide_finalizers_run(w->m, SIZE_MAX);
}

static void **resurrected;
FINALIZER(resurrect) {
  record(object, context);
  *resurrected = object;
}

HeapTest(finalizer, resurrection_and_weak_references) {
  resurrected = tide_handle(w.m, NULL);
  struct pair *inner = pair_new(&w, NULL, NULL, 2), *outer = pair_new(&w, inner, NULL, 1);
  void **weak[4];
  for (int i = 0; i < 4; i++)
    weak[i] =
        tide_handle(w.m, tide_weak_new(w.m, i < 2 ? outer : inner, (enum tide_weak_kind)(i % 2)));
  /* A weak reference that only the dying object reaches, to something that only it reaches. */
  outer->right = (struct pair *)tide_weak_new(w.m, inner, TIDE_WEAK_BEFORE);
  cr_assert_eq(tide_finalizer_add(w.m, outer, resurrect, NULL), TIDE_OK);
  live_after_collect(&w);
  for (int i = 0; i < 4; i++)
    cr_assert_eq(tide_weak_get(w.m, (struct tide_weak *)*weak[i]) != NULL, i % 2 == 1);
  cr_assert_null(tide_weak_get(w.m, (struct tide_weak *)outer->right));
  cr_assert_eq(tide_finalizers_run(w.m, 1), 1);
  cr_assert_eq(((struct pair *)*resurrected)->left->number, 2);
  live_after_collect(&w);
  cr_assert_not_null(tide_weak_get(w.m, (struct tide_weak *)*weak[1]));
  cr_assert_eq(tide_finalizer_add(w.m, *resurrected, record, NULL), TIDE_OK, "again");
  *resurrected = NULL;
  live_after_collect(&w);
  cr_assert_eq(tide_finalizers_run(w.m, 1), 1);
  live_after_collect(&w);
  for (int i = 0; i < 4; i++)
    cr_assert_null(tide_weak_get(w.m, (struct tide_weak *)*weak[i]));
}

FINALIZER(count_call) {
  ++*(int *)context;
}

HeapTest(finalizer, several_of_one_object_and_removal) {
  int calls[3] = {0};
  void **object = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  for (int i = 0; i < 3; i++)
    cr_assert_eq(tide_finalizer_add(w.m, *object, count_call, &calls[i]), TIDE_OK);
  cr_assert_eq(tide_finalizer_remove(w.m, *object), 3);
  cr_assert_eq(tide_finalizer_remove(w.m, *object), 0);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(tide_finalizer_add(w.m, *object, count_call, &calls[i]), TIDE_OK);
  *object = NULL;
  live_after_collect(&w);
  cr_assert_eq(tide_finalizers_pending(w.heap), 3);
  cr_assert_eq(tide_finalizers_run(w.m, 2), 2);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(tide_finalizers_run(w.m, 2), 1);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(calls[i], 1);
  cr_assert_eq(tide_finalizer_add(w.m, NULL, count_call, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_finalizer_add(w.m, &w, count_call, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_finalizer_add(w.m, (char *)pair_new(&w, NULL, NULL, 1) + 8, count_call, NULL),
               TIDE_ERROR_ARGUMENT);
}

FINALIZER(allocate_much) {
  struct world *w = context;
  for (int i = 0; i < 1000; i++)
    pair_new(w, NULL, NULL, 0);
  tide_collect(w->m);
  cr_assert_eq(((struct pair *)object)->left->number, 1234, "the object is a root meanwhile");
  cr_assert_eq(tide_finalizers_run(w->m, 1), ((struct pair *)object)->number > 1);
}

HeapTest(finalizer, finalizers_may_allocate_collect_and_run_others) {
  for (uint64_t i = 10; i > 0; i--)
    cr_assert_eq(tide_finalizer_add(w.m, pair_new(&w, pair_new(&w, NULL, NULL, 1234), NULL, i),
                                    allocate_much, &w),
                 TIDE_OK);
  live_after_collect(&w);
  cr_assert_eq(tide_finalizers_run(w.m, 1), 1);
  cr_assert_eq(tide_finalizers_pending(w.heap), 0);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(finalizer, many) {
  int calls = 0;
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < 20000; i++) {
      void *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, 32);
      cr_assert_eq(tide_finalizer_add(w.m, object, count_call, &calls), TIDE_OK);
      if (i % 4 == 0) cr_assert_eq(tide_finalizer_remove(w.m, object), 1);
    }
    live_after_collect(&w);
    while (tide_finalizers_run(w.m, 777) > 0) {
    }
    cr_assert_eq(calls, (round + 1) * 15000);
  }
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(finalizer, order_sees_conservative_and_large_objects) {
  /* 1 -> large conservative words -> inside of 2 -> conservative -> inside of a large one -> 3 */
  struct pair *three = pair_new(&w, NULL, NULL, 3), *two = pair_new(&w, NULL, NULL, 2);
  struct pair *one = pair_new(&w, NULL, NULL, 1);
  void **roots[] = {tide_handle(w.m, one), tide_handle(w.m, two), tide_handle(w.m, three)};
  uintptr_t *wide = (uintptr_t *)tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, 200000);
  one->left = (struct pair *)wide;
  wide[20000] = (uintptr_t)two + 20;
  wide[3] = (uintptr_t)&w;
  uintptr_t *words = (uintptr_t *)tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, 100);
  two->right = (struct pair *)words;
  void **large = (void **)tide_alloc(w.m, TIDE_LAYOUT_REFS, 300000);
  words[5] = (uintptr_t)large + 299999;
  large[30000] = three;
  for (int i = 2; i >= 0; i--) {
    cr_assert_eq(tide_finalizer_add(w.m, *roots[i], record, NULL), TIDE_OK);
    *roots[i] = NULL;
  }
  cr_assert_eq(live_after_collect(&w), 6);
  for (uint64_t number = 1; number <= 3; number++) {
    cr_assert_eq(round_of(&w), 1);
    cr_assert_eq(ran[0], number);
  }
  cr_assert_eq(live_after_collect(&w), 0);
}

/* ---- One finalizer to an object ---- */

static void set(struct world *w, void *object, enum tide_finalizer_order order) {
  const struct tide_finalizer_entry entry = {.call = record, .order = order};
  cr_assert_eq(tide_finalizer_set(w->m, object, &entry, NULL), TIDE_OK);
}

static bool did_run(uint64_t number) {
  for (size_t i = 0; i < ran_count; i++)
    if (ran[i] == number) return true;
  return false;
}

/* Objects are digits, and 2>1 says that 2 refers to 1. */
static const struct order_case {
  const char *what, *edges;
  const char *orders; /* ordered, ignoring itself, without order, once unreachable */
  const char *rounds; /* which run behind each collection */
  uint64_t left;      /* objects in the end */
} order_cases[] = {
    {"ordered ones from the outside in", "2>1 3>9 9>2", "1o 3o 2o", "3 2 1", 0},
    {"ordered ones in a cycle never", "2>1 1>2 3>3", "1o 2o 3o", "", 3},
    {"references straight to itself may be ignored", "3>3 4>5 5>4", "3i 4i", "3", 2},
    {"a chain without order takes one collection", "4>3 3>2 2>1", "1w 2w 3w 4w", "1234", 0},
    {"one without order waits for an ordered one", "2>1", "1w 2o", "2 1", 0},
    {"unreachable ones come last of all", "2>1", "1u 2w", "2 1", 0},
};

static void try_order(const struct order_case *c) {
  static const char letters[] = "oiwu";
  static const enum tide_finalizer_order orders[] = {
      TIDE_FINALIZE_ORDERED, TIDE_FINALIZE_IGNORE_SELF, TIDE_FINALIZE_NO_ORDER,
      TIDE_FINALIZE_UNREACHABLE};
  SCOPED_WORLD w = world_new();
  struct pair *object[10];
  for (uint64_t i = 0; i < 10; i++)
    object[i] = pair_new(&w, NULL, NULL, i);
  for (const char *at = c->edges; *at; at += at[3] ? 4 : 3)
    object[at[0] - '0']->left = object[at[2] - '0'];
  for (const char *at = c->orders; *at; at += at[2] ? 3 : 2)
    set(&w, object[at[0] - '0'], orders[strchr(letters, at[1]) - letters]);
  for (const char *at = c->rounds; *at;) {
    size_t count = strcspn(at, " ");
    cr_assert_eq(round_of(&w), count, "%s: before %s", c->what, at);
    for (size_t i = 0; i < count; i++)
      cr_assert(did_run((uint64_t)(at[i] - '0')), "%s: %c", c->what, at[i]);
    at += count + (at[count] == ' ');
  }
  cr_assert_eq(round_of(&w), 0, "%s", c->what);
  cr_assert_eq(live_after_collect(&w), c->left, "%s", c->what);
}

Test(finalizer_set, orders) {
  for (size_t i = 0; i < sizeof order_cases / sizeof *order_cases; i++)
    try_order(&order_cases[i]);
}

HeapTest(finalizer_set, without_one_an_object_dies) {
  struct pair *self = pair_new(&w, NULL, NULL, 3);
  self->right = self;
  set(&w, self, TIDE_FINALIZE_ORDERED);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(tide_finalizer_set(w.m, self, NULL, NULL), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(finalizer_set, replacing_tells_what_there_was) {
  int count = 0;
  void **held = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  struct tide_finalizer_entry before;
  const struct tide_finalizer_entry first = {record, NULL, TIDE_FINALIZE_IGNORE_SELF};
  const struct tide_finalizer_entry second = {count_call, &count, TIDE_FINALIZE_ORDERED};
  cr_assert_eq(tide_finalizer_set(w.m, *held, &first, &before), TIDE_OK);
  cr_assert_null(before.call);
  cr_assert_eq(tide_finalizer_set(w.m, *held, &second, &before), TIDE_OK);
  cr_assert(before.call == record && before.order == TIDE_FINALIZE_IGNORE_SELF);
  cr_assert_eq(tide_finalizer_set(w.m, *held, NULL, &before), TIDE_OK);
  cr_assert(before.call == count_call && before.context == &count);
  cr_assert_eq(tide_finalizer_set(w.m, *held, NULL, &before), TIDE_OK);
  cr_assert_null(before.call);
  cr_assert_eq(tide_finalizer_set(w.m, *held, &second, NULL), TIDE_OK);
  *held = NULL;
  cr_assert_eq(round_of(&w), 1);
  cr_assert_eq(count, 1);
  cr_assert_eq(ran_count, 0);
}

HeapTest(finalizer_set, the_context_is_a_root) {
  void **held = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  struct pair *context = pair_new(&w, NULL, NULL, 2);
  const struct tide_finalizer_entry entry = {record, (char *)context + 8, TIDE_FINALIZE_ORDERED};
  cr_assert_eq(tide_finalizer_set(w.m, *held, &entry, NULL), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 2, "while it is registered");
  *held = NULL;
  cr_assert_eq(live_after_collect(&w), 2, "while it is pending");
  struct tide_finalizer_entry taken = {.call = NULL};
  void *object = tide_finalizer_take(w.m, &taken);
  cr_assert_eq(((struct pair *)object)->number, 1);
  cr_assert(taken.call == record && taken.context == entry.context);
  cr_assert_null(tide_finalizer_take(w.m, &taken));
  cr_assert_eq(live_after_collect(&w), 0, "taken");
}

FINALIZER(pass) {}
HeapTest(finalizer_set, those_of_one_function_are_taken_out_of_turn) {
  const struct tide_finalizer_entry entry = {.call = pass, .order = TIDE_FINALIZE_ORDERED};
  struct tide_finalizer_entry taken;
  unsigned odd = 0, even = 0;
  for (uint64_t i = 0; i < 5; i++) {
    struct pair *object = pair_new(&w, NULL, NULL, i);
    set(&w, object, TIDE_FINALIZE_ORDERED);
    if (i % 2) cr_assert_eq(tide_finalizer_set(w.m, object, &entry, NULL), TIDE_OK);
  }
  (void)live_after_collect(&w);
  for (int i = 0; i < 2; i++)
    odd |= 1u << ((struct pair *)tide_finalizer_take_only(w.m, pass, &taken))->number;
  cr_assert_null(tide_finalizer_take_only(w.m, pass, &taken));
  for (int i = 0; i < 3; i++)
    even |= 1u << ((struct pair *)tide_finalizer_take(w.m, &taken))->number;
  cr_assert(odd == 0xa && even == 0x15);
}

HeapTest(finalizer_set, both_ways_of_registering_live_side_by_side) {
  struct pair *both = pair_new(&w, NULL, NULL, 1);
  set(&w, both, TIDE_FINALIZE_ORDERED);
  cr_assert_eq(tide_finalizer_add(w.m, both, record, NULL), TIDE_OK);
  cr_assert_eq(round_of(&w), 1);
  cr_assert_eq(round_of(&w), 1);
  cr_assert_eq(live_after_collect(&w), 0);
}

/* Every one of them, whatever its address, and none but them. */
HeapTest(finalizer_set, freeing_some_of_many_forgets_those) {
  enum { COUNT = 5000 };
  void **all = (void **)tide_alloc_array(w.m, TIDE_LAYOUT_REFS, COUNT, sizeof(void *));
  void ***kept = (void ***)tide_handle(w.m, NULL);
  *kept = all;
  for (int i = 0; i < COUNT; i++) {
    (*kept)[i] = pair_new(&w, NULL, NULL, (uint64_t)i);
    if (i % 2) set(&w, (*kept)[i], TIDE_FINALIZE_NO_ORDER);
  }
  for (int i = 0; i < COUNT; i++)
    if (i % 4 < 2) {
      cr_assert_eq(tide_free(w.m, (*kept)[i]), TIDE_OK);
      (*kept)[i] = NULL;
    }
  *kept = NULL;
  cr_assert_eq(round_of(&w), COUNT / 4);
}

static uint64_t queued[8];
static size_t queued_count;
static void note_queued(void *object, tide_finalizer_fn finalizer, void *context) {
  cr_assert(finalizer == record && context == queued);
  queued[queued_count++] = ((struct pair *)object)->number;
}
EVENT(ask_what_is_queued) {
  if (event == TIDE_EVENT_CYCLE_END) tide_finalizers_queued(heap, note_queued, queued);
}

HeapTest(finalizer_set, what_a_collection_queues_is_told) {
  tide_heap_on_event(w.heap, ask_what_is_queued, NULL);
  set(&w, pair_new(&w, NULL, NULL, 1), TIDE_FINALIZE_NO_ORDER);
  void **kept = tide_handle(w.m, pair_new(&w, NULL, NULL, 2));
  set(&w, *kept, TIDE_FINALIZE_NO_ORDER);
  live_after_collect(&w);
  cr_assert_eq(queued_count, 1);
  cr_assert_eq(tide_finalizer_add(w.m, pair_new(&w, NULL, NULL, 3), record, NULL), TIDE_OK);
  live_after_collect(&w);
  cr_assert_eq(queued_count, 2, "the first still waits, and is not told again");
  cr_assert(queued[0] == 1 && queued[1] == 3);
  tide_finalizers_queued(w.heap, note_queued, queued);
  cr_assert_eq(queued_count, 2, "not outside of a collection");
}

FINALIZER(record_other) {
  record(object, context);
}

HeapTest(finalizer_set, all_may_be_queued_at_once) {
  const struct tide_finalizer_entry other = {.call = record_other};
  void **kept = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  void **left_out = tide_handle(w.m, pair_new(&w, NULL, NULL, 2));
  set(&w, *kept, TIDE_FINALIZE_UNREACHABLE);
  set(&w, pair_new(&w, NULL, NULL, 3), TIDE_FINALIZE_ORDERED);
  cr_assert_eq(tide_finalizer_set(w.m, *left_out, &other, NULL), TIDE_OK);
  ran_count = 0;
  cr_assert_eq(tide_finalizers_queue_all(w.m, record_other), 2);
  cr_assert_eq(tide_finalizers_queue_all(w.m, record_other), 0);
  cr_assert_eq(live_after_collect(&w), 3, "they are pending");
  cr_assert_eq(tide_finalizers_run(w.m, SIZE_MAX), 2);
  cr_assert(did_run(1) && did_run(3));
  cr_assert_eq(tide_finalizers_queue_all(w.m, NULL), 1);
  cr_assert_eq(tide_finalizers_run(w.m, SIZE_MAX), 1);
  cr_assert_eq(live_after_collect(&w), 2);
}

HeapTest(finalizer_set, what_means_nothing_is_refused) {
  struct pair *object = pair_new(&w, NULL, NULL, 1);
  const struct tide_finalizer_entry none = {.call = NULL}, good = {.call = record};
  const struct tide_finalizer_entry unknown = {.call = record,
                                               .order = (enum tide_finalizer_order)9};
  cr_assert_eq(tide_finalizer_set(w.m, object, &none, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_finalizer_set(w.m, object, &unknown, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_finalizer_set(w.m, NULL, &good, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_finalizer_set(w.m, &object->number, &good, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_null(tide_finalizer_take(w.m, NULL));
}
