/* SPDX-License-Identifier: MIT */
/* What can fail while a collection marks beside the program: the marking thread gets no CPU, room
 * or memory is used up, there is no thread, the process forks, others collect too. Nothing is lost,
 * and what was to be marked beside the program and was not says why. Under TIDE_VERIFY=1. */
#include "gc/arrays/pages.h"
#include "tests/concurrent/held.h"
#include "tests/wrap.h"

struct node {
  struct node *next;
  uint64_t number, room[2];
};
enum { LIVE = 1000, HEAPS = 3 };
#define MIB ((size_t)1 << 20)

static struct held h[HEAPS];
static struct node **live[HEAPS]; /* arrays in the heaps */
static tide_layout layout[HEAPS];
static _Atomic(bool) refuses_threads;
static bool refuses_copies;
static _Thread_local bool begins; /* this thread has just stopped the world */

REPLACES(refuses_threads, EAGAIN, int, pthread_create,
         (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *),
          void *argument),
         (thread, attributes, run, argument))

WRAP(void *, td_pages_room, void *old, const void *first, size_t *capacity, size_t count,
     size_t least, size_t bytes_each) {
  if (refuses_copies && begins && (!old || count > *capacity)) return NULL;
  return __real_td_pages_room(old, first, capacity, count, least, bytes_each);
}

static void note(struct tide_heap *heap, enum tide_event event, uint64_t now_ns, void *context) {
  if (event == TIDE_EVENT_MARK_BEGIN) begins = true;
  if (event == TIDE_EVENT_MARK_END || event == TIDE_EVENT_RESUMED) begins = false;
  held_event(heap, event, now_ns, context);
}

/* ---- Objects that live, and are replaced ---- */

static struct node *make(size_t heap, uint64_t number) {
  struct node *node = tide_alloc(h[heap].m, layout[heap], sizeof *node);
  if (node) node->number = number;
  return node;
}

static void replace(size_t heap, uint64_t turn) {
  const size_t i = turn % LIVE;
  CHECK(!live[heap][i] || live[heap][i]->number % LIVE == i);
  struct node *node = make(heap, turn);
  CHECK(node);
  node->next = live[heap][(i + 1) % LIVE];
  if (node->next) tide_write(h[heap].m, node->next, &node->next->next, NULL);
  tide_write(h[heap].m, live[heap], &live[heap][i], node);
}

static void check_live(size_t heap) {
  for (size_t i = 0; i < LIVE; i++)
    CHECK(live[heap][i] && live[heap][i]->number % LIVE == i);
}

static void open_heap(size_t heap, size_t bytes, bool (*out_of_memory)(void *, size_t)) {
  const size_t reference = offsetof(struct node, next);
  h[heap] = (struct held){0};
  held_open(&h[heap], &OPTIONS(.heap_max_bytes = bytes, .out_of_memory = out_of_memory));
  tide_heap_on_event(h[heap].heap, note, &h[heap]);
  layout[heap] = tide_layout_offsets(h[heap].heap, sizeof(struct node), &reference, 1, NULL);
  live[heap] = NULL;
  CHECK(tide_root_add(h[heap].heap, &live[heap]) == TIDE_OK);
  live[heap] = tide_alloc_array(h[heap].m, TIDE_LAYOUT_REFS, LIVE, sizeof *live[heap]);
  CHECK(live[heap]);
  for (size_t i = 0; i < LIVE; i++)
    replace(heap, i);
}

static void close_heap(size_t heap) {
  check_live(heap);
  held_close(&h[heap]);
}

static struct tide_cycle_stats last(size_t heap) {
  return cycle_of(h[heap].heap);
}

static struct tide_heap_stats all(size_t heap) {
  return stats_of(h[heap].heap);
}

/* ---- The marking thread ---- */

static _Atomic(uint64_t) turns; /* that the program has made, where it counts them */

struct release {
  pthread_t thread;
  struct held *held;
  unsigned after_ms;
};

static void *release_it(void *argument) {
  struct release *release = argument;
  for (uint64_t seen = UINT64_MAX; seen != turns;) {
    seen = turns;
    usleep(release->after_ms * 1000);
  }
  sem_post(&release->held->go);
  return NULL;
}

