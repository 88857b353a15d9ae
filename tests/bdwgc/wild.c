/* SPDX-License-Identifier: MIT */
/* What the headers of Boehm GC offer, in random order by seed and in several threads at a time:
 * objects of all kinds that are moved, freed and finalized, links, roots and hooks that change,
 * threads that come and go, are cancelled and detached, regions inside each other, libraries that
 * are loaded, and forks. Each object says by its contents whether it is the one that it was.
 * Arguments: seed, steps, threads, a library to load (or nothing). */
#include "tests/bdwgc/semantics.h"

#include <dlfcn.h>

enum { SLOTS = 16, EXTRA = 32, FILL = 0x5a };
/* In memory of its own for each thread, which is uncollectable or a root. */
struct node {
  struct node *next;
  GC_word stamp, bytes;
  unsigned char fill[];
};
struct life {
  unsigned seed, steps, depth, generation;
  const char *library;
  struct {
    struct node *chain;
    unsigned length;
    bool finalized; /* something may refer to what is dead */
    bool typed;     /* the other library keeps the descriptor in the object: not to be resized */
  } slot[SLOTS];
  void **link[SLOTS]; /* words in uncollectable memory: disguised */
  GC_word *extra;     /* memory that is a root now and then */
};
static atomic_ulong finalized, forked, threads_made, collections;
static GC_descr described;

static unsigned below(struct life *life, unsigned bound) {
  return random_next(&life->seed) % bound;
}

static GC_word stamp_of(const struct node *node) {
  return ~(GC_word)node;
}

/* ---- Objects ---- */

static size_t some_bytes(struct life *life) {
  unsigned dice = below(life, 100);
  size_t more = dice == 0 ? below(life, 300000) : dice < 4 ? below(life, 20000) : below(life, 300);
  return sizeof(struct node) + more;
}

static void fill(struct node *node, size_t bytes) {
  node->stamp = stamp_of(node);
  node->bytes = bytes;
  memset(node->fill, FILL, bytes - sizeof *node);
}

static struct node *make(struct life *life, bool *typed) {
  size_t bytes = some_bytes(life);
  const unsigned how = below(life, 8);
  if (how == 1) *typed = true;
  if (how == 2) bytes = 64;
  struct node *node = how == 0   ? GC_memalign(1u << (4 + below(life, 8)), bytes)
                      : how == 1 ? GC_malloc_explicitly_typed(bytes, described)
                      : how == 2 ? GC_malloc_many(bytes)
                      : how == 3 ? GC_debug_malloc(bytes, "wild.c", 1)
                                 : GC_malloc(bytes);
  CHECK(node);
  if (how == 2) node->next = NULL; /* else the rest of the list */
  fill(node, bytes);
  return node;
}

static void check_node(const struct node *node) {
  bool good = node->stamp == stamp_of(node);
  for (size_t i = 0; good && i < node->bytes - sizeof *node; i++)
    good = node->fill[i] == FILL;
  if (good) return;
  fprintf(stderr, "%p is not what it was: %#lx\n", (const void *)node, (unsigned long)node->stamp);
  abort();
}

static void check_slot(struct life *life, unsigned slot) {
  const struct node *node = life->slot[slot].chain;
  for (unsigned i = life->slot[slot].length; i > 0; i--, node = node->next)
    check_node(node);
  CHECK(!node);
}

static void build(struct life *life) {
  unsigned slot = below(life, SLOTS), length = 1 + below(life, below(life, 16) ? 6 : 200);
  memset(&life->slot[slot], 0, sizeof life->slot[slot]);
  for (unsigned i = 0; i < length; i++) {
    struct node *node = make(life, &life->slot[slot].typed);
    node->next = life->slot[slot].chain;
    life->slot[slot].chain = node;
    life->slot[slot].length++;
  }
}

/* Of the first object. Debugging objects have their own way. */
static void change(struct life *life) {
  unsigned slot = below(life, SLOTS);
  struct node *node = life->slot[slot].chain;
  if (!node || life->slot[slot].finalized || GC_base(node) != node) return;
  if (below(life, 2) || life->slot[slot].typed) {
    life->slot[slot].chain = node->next;
    life->slot[slot].length--;
    GC_free(node);
    return;
  }
  size_t bytes = some_bytes(life), kept = bytes < node->bytes ? bytes : node->bytes;
  struct node *moved = GC_realloc(node, bytes);
  CHECK(moved && moved->stamp == stamp_of(node) &&
        (kept == sizeof *node || moved->fill[0] == FILL));
  fill(moved, bytes);
  life->slot[slot].chain = moved;
}

