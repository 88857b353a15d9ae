/* SPDX-License-Identifier: MIT */
/* What happens to objects that die with a finalizer while they are marked beside the program: they
 * have been queued in one stop, and what refers weakly to them is decided in a later one. Each
 * function does something in between that could lose an object. Under TIDE_VERIFY=1. */
#include "tests/concurrent/nodes.h"
#include "tide/foreign.h"

enum { NUMBER = 100, KINDS = 2, DYING = 8 };

static struct tide_weak *(*weak)[KINDS];
static struct tide_ephemeron **ephemerons;
static unsigned ran;
static struct node *revived[DYING];
static bool has_young;

static struct node *make_before(struct node *next, uint64_t number) {
  struct node **held = (struct node **)tide_handle(h.m, next);
  struct node *node = make(number);
  node->next = *held;
  *held = NULL;
  return node;
}

static void finalize(void *object, void *context) {
  struct node *node = object;
  CHECK(node->number >= NUMBER && node->next->number == node->number + 1000);
  revived[ran++ % DYING] = node; /* if it is a root */
}

/* The dying object refers to another one, of which the references and the ephemerons know. */
static __attribute__((noinline)) void make_one(size_t i, enum tide_finalizer_order order,
                                               bool set) {
  struct node **one = (struct node **)tide_handle(h.m, NULL);
  *one = make_before(make(NUMBER + i + 1000), NUMBER + i);
  for (int kind = 0; kind < KINDS; kind++)
    tide_write(h.m, weak, &weak[i][kind],
               tide_weak_new(h.m, (*one)->next, (enum tide_weak_kind)kind));
  tide_write(h.m, ephemerons, &ephemerons[i],
             tide_ephemeron_new(h.m, (*one)->next, make(NUMBER + i + 2000)));
  const struct tide_finalizer_entry entry = {finalize, NULL, order};
  CHECK((set ? tide_finalizer_set(h.m, *one, &entry, NULL)
             : tide_finalizer_add(h.m, *one, finalize, NULL)) == TIDE_OK);
  *one = NULL;
}

static void make_all(void) {
  for (size_t i = 0; i < DYING; i++)
    make_one(i, TIDE_FINALIZE_ORDERED, false);
}

/* A word that was left on the stack may hold one or the other. */
static size_t count_pending(void) {
  size_t pending = tide_finalizers_pending(h.heap);
  CHECK(pending >= DYING / 2 && pending <= DYING);
  return pending;
}

/* Other objects take the place of what has died. */
static void refill(void) {
  CHECK(tide_collect(h.m) == TIDE_OK);
  for (uint64_t i = 0; i < 20000; i++)
    make(i % 50);
}

static void run_all(void) {
  CHECK(tide_collect(h.m) == TIDE_OK); /* so that none goes on */
  ran = 0;
  size_t pending = tide_finalizers_pending(h.heap);
  CHECK(tide_finalizers_run(h.m, SIZE_MAX) == pending && ran == pending);
  for (size_t i = 0; i < DYING; i++)
    put(i, NULL);
}

/* One stop for what roots reach, another one for what dies; and then nothing is left to do. */
static void they_live_on(void) {
  make_all();
  h.later = 1;
  held_begin(&h);
  count_pending();
  struct tide_cycle_stats stats = held_end(&h);
  /* The last one is for young collections. */
  CHECK(stats.stops == (has_young ? 4 : 3) && !stats.stopped_because);
  refill();
  run_all();
}

static void weak_references_stay_in_order(void) {
  make_all();
  held_begin(&h);
  for (size_t i = 0; i < DYING; i++) {
    void *after = tide_weak_get(h.m, weak[i][TIDE_WEAK_AFTER]);
    CHECK(after);
    put(i, after); /* it is marked beside the program, or by this */
  }
  size_t cleared = 0;
  for (size_t i = 0; i < DYING; i++)
    cleared += !tide_weak_get(h.m, weak[i][TIDE_WEAK_BEFORE]);
  CHECK(cleared == count_pending());
  held_end(&h);
  refill();
  for (size_t i = 0; i < DYING; i++) {
    CHECK(roots[i]->number == NUMBER + i + 1000);
    CHECK(tide_weak_get(h.m, weak[i][TIDE_WEAK_AFTER]) == roots[i]);
  }
  run_all();
}

/* The key lives because it is queued, or because the program has got it. */
static void values_of_ephemerons_live(void) {
  make_all();
  held_begin(&h);
  for (size_t i = 0; i < DYING; i++) {
    struct node *value = tide_ephemeron_value(h.m, ephemerons[i]);
    CHECK(value && tide_ephemeron_key(h.m, ephemerons[i]));
    if (i % 2) put(i, value);
  }
  held_end(&h);
  refill();
  for (size_t i = 0; i < DYING; i++) {
    struct node *value = tide_ephemeron_value(h.m, ephemerons[i]);
    CHECK(value->number == NUMBER + i + 2000 && (i % 2 == 0 || roots[i] == value));
  }
  run_all();
}

static void take_apart(void *object, void *context) {
  struct node *node = object;
  static unsigned at;
  ran++;
  put(at++ % DYING, node->next);
  tide_write(h.m, node, &node->next, NULL);
}

