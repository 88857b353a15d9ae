/* SPDX-License-Identifier: MIT */
/* The soak's heap, its table, and the threads that change it. */
#include "tests/soak/work.h"

#include "tests/stress/driver.h"
#include "tide/advanced.h"
#include "tide/inspect.h"

enum { SLOTS = 120000, WORKERS = 3, BYTES_MOST = 700, LIST = 400, ASIDE = 5000 };

struct node {
  struct node *next;
  uint64_t bytes, number; /* number is made from bytes, so that damage shows */
};

static uint64_t seal(uint64_t bytes) {
  return bytes * 0x9e3779b97f4a7c15u + 1;
}

static struct node *make_node(struct soak *soak, struct tide_mutator *m, uint32_t *seed) {
  size_t bytes = sizeof(struct node) + random_next(seed) % BYTES_MOST;
  /* Some are large, in blocks of their own. */
  if (random_next(seed) % 4096 == 0) bytes = 40000 + random_next(seed) % 300000;
  struct node *node = tide_alloc(m, soak->node, bytes);
  CHECK(node && !node->next);
  node->bytes = bytes;
  node->number = seal(bytes);
  return node;
}

static void check_node(const struct node *node) {
  CHECK(node->number == seal(node->bytes));
}

static void replace(struct soak *soak, struct tide_mutator *m, size_t at, uint32_t *seed) {
  void **slot = &soak->objects[at];
  struct node *old = *slot;
  if (old) check_node(old);
  tide_write(m, soak->objects, slot, make_node(soak, m, seed));
}

static void finalize(void *object, void *count) {
  check_node(object);
  ++*(uint64_t *)count;
}

/* Lists with weak references, ephemerons and finalizers, all of them garbage in the end. */
static void make_garbage(struct soak *soak, struct tide_mutator *m, uint32_t *seed) {
  static uint64_t finalized; /* finalizers run on the main thread only */
  size_t scope = tide_scope_open(m);
  void **head = tide_handle(m, NULL), **weak = tide_handle(m, NULL), **pair = tide_handle(m, NULL);
  for (int i = 0; i < LIST; i++) {
    struct node *fresh = make_node(soak, m, seed);
    tide_write(m, fresh, &fresh->next, *head);
    *head = fresh;
    tide_safepoint(m);
  }
  *weak = tide_weak_new(m, *head, TIDE_WEAK_BEFORE);
  *pair = tide_ephemeron_new(m, *head, ((struct node *)*head)->next);
  CHECK(*weak && *pair);
  CHECK(tide_finalizer_add(m, *head, finalize, &finalized) == TIDE_OK);
  if (random_next(seed) % 8 == 0) CHECK(tide_collect(m) == TIDE_OK);
  CHECK(tide_weak_get(m, *weak) == *head);
  CHECK(tide_ephemeron_value(m, *pair) == ((struct node *)*head)->next);
  for (const struct node *at = *head; at; at = at->next)
    check_node(at);
  CHECK(tide_scope_close(m, scope) == TIDE_OK);
}

struct worker {
  pthread_t thread;
  struct soak *soak;
  size_t first; /* its part of the table: every third slot from here */
  uint32_t seed;
};

static void *work(void *argument) {
  struct worker *worker = argument;
  struct soak *soak = worker->soak;
  uint32_t *seed = &worker->seed;
  bool precise = random_next(seed) % 2;
  struct tide_mutator *m =
      ATTACH(soak->heap, .stack = precise ? TIDE_STACK_PRECISE : TIDE_STACK_CONSERVATIVE);
  for (int part = 0; part < 8; part++) {
    for (int i = 0; i < 1500; i++)
      replace(soak, m, random_next(seed) % (SLOTS / WORKERS) * WORKERS + worker->first, seed);
    make_garbage(soak, m, seed);
    BLOCKED(m, usleep(200));
  }
  if (random_next(seed) % 2) CHECK(tide_detach(m) == TIDE_OK); /* else its end detaches it */
  return NULL;
}

