/* SPDX-License-Identifier: MIT */
/* What a thread that a signal stops anywhere may have been about to do.
 *   It asks about objects, over and over, while another thread collects. They are always there.
 *   It goes into Tidemark and comes out of it, over and over, while another thread forks. Every
 *   fork ends.
 *   It is in a blocking section of one heap while the other heap's stop meets it by a signal, and
 *   has its stop end in the middle of a collection of the first heap. What it allocates there after
 *   the region lives on.
 * Arguments: collections, forks. */
#include "tests/stress/driver.h"
#include "tide/dropin.h"

static struct tide_heap *first, *second;
static _Atomic(bool) ready, finished, second_stopped, first_retired, leave;
static _Atomic(uint64_t) turns;

static void wait_for(_Atomic(bool) *flag) {
  while (!atomic_load(flag))
    free(malloc(1)); /* where ThreadSanitizer lets signals through */
}

/* ---- Asking ---- */

static void *ask(void *unused) {
  SCOPED_MUTATOR m = ATTACH(first, .stop = TIDE_STOP_SIGNAL);
  void *small = tide_alloc(m, TIDE_LAYOUT_REFS, 48);
  void *large = tide_alloc(m, TIDE_LAYOUT_LEAF, 100000);
  CHECK(small && large);
  atomic_store(&ready, true);
  while (!atomic_load(&finished)) {
    for (unsigned i = 0; i < 1000; i++) {
      struct tide_object_facts facts;
      CHECK(tide_object_bytes(first, small) == 48);
      CHECK(tide_object_bytes(first, large) >= 100000);
      CHECK(tide_object_layout(first, small) == TIDE_LAYOUT_REFS);
      CHECK(tide_object_look(m, small, &facts) && facts.bytes == 48);
      CHECK(tide_object_find(first, (char *)small + 40) == small);
      size_t bytes = 0;
      CHECK(tide_cell_find(first, (char *)small + 40, &bytes) == small && bytes == 48);
      CHECK(tide_cell_find(first, (char *)large + 99999, &bytes) == large && bytes >= 100000);
      CHECK(tide_cell_bytes(first, (char *)small + 40) == 48);
    }
    free(malloc(1)); /* as above */
  }
  return unused;
}

/* Takes and gives back the lock that a fork waits for. */
static void *come_and_go(void *unused) {
  struct tide_mutator *m = ATTACH(first, .stop = TIDE_STOP_SIGNAL),
                      *other = ATTACH(second, .stop = TIDE_STOP_SIGNAL);
  atomic_store(&ready, true);
  while (!atomic_load(&finished)) {
    CHECK(tide_check_heap(m, NULL) == TIDE_OK);
    CHECK(tide_check_heap(other, NULL) == TIDE_OK);
    free(malloc(1)); /* as above */
  }
  CHECK(tide_detach(m) == TIDE_OK && tide_detach(other) == TIDE_OK);
  return unused;
}

static void collect_often(struct tide_mutator *m, uint64_t times) {
  for (uint64_t i = 0; i < times; i++)
    CHECK(tide_collect(m) == TIDE_OK);
}

static void fork_often(struct tide_mutator *m, uint64_t times) {
  for (uint64_t i = 0; i < times; i++) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
  }
}

/* This thread does the one `times` times while another does the other. */
static void at_once(void (*these)(struct tide_mutator *, uint64_t), uint64_t times,
                    void *(*those)(void *)) {
  first = HEAP();
  second = HEAP();
  struct tide_mutator *m = ATTACH(first);
  ready = finished = false;
  pthread_t thread = thread_new(those, NULL);
  wait_for(&ready);
  these(m, times);
  atomic_store(&finished, true);
  thread_end(m, thread);
  heap_end(first, m);
  CHECK(tide_heap_destroy(second) == TIDE_OK);
}

/* ---- A region of one heap, a stop of the other ---- */

enum { KEPT = 8 };
static void *kept[KEPT];

static void *rest(void *unused) {
  struct tide_mutator *m = ATTACH(first, .stop = TIDE_STOP_SIGNAL),
                      *other = ATTACH(second, .stop = TIDE_STOP_SIGNAL);
  kept[0] = tide_alloc(m, TIDE_LAYOUT_LEAF, 32); /* of the run some cells are left */
  tide_blocking_enter(m);
  atomic_store(&ready, true);
  while (!atomic_load(&leave)) {
    atomic_fetch_add(&turns, 1);
    free(malloc(1)); /* as above */
  }
  tide_blocking_leave(m);
  for (unsigned i = 1; i < KEPT; i++) {
    kept[i] = tide_alloc(m, TIDE_LAYOUT_LEAF, 32);
    CHECK(kept[i]);
    *(uint64_t *)kept[i] = i;
  }
  CHECK(tide_collect(m) == TIDE_OK);
  for (unsigned i = 0; i < KEPT; i++) {
    CHECK(tide_object_bytes(first, kept[i]) == 32);
    CHECK(i == 0 || *(uint64_t *)kept[i] == i);
  }
  CHECK(tide_check_heap(m, NULL) == TIDE_OK);
  CHECK(tide_detach(m) == TIDE_OK && tide_detach(other) == TIDE_OK);
  return unused;
}

/* The second heap's world stands still until the first one's collection has taken the runs. */
static void on_second(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                      void *unused) {
  if (event != TIDE_EVENT_STOPPED) return;
  atomic_store(&second_stopped, true);
  while (!atomic_load(&first_retired))
    continue;
}

static void on_first(struct tide_heap *heap, enum tide_event event, uint64_t now_ns, void *unused) {
  if (event != TIDE_EVENT_MARK_BEGIN || atomic_load(&first_retired)) return;
  uint64_t before = atomic_load(&turns);
  atomic_store(&first_retired, true);
  while (atomic_load(&turns) < before + 3) /* the thread has come out of the signal's handler */
    continue;
}

static void *collect_second(void *unused) {
  SCOPED_MUTATOR m = ATTACH(second);
  tide_heap_on_event(second, on_second, NULL);
  CHECK(tide_collect(m) == TIDE_OK);
  return unused;
}

static void stop_one_in_a_region_of_the_other(bool write_barrier) {
  first = HEAP(.write_barrier = write_barrier);
  second = HEAP(.write_barrier = write_barrier);
  struct tide_mutator *m = ATTACH(first);
  CHECK(tide_root_add_range(first, kept, KEPT) == TIDE_OK);
  ready = second_stopped = first_retired = leave = false;
  pthread_t resting = thread_new(rest, NULL);
  wait_for(&ready);
  pthread_t collecting = thread_new(collect_second, NULL);
  wait_for(&second_stopped);
  tide_heap_on_event(first, on_first, NULL);
  CHECK((write_barrier ? tide_collect_young : tide_collect)(m) == TIDE_OK);
  atomic_store(&leave, true);
  thread_end(m, resting);
  thread_end(m, collecting);
  heap_end(first, m);
  CHECK(tide_heap_destroy(second) == TIDE_OK);
}

int main(int count, char **arguments) {
  at_once(collect_often, argument(count, arguments, 1, 3000), ask);
  at_once(fork_often, argument(count, arguments, 2, 1000), come_and_go);
  stop_one_in_a_region_of_the_other(false);
  stop_one_in_a_region_of_the_other(true);
  return 0;
}