static void GC_CALLBACK finalize(void *object, void *data) {
  struct node *node = object;
  check_node(node);
  unsigned long number = atomic_fetch_add(&finalized, 1);
  if (number % 4 == 0) GC_register_finalizer_no_order(object, finalize, data, NULL, NULL);
  if (number % 16 == 1) GC_gcollect();
  CHECK(GC_malloc(32));
}

/* Links are words that collections do not read: disguised, in memory without pointers. */
static void link_or_finalize(struct life *life) {
  unsigned slot = below(life, SLOTS);
  struct node *node = life->slot[slot].chain;
  void **link = life->link[slot];
  if (below(life, 4) == 0) {
    GC_unregister_disappearing_link(link);
    GC_unregister_long_link(link);
    *link = NULL;
  }
  if (!node || GC_base(node) != node) return;
  life->slot[slot].finalized = true;
  const unsigned how = below(life, 6);
  if (how == 0) GC_register_finalizer(node, finalize, NULL, NULL, NULL);
  if (how == 1) GC_register_finalizer_ignore_self(node, finalize, node, NULL, NULL);
  if (how == 2) GC_register_finalizer_unreachable(node, finalize, NULL, NULL, NULL);
  if (how == 3 || how == 4) *link = (void *)GC_HIDE_POINTER(node);
  if (how == 3) (void)GC_general_register_disappearing_link(link, node);
  if (how == 4) (void)GC_register_long_link(link, node);
  if (how == 5) GC_invoke_finalizers();
}

/* ---- The collector's own switches ---- */

static void GC_CALLBACK on_event(GC_EventType event) {
  if (event == GC_EVENT_END) atomic_fetch_add(&collections, 1);
}
static void *look(void *object) {
  return GC_base(object);
}

static void turn_switches(struct life *life) {
  static char words[4096];
  const unsigned which = below(life, 7);
  if (which == 0) {
    GC_disable();
    build(life);
    GC_enable();
  }
  if (which == 1) {
    GC_add_roots(life->extra, life->extra + EXTRA);
    for (unsigned i = 0; i < EXTRA; i++)
      life->extra[i] = (GC_word)GC_malloc_atomic(40);
    GC_gcollect();
    GC_remove_roots(life->extra, life->extra + EXTRA);
  }
  if (which == 2) {
    GC_add_roots(words + 8 * below(life, 100), words + 2048);
    GC_remove_roots(words, words + 4096);
  }
  if (which == 3) GC_set_on_collection_event(below(life, 2) ? on_event : NULL);
  if (which == 4) GC_set_finalize_on_demand((int)below(life, 2));
  if (which == 5) GC_call_with_alloc_lock(look, life->slot[0].chain);
  if (which == 6) GC_set_free_space_divisor(1 + below(life, 8));
}

/* ---- Threads, regions, forks ---- */

static void step(struct life *life);
static void *live(void *argument);

static void *inside(void *argument) {
  struct life *life = argument;
  for (unsigned i = below(life, 10); i > 0; i--)
    step(life);
  return NULL;
}
static void *outside(void *argument) {
  struct life *life = argument;
  usleep(below(life, 100));
  return GC_call_with_gc_active(inside, life);
}

static void nest(struct life *life) {
  if (life->depth == 4) return;
  life->depth++;
  GC_do_blocking(outside, life);
  life->depth--;
}

static struct life *life_new(struct life *parent, unsigned seed, unsigned steps) {
  struct life *life = GC_malloc_uncollectable(sizeof *life);
  CHECK(life);
  life->seed = seed | 1;
  life->steps = steps;
  life->depth = parent ? 4 : 0;
  life->library = parent ? parent->library : NULL;
  life->extra = calloc(EXTRA, sizeof *life->extra);
  for (unsigned i = 0; i < SLOTS; i++)
    CHECK(life->link[i] = GC_malloc_atomic_uncollectable(sizeof(void *)));
  return life;
}