void soak_begin(struct soak *soak, const char *folder) {
  *soak = (struct soak){.seed = 2463534242u, .folder = folder};
  soak->heap = HEAP(.heap_max_bytes = (size_t)256 << 20, .heap_initial_bytes = (size_t)8 << 20,
                    .markers = 2);
  size_t offset = 0;
  soak->node = tide_layout_offsets(soak->heap, sizeof(struct node), &offset, 1, NULL);
  soak->mutator = ATTACH(soak->heap);
  CHECK(tide_root_add(soak->heap, &soak->objects) == TIDE_OK);
  soak->objects = tide_alloc_array(soak->mutator, TIDE_LAYOUT_REFS, SLOTS, sizeof(void *));
  CHECK(soak->objects);
  for (size_t i = 0; i < SLOTS; i++)
    replace(soak, soak->mutator, i, &soak->seed);
}

static void check_table(const struct soak *soak) {
  for (size_t i = 0; i < SLOTS; i++)
    check_node(soak->objects[i]);
}

/* A child checks all that its parent had, collects twice, and ends. */
static void fork_once(struct soak *soak) {
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 2; i++)
      CHECK(tide_collect(soak->mutator) == TIDE_OK);
    check_table(soak);
    _exit(0);
  }
  BLOCKED(soak->mutator, expect_child(child));
}

static void write_files(struct tide_mutator *m, const char *folder, uint64_t round) {
  char path[512];
  snprintf(path, sizeof path, "%s/soak-%" PRIu64, folder, round);
  CHECK(tide_heap_snapshot(m, path, NULL) == TIDE_OK);
  CHECK(unlink(path) == 0);
  enum tide_status status = tide_heap_snapshot_thg(m, path, NULL);
  CHECK(status == TIDE_OK || status == TIDE_ERROR_UNSUPPORTED);
  CHECK(status != TIDE_OK || unlink(path) == 0);
}

/* A short-lived heap, with all that the library takes for it: addresses, keys, threads, files. */
static void make_aside(const char *folder, uint64_t round) {
  struct tide_heap *heap = HEAP(.heap_max_bytes = (size_t)16 << 20, .markers = 2);
  struct tide_mutator *m = ATTACH(heap);
  void **list = NULL;
  for (int i = 0; i < ASIDE; i++) {
    void **fresh = new_object(m, TIDE_LAYOUT_REFS, 64);
    tide_write(m, fresh, fresh, list);
    list = fresh;
  }
  write_files(m, folder, round);
  int length = 0;
  for (void **at = list; at; at = *at)
    length++;
  CHECK(length == ASIDE);
  heap_end(heap, m);
}

static void change_engine(struct soak *soak) {
  size_t count = 0;
  while (tide_engine_name(count))
    count++;
  const char *name = tide_engine_name(soak->round % count);
  /* One marker is what every engine can do with. */
  CHECK(tide_heap_set_markers(soak->heap, 1, NULL) == TIDE_OK);
  CHECK(tide_heap_set_engine(soak->heap, name, NULL) == TIDE_OK);
  unsigned markers = strcmp(name, "serial") ? 1 + (unsigned)(soak->round % 3) : 1;
  CHECK(tide_heap_set_markers(soak->heap, markers, NULL) == TIDE_OK);
}

void soak_round(struct soak *soak) {
  struct worker workers[WORKERS];
  change_engine(soak);
  for (size_t i = 0; i < WORKERS; i++) {
    workers[i] = (struct worker){.soak = soak, .first = i, .seed = random_next(&soak->seed) | 1};
    workers[i].thread = thread_new(work, &workers[i]);
  }
  if (soak->round % 4 == 0) fork_once(soak);
  if (soak->round % 8 == 1) BLOCKED(soak->mutator, make_aside(soak->folder, soak->round));
  for (size_t i = 0; i < WORKERS; i++)
    thread_end(soak->mutator, workers[i].thread);
  /* What is finalized goes away with the second collection. */
  CHECK(tide_collect(soak->mutator) == TIDE_OK);
  tide_finalizers_run(soak->mutator, SIZE_MAX);
  CHECK(tide_collect(soak->mutator) == TIDE_OK);
  CHECK(stats_of(soak->heap).mutators == 1);
  soak->round++;
}

void soak_end(struct soak *soak) {
  check_table(soak);
  CHECK(tide_check_heap(soak->mutator, NULL) == TIDE_OK);
  heap_end(soak->heap, soak->mutator);
}
