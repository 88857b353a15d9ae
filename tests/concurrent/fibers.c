/* SPDX-License-Identifier: MIT */
/* Fibers that rest while a collection marks beside the program: their stacks are searched after the
 * first stop, by the collector or by the mutator that goes on on one. A fiber is some words here
 * that were registered as a stack; "on it" nothing happens that may stop. The linker puts functions
 * in front of those that search. */
#include "gc/arrays/pages.h"
#include "gc/threads/mutator/resting.h"
#include "gc/threads/mutator/stacks.h"
#include "tests/concurrent/held.h"
#include "tests/stress/list.h"
#include "tests/wrap.h"

enum { FIBERS = 4, WORDS = 8 };

static struct held h;
static bool verifies;
static tide_layout layout;
static struct fiber {
  struct node *words[WORDS];
  struct tide_fiber_stack *stack;
} fibers[FIBERS];

/* ---- In front of the library ---- */

static atomic_uint listed, copied, marked;
static bool refuses; /* memory for words that are copied */
static _Thread_local bool searches;
static sem_t searching, search;
static const struct tide_fiber_stack *awaited; /* the collector stays at it */

WRAP(void, td_stacks_list_resting, const struct tide_mutator *mutator, struct td_root_list *list) {
  listed++;
  __real_td_stacks_list_resting(mutator, list);
}

WRAP(bool, td_stacks_copy, const struct tide_heap *heap, const struct tide_fiber_stack *stack,
     struct td_root_list *list) {
  copied++;
  if (stack == awaited) {
    sem_post(&searching);
    sem_wait(&search);
  }
  return __real_td_stacks_copy(heap, stack, list);
}

WRAP(uint64_t, td_resting_search, struct tide_heap *heap, struct td_root_list *list) {
  searches = true;
  uint64_t found = __real_td_resting_search(heap, list);
  searches = false;
  return found;
}

WRAP(uint64_t, td_stacks_mark, const struct tide_heap *heap, const struct tide_fiber_stack *stack) {
  marked++;
  return __real_td_stacks_mark(heap, stack);
}

WRAP(void *, td_pages_room, void *old, const void *first, size_t *capacity, size_t count,
     size_t least, size_t bytes_each) {
  if (refuses && searches && count > *capacity) return NULL;
  return __real_td_pages_room(old, first, capacity, count, least, bytes_each);
}

/* ---- Fibers ---- */

static void open_fiber(struct tide_mutator *m, struct fiber *f) {
  f->stack = tide_stack_register(m, f->words, f->words + WORDS, NULL);
  CHECK(f->stack);
}

/* What only its stack leads to: an object for each word, and another one behind that. */
static __attribute__((noinline)) void fill(struct tide_mutator *m, struct fiber *f) {
  for (uint64_t i = 0; i < WORDS; i++) {
    f->words[i] = list_node(m, layout, i);
    tide_write(m, f->words[i], &f->words[i]->next, list_node(m, layout, 100 + i));
  }
}

static __attribute__((noinline)) void fill_all(void) {
  for (int i = 0; i < FIBERS; i++)
    fill(h.m, &fibers[i]);
}

/* Other objects take the place of what has died. */
static void refill(void) {
  CHECK(tide_collect(h.m) == TIDE_OK);
  for (uint64_t i = 0; i < 20000; i++)
    list_node(h.m, layout, ~i);
}

static void check_node(const struct node *node, uint64_t number) {
  CHECK(node->number == number && node->next->number == 100 + number);
}

/* Takes all objects off a stack, on which it runs for that long. They are put where it is known
 * that marking does not look any more: into the handles of a scope. */
static void take(struct fiber *f, struct node **taken[WORDS]) {
  CHECK(tide_stack_switch(h.m, f->stack) == TIDE_OK);
  for (int i = 0; i < WORDS; i++) {
    taken[i] = (struct node **)tide_handle(h.m, f->words[i]);
    CHECK(taken[i]);
    f->words[i] = NULL;
  }
  CHECK(tide_stack_switch(h.m, NULL) == TIDE_OK);
}

static void check_taken(struct node **taken[WORDS]) {
  refill();
  for (uint64_t i = 0; i < WORDS; i++)
    check_node(*taken[i], i);
}

/* ---- What may happen ---- */

static void one_that_goes_on_is_searched_first(void) {
  struct node **taken[WORDS];
  fill_all();
  listed = copied = marked = 0;
  held_begin(&h);
  CHECK(copied + marked == 0 && (verifies || listed == 0));
  take(&fibers[1], taken);
  CHECK(marked == 1);
  CHECK(tide_stack_switch(h.m, fibers[1].stack) == TIDE_OK);
  CHECK(tide_stack_switch(h.m, NULL) == TIDE_OK && marked == 1);
  struct tide_cycle_stats stats = held_end(&h);
  CHECK(copied == FIBERS - 1 && stats.overwritten >= WORDS && !stats.stopped_because);
  check_taken(taken);
  for (uint64_t i = 0; i < WORDS; i++)
    check_node(fibers[2].words[i], i);
}

