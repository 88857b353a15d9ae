/* SPDX-License-Identifier: MIT */
/* Mutators that race: they store, overwrite and read the slots of one array and of each other's
 * objects while collections mark beside them, and take objects out of weak references, ephemerons,
 * finalizers, and the stacks of fibers. No object that any of them can get may be lost.
 *
 * Usage: concurrent_shared [SECONDS [MUTATORS [SLOTS [faulty]]]]
 * With `faulty` an object that is lost, told by TIDE_VERIFY or by its contents, is a success. */
#include "tests/stress/driver.h"
#include "tide/dropin.h"
#include "tide/weak.h"

#define MAGIC UINT64_C(0x1234567890abcdef)
#define OWN 8 /* references that a mutator keeps on its stack */

struct node {
  struct node *left, *right;
  uint64_t magic, room[3];
};

static struct tide_heap *heap;
static tide_layout layout;
static struct node **slots;
static size_t slot_count;
static _Atomic(bool) over;
static atomic_uint finalized;
static bool faulty; /* then nothing that dies comes back: what is lost would, too */

struct player {
  struct tide_mutator *m;
  uint32_t random;
  struct node *own[OWN];
  struct node **words; /* a fiber's stack, which nothing else runs on */
  struct tide_fiber_stack *fiber;
  struct tide_weak *weak[OWN];
  struct tide_ephemeron *ephemeron[OWN];
};
static _Thread_local struct player *playing;

static struct node *checked(struct node *node) {
  CHECK(!node || node->magic == MAGIC);
  return node;
}

/* acquire [slots]: pairs with set, so that what an object holds comes with it. */
static struct node *get(struct node **slot) {
  return checked(__atomic_load_n(slot, __ATOMIC_ACQUIRE));
}

