/* SPDX-License-Identifier: MIT */
/* How many instructions calls of the drop-in take: bounds are somewhat above what they
 * take, so that a lock or a list too much is noticed. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc.h>
#include <gc/gc_typed.h>
#include <pthread.h>
#include <semaphore.h>

#include "tests/cost/steps.h"

/* Of finalizers more turns: what one costs depends on its neighbours in the table. Of buffers
 * fewer: all their bytes are cleared. */
enum { FEW = 5, MANY = 25, SET_FEW = 20, SET_MANY = 120, BUFFERS_FEW = 4, BUFFERS_MANY = 16 };

static void *volatile sink, *volatile kept[8];
static GC_descr typed;

/* Threads that wait meanwhile. */
enum { THREADS_FEW = 100, THREADS_MANY = 800 };
static int threads;
static pthread_t thread[THREADS_MANY];
static sem_t go;

static void *wait_for_end(void *result) {
  while (sem_wait(&go) != 0) {
  }
  return result;
}

static void start_threads(void) {
  pthread_attr_t small;
  CHECK(sem_init(&go, 0, 0) == 0 && pthread_attr_init(&small) == 0);
  CHECK(pthread_attr_setstacksize(&small, 128 << 10) == 0);
  for (int i = 0; i < threads; i++)
    CHECK(GC_pthread_create(&thread[i], &small, wait_for_end, NULL) == 0);
}

static void steps_prepare(void) {
  const GC_word bits[] = {5};
  GC_INIT();
  typed = GC_make_descriptor(bits, 4);
  GC_disable();
  if (threads) start_threads();
}

static void run_alloc(size_t turns) {
  while (turns-- > 0)
    sink = GC_MALLOC(32);
}

static void run_typed(size_t turns) {
  while (turns-- > 0)
    sink = GC_MALLOC_EXPLICITLY_TYPED(32, typed);
}

static void run_uncollectable(size_t turns) {
  while (turns-- > 0) {
    sink = GC_MALLOC_UNCOLLECTABLE(48);
    GC_FREE(sink);
  }
}

/* As programs build strings: a large buffer is cut to what it holds. */
static void run_realloc(size_t turns) {
  while (turns-- > 0) {
    void *buffer = GC_MALLOC_ATOMIC(80);
    sink = GC_REALLOC(buffer, 20);
  }
}

static void run_free(size_t turns) {
  while (turns-- > 0) {
    void *first = GC_MALLOC_ATOMIC(40), *second = GC_MALLOC_ATOMIC(40);
    GC_FREE(first);
    GC_FREE(second);
  }
}

static void finalize(void *object, void *data) {}

/* As in programs that have a few objects with finalizers: their files. */
static void some_finalizers(void) {
  for (int i = 0; i < 8; i++) {
    kept[i] = GC_MALLOC(32);
    GC_REGISTER_FINALIZER_NO_ORDER(kept[i], finalize, NULL, NULL, NULL);
  }
}

/* As in programs that have very many. Each turn has an object of its own: what one address costs
 * depends on its neighbours in the table. */
static void set_and_free(size_t turns) {
  static void *objects[SET_MANY];
  for (size_t i = 0; i < turns; i++) {
    objects[i] = GC_MALLOC(8);
    GC_REGISTER_FINALIZER_NO_ORDER(objects[i], finalize, NULL, NULL, NULL);
  }
  for (size_t i = 0; i < turns; i++)
    GC_FREE(objects[i]);
}
static void very_many_finalizers(void) {
  enum { OBJECTS = 375000 };
  void **all = GC_MALLOC(OBJECTS * sizeof *all);
  for (int i = 0; i < OBJECTS; i++) {
    all[i] = GC_MALLOC(8);
    GC_REGISTER_FINALIZER_NO_ORDER(all[i], finalize, NULL, NULL, NULL);
  }
  kept[1] = all;
}

