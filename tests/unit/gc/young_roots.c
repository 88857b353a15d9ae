/* Young collections look at roots of all kinds, and at those of their own heap only. */
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/unit/gc/young.h"
#include "tide/foreign.h"

/* Each heap has its log, its youth and its marks. */
Test(young_roots, of_one_heap_are_not_those_of_another) {
  struct world a = world_young(), b = world_young();
  struct pair *of_a = pair_new(&a, NULL, NULL, 1), *of_b = pair_new(&b, NULL, NULL, 2);
  cr_assert_not_null(tide_handle(a.m, of_a));
  cr_assert_not_null(tide_handle(b.m, of_b));
  cr_assert_eq(count_after_young(&a), 1);
  cr_assert_eq(count_after_young(&b), 1);
  for (uint64_t round = 0; round < 20; round++) {
    tide_write(a.m, of_a, &of_a->left, pair_new(&a, of_a->left, NULL, round));
    tide_write(b.m, of_b, &of_b->left, pair_new(&b, of_b->left, NULL, 100 + round));
    pair_new(&a, NULL, NULL, 3);
    pair_new(&b, NULL, NULL, 4);
    cr_assert_eq(count_after_young(round % 2 ? &a : &b), 2 + round);
    cr_assert_eq(of_a->left->number, round);
    cr_assert_eq(of_b->left->number, 100 + round);
    cr_assert_eq(count_after_young(round % 2 ? &b : &a), 2 + round);
    struct tide_cycle_stats stats = cycle_of(a.heap);
    cr_assert_eq(stats.logged, 1);
    tide_cycle_stats(b.heap, &stats);
    cr_assert_eq(stats.logged, 1);
  }
  world_end(&a);
  world_end(&b);
}

/* What lies outside of the heap is no reference, also to a young collection of either heap. */
Test(young_roots, do_not_lead_from_heap_to_heap) {
  struct world a = world_young(), b = world_young();
  struct pair *of_a = pair_new(&a, NULL, NULL, 1);
  cr_assert_not_null(tide_handle(a.m, of_a));
  cr_assert_eq(count_after_young(&a), 1);
  struct pair *foreign = pair_new(&b, NULL, NULL, 2);
  tide_write(a.m, of_a, &of_a->left, foreign);
  cr_assert_eq(count_after_young(&a), 1);
  cr_assert_eq(of_a->left, foreign);
  cr_assert_eq(count_after_young(&b), 0);
  cr_assert_eq(live_after_collect(&a), 1);
  world_end(&a);
  world_end(&b);
}

YoungTest(young_roots, are_pinned_objects) {
  struct pair *pinned = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, pinned);
  tide_write(w.m, pinned, &pinned->left, pair_new(&w, NULL, NULL, 2));
  cr_assert_eq(tide_object_pin(w.m, pinned), TIDE_OK);
  *handle = NULL;
  cr_assert_eq(count_after_young(&w), 2, "young and pinned");
  tide_write(w.m, pinned, &pinned->right, pair_new(&w, NULL, NULL, 3));
  cr_assert_eq(count_after_young(&w), 3, "old and pinned");
  cr_assert_eq(pinned->left->number + pinned->right->number, 5);
  cr_assert_eq(tide_object_unpin(w.m, pinned), TIDE_OK);
  cr_assert_eq(count_after_young(&w), 3, "old garbage");
  cr_assert_eq(live_after_collect(&w), 0);
  struct pair *again = pair_new(&w, NULL, NULL, 4);
  cr_assert_eq(tide_object_pin(w.m, again), TIDE_OK);
  cr_assert_eq(tide_object_unpin(w.m, again), TIDE_OK);
  cr_assert_eq(count_after_young(&w), 0, "young garbage");
}

static void *told[4];

static void tell(struct tide_root_list *list, void *context) {
  (void)context;
  tide_root_report(list, told, sizeof told);
}

YoungTest(young_roots, are_told_by_sources) {
  struct tide_root_source source = {.stopped = tell};
  cr_assert_eq(tide_root_add_source(w.heap, &source), TIDE_OK);
  for (unsigned i = 0; i < 4; i++) {
    told[i] = pair_new(&w, NULL, NULL, i);
    cr_assert_eq(count_after_young(&w), i + 1);
  }
  for (unsigned i = 0; i < 4; i++)
    cr_assert_eq(((struct pair *)told[i])->number, i);
  told[0] = NULL;
  cr_assert_eq(count_after_young(&w), 4);
  cr_assert_eq(live_after_collect(&w), 3);
  cr_assert_eq(tide_root_remove_source(w.heap, &source), TIDE_OK);
}

/* ---- Fibers ---- */

enum { STACK_BYTES = 256 * 1024, TURNS = 5 };

static struct fiber {
  struct world w;
  ucontext_t main, own;
  struct tide_fiber_stack *stack;
  struct pair *old; /* no root: the stack of the thread has it, too */
  unsigned good;
} f;

static void rest(void) {
  cr_assert_eq(tide_stack_switch(f.w.m, NULL), TIDE_OK);
  swapcontext(&f.own, &f.main);
}

/* Has a young object, and a list that hangs from an old one, over young collections elsewhere. */
static void live(void) {
  for (uint64_t i = 0; i < TURNS; i++) {
    struct pair *volatile mine = pair_new(&f.w, NULL, NULL, 50 + i);
    tide_write(f.w.m, f.old, &f.old->left, pair_new(&f.w, f.old->left, NULL, i));
    if (i % 2) cr_assert_eq(tide_collect_young(f.w.m), TIDE_OK);
    rest();
    cr_assert_eq(mine->number, 50 + i);
    f.good++;
  }
  rest();
}

Test(young_roots, are_stacks_of_resting_fibers) {
  f.w = world_young_with(TIDE_STACK_CONSERVATIVE);
  char *memory =
      mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq(memory, MAP_FAILED);
  f.stack = tide_stack_register(f.w.m, memory, memory + STACK_BYTES, NULL);
  cr_assert_not_null(f.stack);
  getcontext(&f.own);
  f.own.uc_stack.ss_sp = memory;
  f.own.uc_stack.ss_size = STACK_BYTES;
  makecontext(&f.own, live, 0);
  struct pair *volatile old = f.old = pair_new(&f.w, NULL, NULL, 1);
  cr_assert_eq(tide_collect_young(f.w.m), TIDE_OK);
  for (uint64_t i = 0; i <= TURNS; i++) {
    cr_assert_eq(tide_stack_switch(f.w.m, f.stack), TIDE_OK);
    swapcontext(&f.main, &f.own);
    cr_assert_eq(f.good, i);
    cr_assert_eq(tide_collect_young(f.w.m), TIDE_OK);
    for (unsigned k = 0; k < 5000; k++)
      pair_new(&f.w, NULL, NULL, 99); /* over what was reclaimed */
    uint64_t number = i < TURNS ? i + 1 : TURNS;
    for (const struct pair *at = old->left; at; at = at->left)
      cr_assert_eq(at->number, --number);
    cr_assert_eq(number, 0);
  }
  cr_assert_eq(tide_stack_unregister(f.w.m, f.stack), TIDE_OK);
  world_end(&f.w);
  munmap(memory, STACK_BYTES);
}