/* A collection has begun. Its thread gets no CPU until nothing has happened for `ms`. */
static void hold_for(struct release *release, size_t heap, unsigned ms) {
  CHECK(tide_collect(h[heap].m) == TIDE_OK); /* so that none goes on */
  *release = (struct release){.held = &h[heap], .after_ms = ms};
  held_begin(&h[heap]);
  h[heap].holds = false;
  release->thread = thread_new(release_it, release);
}

static void await_release(const struct release *release, size_t heap) {
  thread_end(h[heap].m, release->thread);
}

/* What was allocated meanwhile lives at the end, so it takes another collection to make room. */
static void a_marker_that_sleeps(void) {
  struct release release;
  open_heap(0, 16 * MIB, NULL);
  CHECK(tide_heap_set_young(h[0].heap, TIDE_YOUNG_NEVER) == TIDE_OK);
  hold_for(&release, 0, 1000);
  const struct tide_heap_stats before = all(0);
  while (last(0).number == before.collections)
    replace(0, turns++);
  const struct tide_heap_stats after = all(0);
  CHECK(after.concurrent_collections > before.concurrent_collections);
  CHECK(after.degenerate_collections > before.degenerate_collections);
  CHECK(last(0).stopped_because && strstr(last(0).stopped_because, "no room left"));
  CHECK(turns * sizeof(struct node) > 8 * MIB); /* until then the program went on */
  await_release(&release, 0);
  close_heap(0);
}

/* ---- Room ---- */

static unsigned asked;

/* A word on the stack keeps one of them alive, not all. */
static bool make_room(void *context, size_t bytes) {
  asked++;
  for (struct node *node = live[0][0], *next; node; node = next) {
    next = node->next;
    tide_write(h[0].m, node, &node->next, NULL);
  }
  return true;
}

/* Hangs more and more on an object that lives, until there is no room or that was asked for.
 * Returns how many. */
static uint64_t grow(void) {
  uint64_t count = 0;
  tide_write(h[0].m, live[0][0], &live[0][0]->next, NULL);
  struct node *node = NULL;
  while (!asked && (node = make(0, count))) {
    node->next = live[0][0]->next;
    tide_write(h[0].m, live[0][0], &live[0][0]->next, node);
    count++;
  }
  if (!node) CHECK(tide_alloc_status(h[0].m) == TIDE_ERROR_MEMORY);
  return count;
}

static void check_list(uint64_t count) {
  for (const struct node *node = live[0][0]->next; node; node = node->next)
    CHECK(node->number == --count);
  CHECK(count == 0);
}

static void room_is_used_up(bool has_hook) {
  struct release release;
  open_heap(0, 8 * MIB, has_hook ? make_room : NULL);
  hold_for(&release, 0, 100);
  asked = 0;
  const uint64_t count = grow();
  CHECK(count * sizeof(struct node) > 4 * MIB);
  if (has_hook)
    CHECK(asked == 1 && !live[0][0]->next->next); /* and what was allocated then is there */
  else
    check_list(count);
  tide_write(h[0].m, live[0][0], &live[0][0]->next, NULL);
  for (uint64_t i = 0; i < 100000; i++)
    replace(0, i);
  await_release(&release, 0);
  close_heap(0);
}

/* ---- Threads and memory ---- */

static struct tide_cycle_stats until_the_next(size_t heap) {
  const uint64_t before = last(heap).number;
  for (uint64_t i = 0; last(heap).number == before || last(heap).kind == TIDE_CYCLE_YOUNG; i++)
    replace(heap, i);
  return last(heap);
}

static void there_is_no_thread(void) {
  open_heap(0, 16 * MIB, NULL);
  refuses_threads = true;
  CHECK(tide_collect_begin(h[0].m) == TIDE_ERROR_SYSTEM);
  struct tide_cycle_stats stats = until_the_next(0);
  CHECK(stats.stopped_because && strstr(stats.stopped_because, "no thread"));
  CHECK(stats.concurrent_ns == 0 && all(0).degenerate_collections == 1);
  refuses_threads = false;
  while (last(0).concurrent_ns == 0)
    until_the_next(0);
  CHECK(!last(0).stopped_because || strstr(last(0).stopped_because, "no room left"));
  close_heap(0);
}