static void one_that_is_forgotten_is_searched_first(void) {
  struct node **taken[WORDS];
  fill_all();
  held_begin(&h);
  for (int i = 0; i < WORDS; i++)
    taken[i] = (struct node **)tide_handle(h.m, fibers[0].words[i]);
  CHECK(tide_stack_unregister(h.m, fibers[0].stack) == TIDE_OK);
  memset(fibers[0].words, 0, sizeof fibers[0].words);
  held_end(&h);
  check_taken(taken);
  open_fiber(h.m, &fibers[0]);
}

static void one_that_is_new_has_nothing_to_search(void) {
  struct fiber fiber;
  memset(&fiber, 0, sizeof fiber);
  held_begin(&h);
  copied = marked = 0;
  open_fiber(h.m, &fiber);
  fill(h.m, &fiber);
  CHECK(tide_collect_young(h.m) == TIDE_OK);
  held_end(&h);
  CHECK(copied == FIBERS && marked == 0);
  refill();
  for (uint64_t i = 0; i < WORDS; i++)
    check_node(fiber.words[i], i);
  CHECK(tide_stack_unregister(h.m, fiber.stack) == TIDE_OK);
}

/* The collector stays at one stack. Nobody waits that goes on on another one. */
static void *let_search(void *entered) {
  usleep(20000);
  CHECK(!*(_Atomic(bool) *)entered);
  sem_post(&search);
  return NULL;
}

static void one_that_is_searched_waits(void) {
  struct node **taken[WORDS];
  _Atomic(bool) entered = false;
  fill_all();
  awaited = fibers[2].stack;
  CHECK(tide_collect_begin(h.m) == TIDE_OK);
  BLOCKED(h.m, sem_wait(&searching));
  CHECK(tide_stack_switch(h.m, fibers[0].stack) == TIDE_OK);
  CHECK(tide_stack_switch(h.m, NULL) == TIDE_OK);
  pthread_t thread = thread_new(let_search, &entered);
  const uint64_t before = held_collections(&h);
  take(&fibers[2], taken);
  entered = true;
  thread_end(h.m, thread);
  while (held_collections(&h) == before)
    tide_safepoint(h.m);
  awaited = NULL;
  check_taken(taken);
}

static void what_is_found_needs_no_memory(void) {
  fill_all();
  held_begin(&h);
  copied = marked = 0;
  refuses = true;
  struct tide_cycle_stats stats = held_end(&h);
  refuses = false;
  CHECK(!stats.stopped_because && copied == FIBERS && marked == FIBERS);
  refill();
  for (int i = 0; i < FIBERS; i++)
    for (uint64_t k = 0; k < WORDS; k++)
      check_node(fibers[i].words[k], k);
}

/* Of a thread that ends meanwhile. Its fibers go first. */
static sem_t filled, end;
static void *be_another(void *argument) {
  SCOPED_MUTATOR m = ATTACH(h.heap);
  open_fiber(m, argument);
  fill(m, argument);
  tide_blocking_enter(m);
  sem_post(&filled);
  sem_wait(&end);
  tide_blocking_leave(m);
  return NULL;
}

static void a_thread_ends(void) {
  struct node **taken[WORDS];
  struct fiber fiber;
  memset(&fiber, 0, sizeof fiber);
  pthread_t thread = thread_new(be_another, &fiber);
  BLOCKED(h.m, sem_wait(&filled));
  held_begin(&h);
  for (int i = 0; i < WORDS; i++)
    taken[i] = (struct node **)tide_handle(h.m, fiber.words[i]);
  sem_post(&end);
  thread_end(h.m, thread);
  memset(&fiber, 0, sizeof fiber);
  held_end(&h);
  check_taken(taken);
}

int main(void) {
  const char *verify = getenv("TIDE_VERIFY");
  verifies = verify && *verify == '1';
  held_open(&h, &OPTIONS(.heap_max_bytes = (size_t)256 << 20));
  CHECK(tide_heap_set_young(h.heap, TIDE_YOUNG_ALWAYS) == TIDE_OK);
  layout = list_layout(h.heap);
  CHECK(sem_init(&searching, 0, 0) == 0 && sem_init(&search, 0, 0) == 0);
  CHECK(sem_init(&filled, 0, 0) == 0 && sem_init(&end, 0, 0) == 0);
  for (int i = 0; i < FIBERS; i++)
    open_fiber(h.m, &fibers[i]);
  void (*const tests[])(void) = {
      one_that_goes_on_is_searched_first,    one_that_is_forgotten_is_searched_first,
      one_that_is_new_has_nothing_to_search, one_that_is_searched_waits,
      what_is_found_needs_no_memory,         a_thread_ends};
  for (int i = 0; i < 3 * 6; i++) {
    size_t scope = tide_scope_open(h.m);
    tests[i % 6]();
    CHECK(tide_scope_close(h.m, scope) == TIDE_OK);
  }
  held_close(&h);
  return 0;
}