/* As in programs with a large weak table. */
static void many_links(void) {
  enum { LINKS = 20000 };
  void **table = GC_MALLOC_ATOMIC(LINKS * sizeof *table), *target = GC_MALLOC_UNCOLLECTABLE(16);
  for (int i = 0; i < LINKS; i++)
    (void)GC_general_register_disappearing_link(&table[i], target);
  kept[0] = table;
}
static void run_free_buffers(size_t turns) {
  void *buffers[BUFFERS_MANY];
  for (size_t i = 0; i < turns; i++)
    buffers[i] = GC_MALLOC_ATOMIC(4000);
  for (size_t i = 0; i < turns; i++)
    GC_FREE(buffers[i]);
}

static void *look(void *data) {
  return data;
}
static void run_lock(size_t turns) {
  while (turns-- > 0)
    sink = GC_call_with_alloc_lock(look, NULL);
}

static void run_register(size_t turns) {
  struct GC_stack_base base;
  CHECK(GC_get_stack_base(&base) == GC_SUCCESS);
  while (turns-- > 0)
    CHECK(GC_unregister_my_thread() == GC_SUCCESS && GC_register_my_thread(&base) == GC_SUCCESS);
}
/* The oldest first. */
static void run_detach(size_t turns) {
  static int next;
  while (turns-- > 0)
    CHECK(GC_pthread_detach(thread[next++]) == 0);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  steps_open();
  double alloc = per_turn("allocation", run_alloc, FEW, MANY),
         cut = per_turn("realloc", run_realloc, FEW, MANY);
  double freed = per_turn("two freed", run_free, FEW, MANY),
         lock = per_turn("lock", run_lock, FEW, MANY);
  double with_type = per_turn("typed allocation", run_typed, FEW, MANY);
  double held = per_turn("uncollectable, freed", run_uncollectable, FEW, MANY);
  threads = THREADS_FEW;
  double entered = per_turn("registered anew", run_register, FEW, MANY),
         detached = per_turn("detached", run_detach, FEW, MANY);
  threads = THREADS_MANY;
  double entered_among = per_turn("registered anew, many others are", run_register, FEW, MANY),
         detached_among = per_turn("detached, many others are not", run_detach, FEW, MANY);
  threads = 0;
  CHECK(entered > 1 && detached > 1 && entered_among > 1 && detached_among > 1);
  some_finalizers();
  double others = per_turn("two freed, others have finalizers", run_free, FEW, MANY);
  double set = per_turn("finalizer set, freed", set_and_free, SET_FEW, SET_MANY);
  very_many_finalizers();
  double set_among =
      per_turn("finalizer set, freed, very many others have", set_and_free, SET_FEW, SET_MANY);
  CHECK(set > 1 && set_among > 1);
  double buffer = per_turn("a buffer freed", run_free_buffers, BUFFERS_FEW, BUFFERS_MANY);
  many_links();
  double among_links =
      per_turn("a buffer freed, others have links", run_free_buffers, BUFFERS_FEW, BUFFERS_MANY);
  CHECK(buffer > 1 && among_links > 1);
  CHECK(alloc > 1 && cut > 1 && freed > 1 && lock > 1 && others > 1);
  CHECK(with_type > 1 && held > 1);
#ifdef __OPTIMIZE__
  if (!getenv("TD_BDWGC")) return 0; /* another's library: nothing is asked of it */
  CHECK(alloc <= 60);
  CHECK(cut <= 480 && freed <= 560);
  CHECK(others <= freed + 20);
  CHECK(set_among <= set + 600); /* a table that is nearly full: 20 to 30 entries looked at */
  CHECK(among_links <= buffer + 400);
  CHECK(lock <= 250); /* 30 are for unlocking if the thread ends inside */
  CHECK(with_type <= 170);
  CHECK(held <= 470);
  CHECK(entered_among <= entered + 200 && detached_among <= detached + 200);
#endif
  return 0;
}