/* A finalizer runs before its object has been looked into. */
static void finalizers_run_meanwhile(void) {
  for (size_t i = 0; i < DYING; i++) {
    struct node **one = (struct node **)tide_handle(h.m, NULL);
    *one = make_before(make_before(make(NUMBER + i + 3000), NUMBER + i + 1000), NUMBER + i);
    CHECK(tide_finalizer_add(h.m, *one, take_apart, NULL) == TIDE_OK);
    *one = NULL;
  }
  held_begin(&h);
  const size_t pending = count_pending();
  CHECK(tide_finalizers_run(h.m, SIZE_MAX) == pending);
  struct tide_cycle_stats stats = held_end(&h);
  /* A word left on the stack may have led to some of them. */
  CHECK(stats.overwritten > pending / 2);
  refill();
  size_t found = 0;
  for (size_t i = 0; i < DYING; i++) {
    if (!roots[i]) continue;
    found++;
    CHECK(roots[i]->number >= NUMBER + 1000 && roots[i]->next->number == roots[i]->number + 2000);
  }
  CHECK(found == pending);
  run_all();
}

/* Those that are set take more stops: what they refer to comes first. */
static void set_ones_take_turns(void) {
  static const enum tide_finalizer_order orders[] = {
      TIDE_FINALIZE_ORDERED, TIDE_FINALIZE_IGNORE_SELF, TIDE_FINALIZE_NO_ORDER,
      TIDE_FINALIZE_UNREACHABLE};
  for (unsigned later = 0; later < 5; later++) {
    for (size_t i = 0; i < DYING; i++)
      make_one(i, orders[i % 4], true);
    h.later = later;
    held_begin(&h);
    for (size_t i = 0; i < DYING; i++)
      put(i, tide_weak_get(h.m, weak[i][TIDE_WEAK_AFTER]));
    struct tide_cycle_stats stats = held_end(&h);
    CHECK(stats.stops >= (has_young ? 5 : 4) && !stats.stopped_because);
    count_pending();
    refill();
    for (size_t i = 0; i < DYING; i++)
      CHECK(roots[i]->number == NUMBER + i + 1000);
    run_all();
  }
  h.later = 1;
}

static unsigned order[3], ordered;
static void note(void *object, void *context) {
  order[ordered++] = (unsigned)((struct node *)object)->number;
}

static __attribute__((noinline)) void make_cycle(bool with_head) {
  struct node **one = (struct node **)tide_handle(h.m, NULL);
  *one = make_before(make_before(make(3), 2), 1);
  if (!with_head) (*one)->next->next->next = *one;
  CHECK(tide_finalizer_add(h.m, (*one)->next, note, NULL) == TIDE_OK);
  CHECK(tide_finalizer_add(h.m, *one, note, NULL) == TIDE_OK);
  CHECK(tide_finalizer_add(h.m, (*one)->next->next, note, NULL) == TIDE_OK);
  *one = NULL;
}

/* From the outside in, one in each collection; of a cycle the one that was registered first. */
static void the_order_is_kept(bool with_head) {
  h.later = 0;
  ordered = 0;
  make_cycle(with_head);
  for (unsigned i = 0; i < 12 && ordered < 3; i++) {
    held_clear_stack();
    held_begin(&h);
    held_end(&h);
    CHECK(tide_finalizers_pending(h.heap) <= 1);
    tide_finalizers_run(h.m, SIZE_MAX);
  }
  CHECK(ordered == 3 && order[0] == (with_head ? 1 : 2) && order[1] == (with_head ? 2 : 1) &&
        order[2] == 3);
  h.later = 1;
}

static void the_order_of_a_list(void) {
  the_order_is_kept(true);
}

static void the_order_of_a_cycle(void) {
  the_order_is_kept(false);
}

/* The program queues what nothing reaches any more before markers know that it dies. */
static void expect_queued(bool set) {
  h.later = 0;
  for (size_t i = 0; i < DYING; i++)
    make_one(i, TIDE_FINALIZE_NO_ORDER, set);
  held_clear_stack();
  held_begin(&h);
  ran = 0;
  if (set)
    CHECK(tide_finalizers_queue_all(h.m, NULL) == DYING);
  else
    CHECK(tide_finalizers_run_all(h.m) == DYING && ran == DYING);
  held_end(&h);
  refill();
  CHECK(tide_finalizers_run(h.m, SIZE_MAX) == (set ? DYING : 0) && ran == DYING);
  for (size_t i = 0; !set && i < DYING; i++)
    CHECK(revived[i]->next->number == revived[i]->number + 1000);
  h.later = 1;
}

static void what_the_program_queues_lives(void) {
  memset(revived, 0, sizeof revived);
  CHECK(tide_root_add_range(h.heap, (void **)revived, DYING) == TIDE_OK);
  expect_queued(true);
  expect_queued(false);
  CHECK(tide_root_remove_range(h.heap, (void **)revived) == TIDE_OK);
}

int main(void) {
  has_young = !getenv("TIDE_YOUNG"); /* a test sets it to 0 */
  nodes_open((size_t)256 << 20);
  CHECK(tide_root_add(h.heap, &weak) == TIDE_OK && tide_root_add(h.heap, &ephemerons) == TIDE_OK);
  weak = tide_alloc_array(h.m, TIDE_LAYOUT_REFS, DYING, sizeof *weak);
  ephemerons = tide_alloc_array(h.m, TIDE_LAYOUT_REFS, DYING, sizeof *ephemerons);
  CHECK(weak && ephemerons);
  RUN_EACH(they_live_on, weak_references_stay_in_order, values_of_ephemerons_live,
           finalizers_run_meanwhile, set_ones_take_turns, the_order_of_a_list, the_order_of_a_cycle,
           what_the_program_queues_lives);
  held_close(&h);
  return 0;
}