/* release [slots]: pairs with get. */
static void set(struct player *p, void *object, struct node **slot, struct node *value) {
  tide_write_begin(p->m, object, slot, 1);
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

static struct node **any_slot(struct player *p) {
  return &slots[random_next(&p->random) % slot_count];
}

static struct node *make_one(struct player *p) {
  struct node *made = new_object(p->m, layout, sizeof *made);
  made->magic = MAGIC;
  return made;
}

static void make(struct player *p) {
  struct node *made = make_one(p);
  set(p, made, &made->left, get(any_slot(p)));
  set(p, made, &made->right, get(any_slot(p)));
  set(p, slots, any_slot(p), made);
}

static void walk(struct player *p, struct node *node) {
  for (int i = 0; node && i < 20; i++)
    node = get(random_next(&p->random) & 1 ? &node->left : &node->right);
}

/* The only reference moves from an object to the stack, and later to another one. */
static void hide(struct player *p, struct node *node, unsigned at) {
  p->own[at] = get(&node->right);
  set(p, node, &node->right, NULL);
}

static void show(struct player *p, unsigned at) {
  if (checked(p->own[at])) set(p, slots, any_slot(p), p->own[at]);
  p->own[at] = NULL;
}

/* A fiber takes it, or a new object, and leaves another one. */
static void run_fiber(struct player *p, unsigned at) {
  if (!p->own[at]) p->own[at] = make_one(p);
  CHECK(tide_stack_switch(p->m, p->fiber) == TIDE_OK);
  struct node *kept = checked(p->words[at]);
  p->words[at] = p->own[at];
  p->own[at] = kept;
  CHECK(tide_stack_switch(p->m, NULL) == TIDE_OK);
}

static void revive(struct player *p, unsigned at) {
  struct node *node = p->weak[at] ? checked(tide_weak_get(p->m, p->weak[at])) : NULL;
  if (node) set(p, slots, any_slot(p), node);
}

/* What dies comes back, with all that it refers to. */
static void finalize(void *object, void *context) {
  struct node *node = checked(object);
  get(&node->left);
  get(&node->right);
  set(playing, slots, any_slot(playing), node);
  atomic_fetch_add(&finalized, 1);
}

static void visit_queued(void *object, tide_finalizer_fn call, void *context) {
  ++*(uint64_t *)context;
  CHECK(checked(object) && call == finalize);
}

/* Mutators add finalizers and run those that are queued meanwhile. */
static void ask_for_queued(struct tide_heap *of, enum tide_event event, uint64_t now_ns,
                           void *context) {
  uint64_t count = 0;
  if (event != TIDE_EVENT_FINALIZERS_PENDING) return;
  tide_finalizers_queued(of, visit_queued, &count);
  CHECK(count <= tide_finalizers_pending(of));
}

/* The value is one that nothing else need refer to. */
static void bind(struct player *p, struct node *key, unsigned at) {
  struct node *value = make_one(p);
  set(p, value, &value->left, key);
  p->ephemeron[at] = tide_ephemeron_new(p->m, key, value);
}

static void look(struct player *p, unsigned at) {
  if (!p->ephemeron[at]) return;
  struct node *value = checked(tide_ephemeron_value(p->m, p->ephemeron[at]));
  if (value) set(p, slots, any_slot(p), get(&value->left));
  struct node *key = checked(tide_ephemeron_key(p->m, p->ephemeron[at]));
  if (value && key) CHECK(get(&value->left) == key);
}

static void step_dying(struct player *p, struct node *node, unsigned at, unsigned random) {
  if (faulty) random |= 7;
  if (node && random % 8 == 0) CHECK(tide_finalizer_add(p->m, node, finalize, NULL) == TIDE_OK);
  if (node && random % 8 == 1) bind(p, node, at);
  if (random % 8 == 2) tide_finalizers_run(p->m, 4);
  if (random % 8 == 3) look(p, at);
  if (random % 8 > 3) CHECK(tide_alloc(p->m, TIDE_LAYOUT_LEAF, 16 + random % 1000));
}

static void step(struct player *p) {
  struct node **slot = any_slot(p), *node = get(slot);
  const uint32_t random = random_next(&p->random);
  const unsigned at = random >> 8 & (OWN - 1);
  const unsigned dice = random & 15;
  if (!node && (dice == 11 || (dice >= 5 && dice <= 8))) return;
  if (dice < 3)
    make(p);
  else if (dice < 5)
    set(p, slots, slot, NULL);
  else if (dice < 7)
    set(p, node, &node->left, get(any_slot(p)));
  else if (dice < 9)
    hide(p, node, at);
  else if (dice == 9)
    run_fiber(p, at);
  else if (dice == 10)
    show(p, at);
  else if (dice == 11)
    p->weak[at] = tide_weak_new(p->m, node, (enum tide_weak_kind)(random >> 16 & 1));
  else if (dice < 14)
    revive(p, at);
  else if (dice == 14)
    step_dying(p, node, at, random >> 12);
  else
    walk(p, node);
}

static void *play(void *seed) {
  struct player p = {.m = ATTACH(heap), .random = (uint32_t)(uintptr_t)seed};
  p.words = calloc(OWN, sizeof *p.words);
  CHECK(p.words);
  p.fiber = tide_stack_register(p.m, p.words, p.words + OWN, NULL);
  CHECK(p.fiber);
  playing = &p;
  while (!over) {
    for (int i = 0; i < 64; i++)
      step(&p);
    tide_safepoint(p.m);
  }
  CHECK(tide_detach(p.m) == TIDE_OK);
  free(p.words);
  return NULL;
}

static void play_all(unsigned seconds, unsigned players) {
  struct tide_mutator *m = ATTACH(heap);
  const size_t references[] = {offsetof(struct node, left), offsetof(struct node, right)};
  layout = tide_layout_offsets(heap, sizeof(struct node), references, 2, NULL);
  CHECK(tide_root_add(heap, (void **)&slots) == TIDE_OK);
  slots = tide_alloc_array(m, TIDE_LAYOUT_REFS, slot_count, sizeof *slots);
  CHECK(slots);
  const struct crew crew = crew_new(play, players);
  tide_blocking_enter(m);
  struct tide_heap_stats stats = {0};
  for (unsigned i = 0; i < seconds * 100 || stats.concurrent_collections < 3; i++) {
    usleep(10000);
    stats = stats_of(heap);
    if (i % 4 != 0) continue; /* where young collections find most, few others would come */
    tide_blocking_leave(m);
    CHECK(tide_collect_begin(m) == TIDE_OK);
    tide_blocking_enter(m);
  }
  over = true;
  crew_end(NULL, &crew);
  tide_blocking_leave(m);
  stats = stats_of(heap);
  printf("%" PRIu64 " collections, %" PRIu64 " beside the program, %" PRIu64 " stopped, %" PRIu64
         " young; %u objects finalized\n",
         stats.collections, stats.concurrent_collections, stats.degenerate_collections,
         stats.young_collections, finalized);
  heap_end(heap, m);
}

static unsigned seconds, players;
static void run(const void *unused) {
  heap = HEAP(.write_barrier = true, .concurrent = true, .heap_max_bytes = (size_t)256 << 20);
  tide_heap_on_event(heap, ask_for_queued, NULL);
  play_all(seconds, players);
}

/* A lost object ends the child by a check or a signal. */
static bool is_found(void) {
  static char said[SAID_MOST];
  int status = child_says(run, NULL, said);
  return !WIFEXITED(status) || WEXITSTATUS(status) == 1;
}

int main(int count, char **arguments) {
  seconds = (unsigned)argument(count, arguments, 1, 3);
  players = (unsigned)argument(count, arguments, 2, 3);
  slot_count = (size_t)argument(count, arguments, 3, 20000);
  faulty = count > 4 && strcmp(arguments[4], "faulty") == 0;
  if (faulty)
    CHECK(is_found());
  else
    run(NULL);
  return 0;
}
