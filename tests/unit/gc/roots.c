/* SPDX-License-Identifier: MIT */
/* Every kind of root keeps what it should, and no more. */
#include <sys/mman.h>

#include "gc/state/mutator.h"
#include "gc/threads/stop/registers.h"
#include "tests/unit/gc/child.h"

HeapTest(roots, many_slots_in_any_order) {
  enum { COUNT = 1000 };
  static void *slots[COUNT];
  for (int i = 0; i < COUNT; i++)
    cr_assert_eq(tide_root_add(w.heap, &slots[i]), TIDE_OK);
  cr_assert_eq(tide_root_add(w.heap, &slots[7]), TIDE_ERROR_STATE);
  for (int i = 0; i < COUNT; i++)
    slots[i] = pair_new(&w, NULL, NULL, 1);
  for (int i = 0; i < COUNT; i += 3)
    cr_assert_eq(tide_root_remove(w.heap, &slots[i]), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), COUNT - (COUNT + 2) / 3);
  for (int i = 0; i < COUNT; i++)
    cr_assert_eq(tide_root_remove(w.heap, &slots[i]), i % 3 ? TIDE_OK : TIDE_ERROR_ARGUMENT);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(roots, ranges_with_tagged_words_and_foreign_pointers) {
  static void *range[100];
  cr_assert_eq(tide_root_add_range(w.heap, range, 100), TIDE_OK);
  cr_assert_eq(tide_root_add_range(w.heap, range, 10), TIDE_ERROR_STATE);
  cr_assert_eq(tide_root_add_range(w.heap, range, SIZE_MAX), TIDE_ERROR_ARGUMENT);
  for (int i = 0; i < 100; i += 2)
    range[i] = pair_new(&w, NULL, NULL, 1);
  range[1] = (void *)((uintptr_t)range[0] | 1);
  range[3] = &w;
  range[5] = (void *)UINTPTR_MAX;
  range[7] = (void *)16;
  cr_assert_eq(live_after_collect(&w), 50);
  cr_assert_eq(tide_root_remove_range(w.heap, range), TIDE_OK);
  cr_assert_eq(tide_root_remove_range(w.heap, range), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(roots, conservative_memory_with_interior_pointers) {
  static uintptr_t words[8];
  char *unaligned = (char *)words + 3;
  cr_assert_eq(tide_root_add_conservative(w.heap, unaligned, sizeof words - 3), TIDE_OK);
  void *large = tide_alloc(w.m, TIDE_LAYOUT_LEAF, 500000);
  words[1] = (uintptr_t)large + 499999;
  words[2] = (uintptr_t)pair_new(&w, NULL, NULL, 1) + 17;
  words[3] = ~(uintptr_t)0;
  cr_assert_eq(live_after_collect(&w), 2);
  words[1] = (uintptr_t)large + 600000;
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(tide_root_remove_conservative(w.heap, unaligned), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 0);
}

/* A reference where the address of a slot is wanted: found out at run time by those who get past
 * the compiler. */
HeapTest(barrier, slots_inside_objects_are_no_roots) {
  struct pair *pair = pair_new(&w, NULL, NULL, 1);
  cr_assert_eq(tide_root_add(w.heap, (void *)pair), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add(w.heap, &pair->left), TIDE_ERROR_ARGUMENT);
  cr_assert_eq((tide_root_add)(w.heap, pair), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_range(w.heap, pair, 2), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_range(w.heap, &pair->right, 1), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_conservative(w.heap, pair, sizeof *pair), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add(w.heap, &pair), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(tide_root_remove(w.heap, &pair), TIDE_OK);
  /* Of another heap they may be: it does not look into this one. */
  SCOPED_WORLD other = world_new();
  cr_assert_eq(tide_root_add(other.heap, &pair->left), TIDE_OK);
}

struct called {
  int calls;
  void *one, *inside;
  void *range[2];
};

ROOTS_OF(trace_roots) {
  struct called *called = context;
  called->calls++;
  tide_trace(tracer, called->one);
  tide_trace(tracer, (void *)7);
  tide_trace_range(tracer, called->range, 2);
  tide_trace_conservative(tracer, (uintptr_t)called->inside + 1);
}

HeapTest(roots, callbacks_are_called_once_a_collection) {
  struct called called = {.one = pair_new(&w, NULL, NULL, 1),
                          .inside = pair_new(&w, NULL, NULL, 2),
                          .range = {pair_new(&w, NULL, NULL, 3), NULL}};
  cr_assert_eq(tide_root_add_callback(w.heap, trace_roots, &called), TIDE_OK);
  cr_assert_eq(tide_root_add_callback(w.heap, trace_roots, &called), TIDE_ERROR_STATE);
  tide_collect(w.m);
  cr_assert_eq(called.calls, 1);
  cr_assert_eq(live_after_collect(&w), 3);
  cr_assert_eq(tide_root_remove_callback(w.heap, trace_roots, &called), TIDE_OK);
  cr_assert_eq(tide_root_remove_callback(w.heap, trace_roots, &called), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(live_after_collect(&w), 0);
}

/* Memory of roots that went without a word: with TIDE_VERIFY=1 there is a message, no fault. */
static enum tide_status add_conservative(struct tide_heap *heap, void *start) {
  return tide_root_add_conservative(heap, start, 4096);
}
static enum tide_status add_range(struct tide_heap *heap, void *start) {
  return tide_root_add_range(heap, start, 512);
}
static enum tide_status (*add)(struct tide_heap *, void *);
static void lose_roots(struct world *w) {
  size_t bytes = (size_t)sysconf(_SC_PAGESIZE) * 4;
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (add(w->heap, memory + bytes / 2 - 16) != TIDE_OK || tide_collect(w->m) != TIDE_OK) return;
  munmap(memory + bytes / 4, bytes / 2);
  tide_collect(w->m);
}
Test(roots, memory_that_is_gone) {
  enum tide_status (*const kinds[])(struct tide_heap *, void *) = {(tide_root_add), add_range,
                                                                   add_conservative};
  for (size_t i = 0; i < 3; i++) {
    add = kinds[i];
    cr_expect_eq(run_verified(world_new, lose_roots), SIGABRT, "kind %zu: %s", i, told);
  }
}

HeapTest(handles, scopes_close_in_order) {
  size_t outer = tide_scope_open(w.m);
  void **kept = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  size_t inner = tide_scope_open(w.m);
  for (int i = 0; i < 5000; i++)
    cr_assert_not_null(tide_handle(w.m, pair_new(&w, NULL, NULL, 2)));
  cr_assert_eq(live_after_collect(&w), 5001);
  cr_assert_eq(tide_scope_close(w.m, outer), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_detach(w.m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_scope_close(w.m, inner), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(((struct pair *)*kept)->number, 1);
  cr_assert_eq(tide_scope_close(w.m, inner), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_scope_close(w.m, 0), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_scope_close(w.m, outer), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(handles, unwinding_closes_what_longjmp_left_open) {
  size_t scopes[2000];
  for (int depth = 1; depth < 2000; depth += 37) {
    size_t outer = tide_scope_open(w.m);
    void **kept = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
    for (int i = 0; i < depth; i++) {
      scopes[i] = tide_scope_open(w.m);
      for (int k = 0; k < i % 3; k++)
        cr_assert_not_null(tide_handle(w.m, pair_new(&w, NULL, NULL, 2)));
    }
    int to = depth / 2;
    cr_assert_eq(tide_scope_unwind(w.m, scopes[depth - 1] + 1), TIDE_ERROR_ARGUMENT);
    cr_assert_eq(tide_scope_unwind(w.m, 0), TIDE_ERROR_ARGUMENT);
    cr_assert_eq(tide_scope_unwind(w.m, SIZE_MAX), TIDE_ERROR_ARGUMENT);
    if (to % 3) /* the next word is a handle, no scope */
      cr_assert_eq(tide_scope_unwind(w.m, scopes[to] + 1), TIDE_ERROR_ARGUMENT);
    cr_assert_eq(tide_scope_unwind(w.m, scopes[to]), TIDE_OK);
    cr_assert_eq(tide_scope_unwind(w.m, scopes[to]), TIDE_ERROR_ARGUMENT, "closed already");
    if (to > 0) cr_assert_eq(tide_scope_close(w.m, scopes[to - 1]), TIDE_OK);
    cr_assert_eq(tide_scope_unwind(w.m, scopes[0]), to > 1 ? TIDE_OK : TIDE_ERROR_ARGUMENT);
    cr_assert_eq(((struct pair *)*kept)->number, 1);
    cr_assert_eq(live_after_collect(&w), 1);
    cr_assert_eq(tide_scope_unwind(w.m, outer), TIDE_OK);
  }
  cr_assert_eq(live_after_collect(&w), 0);
}

/* An array whose address others know: where variables lie that AddressSanitizer wants to watch. */
static struct pair **volatile escaped;

static __attribute__((noinline)) uint64_t sum_of_watched(struct world *w) {
  struct pair *watched[100];
  escaped = watched;
  for (uint64_t i = 0; i < 100; i++)
    escaped[i] = pair_new(w, NULL, NULL, i);
  for (int i = 0; i < 3; i++) {
    tide_collect(w->m);
    for (int k = 0; k < 1000; k++)
      pair_new(w, NULL, NULL, 7777);
  }
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 100; i++)
    sum += escaped[i]->number;
  escaped = NULL;
  return sum;
}

StackTest(stack, variables_whose_address_is_known) {
  cr_assert_eq(sum_of_watched(&w), 99 * 100 / 2);
}

/* ---- What other threads store into frames of a blocking section ---- */

struct job {
  struct tide_heap *heap;
  struct pair *result;
};

static void *make_result(void *data) {
  struct job *job = data;
  SCOPED_MUTATOR m = mutator_of(job->heap, TIDE_STACK_PRECISE, TIDE_STOP_POLL);
  struct pair *made = tide_alloc(m, TIDE_LAYOUT_LEAF, sizeof *made);
  cr_assert_not_null(made);
  made->number = 4711;
  job->result = made;
  return NULL;
}

static void *collect_and_churn(void *data) {
  struct job *job = data;
  SCOPED_MUTATOR m = mutator_of(job->heap, TIDE_STACK_PRECISE, TIDE_STOP_POLL);
  for (int i = 0; i < 20000; i++) {
    if (i % 5000 == 0) cr_assert_eq(tide_collect(m), TIDE_OK);
    struct pair *other = tide_alloc(m, TIDE_LAYOUT_LEAF, sizeof *other);
    cr_assert_not_null(other);
    other->number = 1;
  }
  return NULL;
}

StackTest(stack, results_of_threads_that_are_waited_for) {
  struct job job = {.heap = w.heap};
  tide_blocking_enter(w.m);
  pthread_join(thread_new(make_result, &job), NULL);
  pthread_join(thread_new(collect_and_churn, &job), NULL);
  tide_blocking_leave(w.m);
  cr_assert_eq(job.result->number, 4711);
}

/* ---- Registers ---- */

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
enum { SAVED_REGISTERS = 5 };

struct search {
  struct tide_mutator *m;
  uintptr_t inverted[SAVED_REGISTERS]; /* so that these are not found instead */
  bool found[SAVED_REGISTERS];
};

static void search(void *data) {
  struct search *s = data;
  for (uintptr_t at = s->m->running->top; at < s->m->running->high; at += sizeof at)
    for (size_t i = 0; i < SAVED_REGISTERS; i++)
      s->found[i] |= *(const uintptr_t *)at == ~s->inverted[i];
}

/* td_stack_call(search, s), while registers that it has to preserve hold the words. */
static __attribute__((noinline)) void search_with_registers(struct search *s) {
  void (*call)(void (*)(void *), void *) = td_stack_call;
  void (*run)(void *) = search;
  const uintptr_t *inverted = s->inverted;
  __asm__ volatile("lea -128(%%rsp), %%rsp\n\t" /* the red zone is the compiler's */
                   "push %%rbx\n\tpush %%rbp\n\tpush %%r12\n\t"
                   "push %%r13\n\tpush %%r14\n\tpush %%r15\n\t"
                   "mov %%rsp, %%rbp\n\tand $-16, %%rsp\n\t"
                   "mov 0(%%rdx), %%rbx\n\tnot %%rbx\n\t"
                   "mov 8(%%rdx), %%r12\n\tnot %%r12\n\t"
                   "mov 16(%%rdx), %%r13\n\tnot %%r13\n\t"
                   "mov 24(%%rdx), %%r14\n\tnot %%r14\n\t"
                   "mov 32(%%rdx), %%r15\n\tnot %%r15\n\t"
                   "call *%%rax\n\t"
                   "mov %%rbp, %%rsp\n\t"
                   "pop %%r15\n\tpop %%r14\n\tpop %%r13\n\t"
                   "pop %%r12\n\tpop %%rbp\n\tpop %%rbx\n\t"
                   "lea 128(%%rsp), %%rsp"
                   : "+a"(call), "+D"(run), "+S"(s), "+d"(inverted)
                   :
                   : "rcx", "r8", "r9", "r10", "r11", "cc", "memory");
}

StackTest(stack, holds_what_registers_hold) {
  struct search s = {.m = w.m, .inverted = {12345, 12346, 12347, 12348, 12349}};
  search_with_registers(&s);
  for (size_t i = 0; i < SAVED_REGISTERS; i++)
    cr_expect(s.found[i], "register %zu", i);
}
#endif