static void *be_cancelled(void *argument) {
  struct life *life = life_new(NULL, (unsigned)(GC_word)argument, 0);
  life->depth = 4;
  for (;;) {
    step(life);
    pthread_testcancel();
  }
  return NULL;
}
static void *register_itself(void *argument) {
  struct GC_stack_base base;
  GC_get_stack_base(&base);
  CHECK(GC_register_my_thread(&base) == GC_SUCCESS);
  live(argument);
  GC_unregister_my_thread();
  return NULL;
}
static void *exit_with(void *argument) {
  live(argument);
  GC_pthread_exit(GC_malloc(50));
}

/* For a thread that the collector has not made. */
static void *join(void *thread) {
  CHECK(pthread_join(*(pthread_t *)thread, NULL) == 0);
  return NULL;
}

static void make_thread(struct life *life) {
  pthread_t thread;
  void *result = NULL;
  atomic_fetch_add(&threads_made, 1);
  unsigned how = below(life, 4), seed = below(life, 1u << 30);
  if (how == 0) {
    CHECK(GC_pthread_create(&thread, NULL, be_cancelled, (void *)(GC_word)seed) == 0);
    CHECK(GC_pthread_cancel(thread) == 0 && GC_pthread_join(thread, &result) == 0);
    return;
  }
  struct life *other = life_new(life, seed, below(life, 60));
  if (how == 1)
    CHECK(pthread_create(&thread, NULL, register_itself, other) == 0);
  else
    CHECK(GC_pthread_create(&thread, NULL, how == 2 ? live : exit_with, other) == 0);
  if (how == 2) {
    CHECK(GC_pthread_detach(thread) == 0);
    return;
  }
  if (how == 1) {
    GC_do_blocking(join, &thread);
    return;
  }
  CHECK(GC_pthread_join(thread, &result) == 0);
  if (how == 3) CHECK(GC_size(result) >= 50);
}

static void *wait_for(void *child) {
  int status;
  while (waitpid(*(pid_t *)child, &status, 0) < 0) {
  }
  CHECK(status == 0);
  return NULL;
}

static void fork_off(struct life *life) {
  if (life->generation == 2) return;
  atomic_fetch_add(&forked, 1);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child) {
    GC_do_blocking(wait_for, &child);
    return;
  }
  life->generation++;
  for (unsigned i = 0; i < 60; i++)
    step(life);
  GC_gcollect();
  _exit(0);
}

static void load(struct life *life) {
  if (!life->library) return;
  void *library = dlopen(life->library, RTLD_NOW);
  CHECK(library);
  build(life);
  CHECK(dlclose(library) == 0);
}

static void step(struct life *life) {
  unsigned dice = below(life, 400);
  if (dice < 160)
    build(life);
  else if (dice < 240)
    check_slot(life, below(life, SLOTS));
  else if (dice < 300)
    change(life);
  else if (dice < 360)
    link_or_finalize(life);
  else if (dice < 375)
    turn_switches(life);
  else if (dice < 385)
    nest(life);
  else if (dice < 392)
    GC_gcollect();
  else if (dice < 395 && life->depth < 4)
    make_thread(life);
  else if (dice < 397)
    fork_off(life);
  else if (dice == 398)
    load(life);
}

static void *live(void *argument) {
  struct life *life = argument;
  for (unsigned i = 0; i < life->steps; i++)
    step(life);
  for (unsigned i = 0; i < SLOTS; i++)
    check_slot(life, i);
  return NULL;
}

int main(int argc, char **argv) {
  unsigned seed = (unsigned)argument(argc, argv, 1, 1);
  unsigned steps = (unsigned)argument(argc, argv, 2, 1500);
  unsigned count = (unsigned)argument(argc, argv, 3, 3);
  pthread_t threads[64];
  CHECK(count <= 64);
  GC_set_handle_fork(1);
  GC_INIT();
  GC_allow_register_threads();
  GC_word bits = 1;
  described = GC_make_descriptor(&bits, 1);
  for (unsigned i = 0; i < count; i++) {
    struct life *life = life_new(NULL, (seed * 64 + i) * 2654435761u, steps);
    life->library = argc > 4 ? argv[4] : NULL;
    threads[i] = start(live, life);
  }
  finish_all(threads, (int)count);
  printf("%lu finalizers, %lu forks, %lu threads, %lu collections told\n", finalized, forked,
         threads_made, collections);
  return 0;
}
