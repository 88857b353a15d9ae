/* SPDX-License-Identifier: MIT */
/* Threads that meet the library on a stack of their own, which the program tells of: parts of
 * bdwgc_semantics. */
#define GC_ATTR_DEPRECATED /* GC_stackbottom, for those who may set another one */
#include <ucontext.h>

#include "tests/bdwgc/semantics.h"

enum { STACK_BYTES = 256 << 10, OBJECTS = 100 };

static void **watched; /* in memory that nobody searches */

/* Objects that only this stack holds stay. */
static APART void keep_some(void) {
  void *mine[OBJECTS];
  for (int i = 0; i < OBJECTS; i++) {
    mine[i] = GC_malloc_atomic(100);
    watched[i] = mine[i];
    CHECK(GC_general_register_disappearing_link(&watched[i], mine[i]) == 0);
  }
  for (int i = 0; i < 3; i++) {
    GC_gcollect();
    soil(1000, 100);
  }
  for (int i = 0; i < OBJECTS; i++)
    CHECK(watched[i] && GC_unregister_disappearing_link(&watched[i]));
  __asm__ volatile("" ::"r"(mine) : "memory");
}

static __thread ucontext_t home, away;
static char *run_away(void (*run)(void)) {
  char *stack = aligned_alloc(4096, STACK_BYTES);
  CHECK(stack && (watched || (watched = calloc(OBJECTS, sizeof *watched))));
  getcontext(&away);
  away.uc_stack.ss_sp = stack;
  away.uc_stack.ss_size = STACK_BYTES;
  away.uc_link = &home;
  makecontext(&away, run, 0);
  swapcontext(&home, &away);
  return stack;
}
static char *away_bottom(void) {
  return (char *)away.uc_stack.ss_sp + away.uc_stack.ss_size;
}

/* ---- Threads that register there ---- */

static void *keep_registered(struct GC_stack_base *base, void *unused) {
  CHECK(GC_register_my_thread(base) == GC_SUCCESS);
  CHECK(GC_register_my_thread(base) == GC_DUPLICATE);
  keep_some();
  CHECK(GC_unregister_my_thread() == GC_SUCCESS);
  return unused;
}
static void register_here(void) {
  GC_call_with_stack_base(keep_registered, NULL);
}
static void *register_there(void *unused) {
  struct GC_stack_base base;
  for (int i = 0; i < 3; i++) {
    free(run_away(register_here));
    CHECK(GC_get_stack_base(&base) == GC_SUCCESS);
    keep_registered(&base, NULL);
    register_here();
  }
  return unused;
}
static _Atomic(bool) over;
static void *keep_collecting(void *unused) {
  while (!over)
    GC_gcollect();
  return unused;
}
PART(own_stack_registered) {
  pthread_t thread, collecting;
  GC_allow_register_threads();
  collecting = start(keep_collecting, NULL);
  CHECK(pthread_create(&thread, NULL, register_there, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  over = true;
  finish(collecting);
}

/* ---- The main thread's first call comes from there ---- */

static void go_on(void) {
  GC_disable();
  GC_enable();
  CHECK(!GC_is_init_called());
  GC_set_all_interior_pointers(0); /* still in time */
  GC_INIT();
  keep_some();
}
static void begin_with_variable(void) {
  GC_stackbottom = away_bottom();
  go_on();
}
static void *set_bottom(void *base) {
  GC_set_stackbottom(NULL, base);
  return NULL;
}
static void begin_with_call(void) {
  const struct GC_stack_base base = {.mem_base = away_bottom()};
  GC_call_with_alloc_lock(set_bottom, (void *)&base);
  CHECK(GC_stackbottom == away_bottom());
  go_on();
}
static void begin_there(void (*begin)(void)) {
  struct GC_stack_base base;
  CHECK(GC_get_stack_base(&base) == GC_SUCCESS);
  char *stack = run_away(begin);
  GC_stackbottom = base.mem_base;
  free(stack);
  keep_some();
}
PART(own_stack_first, .early = true) {
  begin_there(begin_with_variable);
}
PART(own_stack_told_first, .early = true) {
  begin_there(begin_with_call);
}
/* Programs say so of the stack that they were given, too, and less than there is. */
PART(own_stack_given, .early = true) {
  GC_stackbottom = __builtin_frame_address(0);
  watched = calloc(OBJECTS, sizeof *watched);
  GC_INIT();
  keep_some();
}
