/* Threads attached to two heaps at once, each collecting either at any moment, while a timer's
 * signals interrupt whatever system call they are in. Nobody may wait for ever, and the program's
 * own handler must run on the program's threads only.
 * Arguments: rounds (per thread), threads. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "tests/stress/driver.h"
#include "tide/stats.h"
#include "tide/tide.h"

static struct tide_heap *heaps[2];
static uint64_t rounds;
static _Atomic(uint64_t) signals, foreign_signals;
static _Thread_local bool ours;

static void on_signal(int number) {
  (void)number;
  int saved = errno;
  atomic_fetch_add_explicit(&signals, 1, memory_order_relaxed);
  if (!ours) atomic_fetch_add_explicit(&foreign_signals, 1, memory_order_relaxed);
  errno = saved;
}

static void let_signals(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  CHECK(pthread_sigmask(how, &set, NULL) == 0);
}

static void *work(void *seed_pointer) {
  ours = true;
  let_signals(SIG_UNBLOCK);
  uint32_t seed = (uint32_t)(uintptr_t)seed_pointer;
  struct tide_mutator *m[2];
  for (int i = 0; i < 2; i++)
    CHECK((m[i] = tide_attach(heaps[i], NULL, NULL)) != NULL);
  for (uint64_t round = 0; round < rounds; round++) {
    uint32_t which = random_next(&seed) % 2;
    uint64_t **box = (uint64_t **)tide_alloc(m[which], TIDE_LAYOUT_REFS, 16);
    CHECK(box);
    box[0] = (uint64_t *)tide_alloc(m[which], TIDE_LAYOUT_LEAF, 8);
    CHECK(box[0]);
    *box[0] = round;
    for (int i = 0; i < 50; i++)
      CHECK(tide_alloc(m[!which], TIDE_LAYOUT_LEAF, 500));
    switch (random_next(&seed) % 8) {
    case 0:
      CHECK(tide_collect(m[which]) == TIDE_OK);
      break;
    case 1:
      CHECK(tide_collect(m[!which]) == TIDE_OK);
      break;
    case 2:
      tide_blocking_enter(m[which]);
      CHECK(tide_collect(m[!which]) == TIDE_OK);
      tide_blocking_leave(m[which]);
      break;
    case 3:
      CHECK(tide_detach(m[!which]) == TIDE_OK);
      CHECK((m[!which] = tide_attach(heaps[!which], NULL, NULL)) != NULL);
      break;
    case 4:
      tide_safepoint(m[0]);
      tide_safepoint(m[1]);
      break;
    default:;
    }
    CHECK(*box[0] == round);
  }
  CHECK(tide_detach(m[0]) == TIDE_OK);
  CHECK(tide_detach(m[1]) == TIDE_OK);
  return NULL;
}

int main(int count, char **arguments) {
  rounds = argument(count, arguments, 1, 1500);
  uint64_t threads = argument(count, arguments, 2, 4);
  CHECK(threads <= 64);
  ours = true;
  struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: calls see EINTR */
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval timer = {{0, 300}, {0, 300}};
  CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
  for (int i = 0; i < 2; i++) {
    struct tide_options options;
    tide_options_init(&options);
    options.heap_max_bytes = 32u << 20;
    options.heap_initial_bytes = 1u << 20;
    options.markers = 2;
    CHECK((heaps[i] = tide_heap_create(&options, NULL)) != NULL);
  }
  pthread_t all[64];
  let_signals(SIG_BLOCK); /* a fresh worker is not "ours" yet; markers must look to themselves */
  for (uint64_t i = 0; i < threads; i++)
    CHECK(pthread_create(&all[i], NULL, work, (void *)(uintptr_t)(2463534242u + i)) == 0);
  for (uint64_t i = 0; i < threads; i++)
    pthread_join(all[i], NULL);
  struct itimerval none = {0};
  CHECK(setitimer(ITIMER_REAL, &none, NULL) == 0);
  uint64_t collections = 0;
  for (int i = 0; i < 2; i++) {
    struct tide_heap_stats stats;
    tide_heap_stats(heaps[i], &stats);
    collections += stats.collections;
    CHECK(tide_heap_destroy(heaps[i]) == TIDE_OK);
  }
  CHECK(atomic_load_explicit(&foreign_signals, memory_order_relaxed) == 0);
  printf("%" PRIu64 " collections, %" PRIu64 " signals\n", collections,
         atomic_load_explicit(&signals, memory_order_relaxed));
  CHECK(collections > 0);
  return 0;
}
