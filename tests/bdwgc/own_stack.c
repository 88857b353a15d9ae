/* SPDX-License-Identifier: MIT */
/* Threads on a stack of their own, which they tell the library of or another one does. Parts of
 * bdwgc_semantics. */
#define GC_ATTR_DEPRECATED /* GC_stackbottom, for those who may set another one */
#include <ucontext.h>

#include "tests/bdwgc/semantics.h"

enum { STACK_BYTES = 256 << 10, OBJECTS = 100 };

static void **watched; /* in memory that nobody searches */

static void watch_some(void **mine) {
  for (int i = 0; i < OBJECTS; i++)
    mine[i] = watch(&watched[i], GC_malloc_atomic(100));
}
static void check_kept(void) {
  for (int i = 0; i < 3; i++) {
    GC_gcollect();
    soil(1000, 100);
  }
  for (int i = 0; i < OBJECTS; i++)
    CHECK(watched[i] && GC_unregister_disappearing_link(&watched[i]));
}
/* Objects that only this stack holds stay. */
static APART void keep_some(void) {
  void *mine[OBJECTS];
  watch_some(mine);
  check_kept();
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
PART(own_stack_registered) {
  _Atomic(bool) over = false;
  pthread_t thread, collecting;
  GC_allow_register_threads();
  collecting = start(collect_until, &over);
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

/* ---- Others tell of it ---- */

static struct GC_stack_base home_base, away_base;
static void *handle;
static _Atomic(bool) stands_there, may_return, may_end;

static void stand_there(void) {
  void *mine[OBJECTS];
  watch_some(mine);
  away_base.mem_base = away_bottom();
  stands_there = true;
  while (!may_return)
    __asm__ volatile("" ::"r"(mine) : "memory");
}
static void *go_there(void *unused) {
  struct GC_stack_base base;
  handle = GC_get_my_stackbottom(&home_base);
  CHECK(handle && (char *)home_base.mem_base > (char *)__builtin_frame_address(0));
  free(run_away(stand_there));
  stands_there = false;
  await_end(&may_end);
  CHECK(GC_get_my_stackbottom(&base) == handle && base.mem_base == home_base.mem_base);
  return unused;
}
static void *set_its_bottom(void *base) {
  GC_set_stackbottom(handle, base);
  return NULL;
}
static GC_push_other_roots_proc push_others;
static void push_and_set_bottom(void) {
  if (stands_there) GC_set_stackbottom(handle, &away_base);
  push_others();
}

/* Until the thread has got there and is told of, a collection would end the process. */
static void stand_elsewhere(bool each) {
  GC_allow_register_threads();
  GC_disable();
  pthread_t thread = start(go_there, NULL);
  await_end(&stands_there);
  push_others = GC_get_push_other_roots();
  if (each)
    GC_set_push_other_roots(push_and_set_bottom);
  else
    GC_call_with_alloc_lock(set_its_bottom, &away_base);
  GC_enable();
  check_kept();
  GC_disable();
  GC_set_push_other_roots(push_others);
  GC_call_with_alloc_lock(set_its_bottom, &home_base);
  may_return = true;
  while (stands_there)
    usleep(100);
  GC_enable();
  GC_gcollect();
  may_end = true;
  finish(thread);
}

/* The scheduler says so, with the lock. */
PART(standing_other_stack) {
  stand_elsewhere(false);
}
/* Each collection is told, as Crystal's runtime does. */
PART(standing_other_stack_in_collection) {
  stand_elsewhere(true);
}