/* Roots that no array has room for yet. */
static void there_is_no_memory_for_a_copy(void) {
  static void *roots[20000];
  open_heap(0, 16 * MIB, NULL);
  CHECK(tide_root_add_range(h[0].heap, roots, sizeof roots / sizeof *roots) == TIDE_OK);
  roots[0] = live[0];
  refuses_copies = true;
  CHECK(tide_collect_begin(h[0].m) == TIDE_OK);
  struct tide_cycle_stats stats = until_the_next(0);
  CHECK(stats.stopped_because && strstr(stats.stopped_because, "copy of the roots"));
  CHECK(stats.concurrent_ns == 0 && stats.stops <= 2 && all(0).degenerate_collections == 1);
  refuses_copies = false;
  while (last(0).concurrent_ns == 0)
    until_the_next(0);
  close_heap(0);
}

/* ---- Forks ---- */

/* ThreadSanitizer starts no threads in a child. */
static _Noreturn void be_child(void) {
  check_live(0);
#ifndef __SANITIZE_THREAD__
  CHECK(tide_collect_begin(h[0].m) == TIDE_OK);
  (void)until_the_next(0);
  close_heap(0);
#endif
  _exit(0);
}

static void fork_once(void) {
  pid_t child = fork();
  if (child == 0) be_child();
  expect_child(child);
}

/* Each time after another while; the last time while the marking thread stands still. */
static void forks(void) {
  struct release release;
  open_heap(0, 16 * MIB, NULL);
  for (uint64_t i = 0; i < 20; i++) {
    CHECK(tide_collect_begin(h[0].m) == TIDE_OK);
    for (uint64_t turn = 0; turn < i * i * i; turn++)
      replace(0, turn);
    fork_once();
  }
  hold_for(&release, 0, 50);
  replace(0, 7);
  fork_once();
  await_release(&release, 0);
  close_heap(0);
}

static void *fork_only(void *argument) {
  pid_t *child = argument;
  *child = fork();
  if (*child == 0) _exit(0);
  pthread_testcancel();
  return NULL;
}

/* A thread that is cancelled while it waits for the end, before it forks, forks. */
static void who_forks_is_cancelled(void) {
  pid_t child;
  open_heap(0, 16 * MIB, NULL);
  held_begin(&h[0]);
  pthread_t thread = thread_new(fork_only, &child);
  usleep(20000);
  CHECK(pthread_cancel(thread) == 0);
  usleep(20000);
  (void)held_end(&h[0]);
  CHECK(thread_end(h[0].m, thread) == PTHREAD_CANCELED);
  expect_child(child);
  CHECK(tide_collect(h[0].m) == TIDE_OK);
  close_heap(0);
}

/* ---- Several heaps ---- */

/* One thread, and a collection in each. */
static void several_heaps_of_a_thread(void) {
  for (size_t heap = 0; heap < HEAPS; heap++) {
    open_heap(heap, 16 * MIB, NULL);
    CHECK(tide_collect(h[heap].m) == TIDE_OK);
  }
  for (int round = 0; round < 5; round++) {
    for (size_t heap = 0; heap < HEAPS; heap++)
      held_begin(&h[heap]);
    for (uint64_t turn = 0; turn < 3 * LIVE * HEAPS; turn++)
      replace(turn % HEAPS, turn / HEAPS);
    for (size_t heap = HEAPS; heap-- > 0;) {
      struct tide_cycle_stats stats = held_end(&h[heap]);
      CHECK(!stats.stopped_because && stats.overwritten > 0);
      CHECK(tide_collect(h[heap].m) == TIDE_OK);
    }
  }
  for (size_t heap = 0; heap < HEAPS; heap++)
    close_heap(heap);
}

/* A thread for each heap, which is hardly larger than what lives. */
static void *use_tiny(void *number) {
  const size_t heap = (uintptr_t)number - 1;
  open_heap(heap, MIB, NULL);
  uint64_t turn = 0;
  while (last(heap).number < 50)
    replace(heap, turn++);
  CHECK(all(heap).concurrent_collections > 0);
  close_heap(heap);
  return NULL;
}

static void tiny_heaps(void) {
  const struct crew crew = crew_new(use_tiny, HEAPS);
  crew_end(NULL, &crew);
}

int main(void) {
  a_marker_that_sleeps();
  room_is_used_up(false);
  room_is_used_up(true);
  there_is_no_thread();
  there_is_no_memory_for_a_copy();
  forks();
  who_forks_is_cancelled();
  several_heaps_of_a_thread();
  tiny_heaps();
  return 0;
}
