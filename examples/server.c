/* SPDX-License-Identifier: MIT */
/* A server that keeps sessions and answers within a millisecond: full collections mark while it
 * answers, and begin in idle moments. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <tide/stats.h>
#include <tide/tide.h>
#include <time.h>

enum { SESSIONS = 4000, ITEMS = 10, TURNS = 30, REQUESTS_A_TURN = 2000 };

struct item {
  struct item *next;
  long amount;
};

struct server {
  struct tide_heap *heap;
  struct tide_mutator *me;
  tide_layout layout;
  struct item **sessions; /* an object; the stack, which is scanned, keeps it alive */
  uint64_t longest_ns;
};
static long owed[SESSIONS]; /* what the items of each session come to */

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int fail(const char *text) {
  fprintf(stderr, "server: %s\n", text);
  return 1;
}

/* Every store into the table goes through the barrier, also that of NULL: what it overwrites may
 * not have been marked yet. Items are fresh when their only slot is set. */
static bool answer(struct server *server, unsigned long request) {
  unsigned long number = request * 7919 % SESSIONS;
  struct item *items = NULL;
  owed[number] = 0;
  for (int i = 0; i < ITEMS && request % 8 != 0; i++) {
    struct item *item = tide_alloc(server->me, server->layout, sizeof *item);
    if (!item) return false;
    item->next = items;
    item->amount = (long)request;
    items = item;
    owed[number] += item->amount;
  }
  tide_write(server->me, server->sessions, &server->sessions[number], items);
  return true;
}

static bool answer_some(struct server *server, unsigned long first) {
  for (unsigned long request = first; request < first + REQUESTS_A_TURN; request++) {
    uint64_t began = now_ns();
    if (!answer(server, request)) return false;
    uint64_t took = now_ns() - began;
    if (took > server->longest_ns) server->longest_ns = took;
  }
  return true;
}

/* Nobody asks for anything. A collection that will be due soon begins here; if none can begin, it
 * comes when it is due. While this thread waits, no stop waits for it. */
static void idle(struct server *server) {
  struct tide_heap_stats stats;
  tide_heap_stats(server->heap, &stats);
  if (stats.heap_bytes > stats.next_collection_bytes / 4 * 3) tide_collect_begin(server->me);
  tide_blocking_enter(server->me);
  poll(NULL, 0, 1);
  tide_blocking_leave(server->me);
}

static bool is_sound(const struct server *server) {
  for (size_t i = 0; i < SESSIONS; i++) {
    long found = 0;
    for (const struct item *item = server->sessions[i]; item; item = item->next)
      found += item->amount;
    if (found != owed[i]) return false;
  }
  return true;
}

static void tell(const struct server *server) {
  struct tide_heap_stats heap;
  struct tide_cycle_stats last;
  struct tide_pause_histogram stops;
  tide_heap_stats(server->heap, &heap);
  tide_cycle_stats(server->heap, &last);
  tide_pause_histogram(server->heap, &stops);
  uint64_t longer = stops.count;
  unsigned bucket = 0;
  while (bucket < 47 && (longer -= stops.bucket[bucket]) > stops.count / 100)
    bucket++;
  printf("longest request: %llu us\n", (unsigned long long)server->longest_ns / 1000);
  printf("collections: %llu, of them beside the program %llu, in want of room %llu\n",
         (unsigned long long)heap.collections, (unsigned long long)heap.concurrent_collections,
         (unsigned long long)heap.degenerate_collections);
  printf("stops: %llu, 99 %% under %llu us, the longest %llu us\n", (unsigned long long)stops.count,
         (2ull << bucket) / 1000, (unsigned long long)heap.pause_ns_max / 1000);
  if (last.stops == 0) return; /* the last collection did not mark beside the program */
  printf("those of the last collection:");
  for (unsigned i = 0; i < last.stops; i++)
    printf(" %llu us", (unsigned long long)last.stops_ns[i] / 1000);
  printf(", marking between them %llu us\n", (unsigned long long)last.concurrent_ns / 1000);
}

int main(void) {
  struct tide_error error;
  struct tide_options options;
  tide_options_init(&options);
  options.write_barrier = options.concurrent = true;
  struct server server = {.heap = tide_heap_create(&options, &error)};
  if (!server.heap) return fail(error.text);
  server.me = tide_attach(server.heap, NULL, &error);
  if (!server.me) return fail(error.text);
  server.layout = tide_layout_bitmap(server.heap, &(uint64_t){1}, 2, &error);
  if (server.layout == TIDE_LAYOUT_INVALID) return fail(error.text);
  server.sessions =
      tide_alloc_array(server.me, TIDE_LAYOUT_REFS, SESSIONS, sizeof *server.sessions);
  if (!server.sessions) return fail("no memory");

  for (unsigned long turn = 0; turn < TURNS; turn++) {
    if (!answer_some(&server, turn * REQUESTS_A_TURN)) return fail("no memory");
    idle(&server);
  }
  if (!is_sound(&server)) return fail("a session has lost items");
  tell(&server);
  if (fflush(stdout) != 0) return fail(strerror(errno));
  tide_detach(server.me);
  return tide_heap_destroy(server.heap) != TIDE_OK;
}
