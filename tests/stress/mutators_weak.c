/* SPDX-License-Identifier: MIT */
/* Weak references, ephemerons and finalizers against a model. The model keeps the same graph in
 * plain arrays and says after each collection which objects must live, which weak references and
 * ephemerons must be empty, and which finalizers must be due. Everything is random but seeded.
 * Arguments: rounds, seed. */
#include "tests/stress/driver.h"

enum { ITEMS = 400, ROOTS = 12, FIELDS = 3 };

enum kind { NODE, WEAK_BEFORE, WEAK_AFTER, EPHEMERON };

/* An object and what the model knows of it. References are item numbers, -1 for none. */
struct item {
  bool exists;
  enum kind kind;
  int field[FIELDS]; /* NODE: references; weak: target; EPHEMERON: key and value */
  bool registered;   /* has a finalizer, not yet due */
  bool pending;      /* its finalizer is due */
  uint64_t order;    /* of registration */
  void *address;
};

struct node {
  void *field[FIELDS];
  uint64_t item;
};

static struct item items[ITEMS];
static int roots[ROOTS];
static void *root_slots[ROOTS];
static uint32_t seed;
static uint64_t registrations;
static struct tide_mutator *m;
static tide_layout node_layout;

static int pick(void) {
  return (int)(random_next(&seed) % ITEMS);
}

/* Some item that a mutator could get hold of: strongly reachable from the roots in the model. */
static bool reachable[ITEMS];

/* ---- The model ---- */

static bool spread_one(const struct item *item, bool *live) {
  bool changed = false;
  if (item->kind == NODE) {
    for (int f = 0; f < FIELDS; f++)
      if (item->field[f] >= 0 && !live[item->field[f]]) changed = live[item->field[f]] = true;
  } else if (item->kind == EPHEMERON && item->field[1] >= 0 && item->field[0] >= 0 &&
             live[item->field[0]] && !live[item->field[1]]) {
    changed = live[item->field[1]] = true;
  }
  return changed;
}

static void spread(bool *live) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < ITEMS; i++)
      if (live[i] && spread_one(&items[i], live)) changed = true;
  }
}

static void spread_roots(bool *live) {
  memset(live, 0, ITEMS * sizeof *live);
  for (int r = 0; r < ROOTS; r++)
    if (roots[r] >= 0) live[roots[r]] = true;
  for (int i = 0; i < ITEMS; i++)
    if (items[i].pending) live[i] = true;
  spread(live);
}

/* Without values of ephemerons: what counts for the order of finalizers. */
static void strong_closure(int from, bool *met) {
  memset(met, 0, ITEMS * sizeof *met);
  met[from] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < ITEMS; i++)
      if (met[i] && items[i].kind == NODE && spread_one(&items[i], met)) changed = true;
  }
}

static void clear_weak(const bool *live, enum kind kind) {
  for (int i = 0; i < ITEMS; i++)
    if (items[i].exists && items[i].kind == kind && items[i].field[0] >= 0 &&
        !live[items[i].field[0]])
      items[i].field[0] = -1;
}

/* A collection as the interface describes it. */
static void model_collect(void) {
  static bool live[ITEMS], dying[ITEMS], met[ITEMS][ITEMS];
  spread_roots(live);
  clear_weak(live, WEAK_BEFORE); /* live ones, resurrected ones, and garbage alike */
  memset(dying, 0, sizeof dying);
  for (int i = 0; i < ITEMS; i++)
    if (items[i].exists && items[i].registered && !live[i]) {
      dying[i] = true;
      strong_closure(i, met[i]);
    }
  for (int i = 0; i < ITEMS; i++) {
    if (!dying[i]) continue;
    bool waits = false;
    for (int j = 0; j < ITEMS; j++)
      if (j != i && dying[j] && met[j][i] && (!met[i][j] || items[j].order < items[i].order))
        waits = true;
    if (!waits) items[i].pending = true;
  }
  for (int i = 0; i < ITEMS; i++) {
    if (items[i].pending) items[i].registered = false;
    if (dying[i]) live[i] = true;
  }
  spread(live);
  clear_weak(live, WEAK_AFTER);
  for (int i = 0; i < ITEMS; i++) {
    if (items[i].exists && items[i].kind == EPHEMERON && items[i].field[0] >= 0 &&
        !live[items[i].field[0]])
      items[i].field[0] = items[i].field[1] = -1;
    if (!live[i]) items[i].exists = false;
  }
}

/* ---- The real thing beside it ---- */

static void finalize(void *object, void *context) {
  struct item *item = context;
  CHECK(item->exists && item->pending && item->address == object);
  CHECK(((struct node *)object)->item == (uint64_t)(item - items));
  item->pending = false;
}

static void *address_of(int item) {
  return item >= 0 ? items[item].address : NULL;
}

static int pick_reachable(void) {
  for (int tries = 0; tries < 50; tries++) {
    int i = pick();
    if (items[i].exists && reachable[i]) return i;
  }
  return -1;
}

static int free_item(void) {
  int at = pick();
  for (int i = 0; i < ITEMS && items[at].exists; i++)
    at = (at + 1) % ITEMS;
  return items[at].exists ? -1 : at;
}

static void *allocate(const struct item *item, int at) {
  void *first = address_of(item->field[0]);
  if (item->kind == EPHEMERON) return tide_ephemeron_new(m, first, address_of(item->field[1]));
  if (item->kind != NODE)
    return tide_weak_new(m, first, item->kind == WEAK_BEFORE ? TIDE_WEAK_BEFORE : TIDE_WEAK_AFTER);
  struct node *node = new_object(m, node_layout, sizeof(struct node));
  node->item = (uint64_t)at;
  for (int f = 0; f < FIELDS; f++)
    node->field[f] = address_of(item->field[f]);
  return node;
}

/* The item's number, -1 if there is no place for one. */
static int make(struct item fresh, bool registered) {
  int at = free_item();
  if (at < 0) return -1;
  fresh.exists = true;
  fresh.address = allocate(&fresh, at);
  CHECK(fresh.address);
  if (registered) {
    CHECK(tide_finalizer_add(m, fresh.address, finalize, &items[at]) == TIDE_OK);
    fresh.registered = true;
    fresh.order = ++registrations;
  }
  items[at] = fresh;
  return at;
}

static void put_into_root(int item) {
  int root = (int)(random_next(&seed) % ROOTS);
  roots[root] = item;
  root_slots[root] = address_of(item);
  spread_roots(reachable);
}

static void create(void) {
  enum kind kind = random_next(&seed) % 2 ? NODE : (enum kind)(random_next(&seed) % 4);
  struct item fresh = {.kind = kind};
  for (int f = 0; f < FIELDS; f++)
    fresh.field[f] = pick_reachable();
  if (kind == EPHEMERON && fresh.field[0] < 0) return;
  int at = make(fresh, kind == NODE && random_next(&seed) % 3 == 0);
  if (at >= 0) put_into_root(at);
}

/* An ephemeron whose key is dying and has a finalizer; its value leads to a weak reference whose
 * target is dying too, mostly: what only a resurrected key leads to. */
static void plant(void) {
  bool direct = random_next(&seed) % 2, strong = random_next(&seed) % 4 == 0;
  int target = make((struct item){.field = {-1, -1, -1}}, random_next(&seed) % 2);
  enum kind kind = random_next(&seed) % 4 ? WEAK_BEFORE : WEAK_AFTER;
  int weak = make((struct item){.kind = kind, .field = {target, -1, -1}}, false);
  int value = direct ? weak : make((struct item){.field = {-1, weak, -1}}, false);
  int key = make((struct item){.field = {target, -1, -1}}, true);
  if (target < 0 || weak < 0 || value < 0 || key < 0) return;
  int ephemeron = make((struct item){.kind = EPHEMERON, .field = {key, value, -1}}, false);
  if (ephemeron < 0) return;
  put_into_root(ephemeron);
  if (strong) put_into_root(target);
}

static void rewire(void) {
  int at = pick_reachable();
  if (at < 0) return;
  int to = random_next(&seed) % 4 ? pick_reachable() : -1;
  if (items[at].kind == NODE) {
    int f = (int)(random_next(&seed) % FIELDS);
    items[at].field[f] = to;
    ((struct node *)items[at].address)->field[f] = address_of(to);
  } else if (items[at].kind == EPHEMERON && items[at].field[0] >= 0) {
    items[at].field[1] = to;
    tide_ephemeron_set(m, items[at].address, address_of(to));
  }
  int root = (int)(random_next(&seed) % ROOTS);
  if (random_next(&seed) % 3 == 0) {
    roots[root] = -1;
    root_slots[root] = NULL;
  }
  spread_roots(reachable);
}

static void compare(void) {
  struct tide_check check;
  enum tide_status status = tide_check_marks(m, &check);
  if (status != TIDE_OK) fprintf(stderr, "%s\n", check.difference);
  CHECK(status == TIDE_OK);
  uint64_t live = 0, pending = 0;
  for (int i = 0; i < ITEMS; i++) {
    const struct item *item = &items[i];
    if (!item->exists) continue;
    live++;
    pending += item->pending;
    if (item->kind == WEAK_BEFORE || item->kind == WEAK_AFTER)
      CHECK(tide_weak_get(m, item->address) == address_of(item->field[0]));
    if (item->kind == EPHEMERON) {
      CHECK(tide_ephemeron_key(m, item->address) == address_of(item->field[0]));
      CHECK(tide_ephemeron_value(m, item->address) == address_of(item->field[1]));
    }
  }
  CHECK(check.objects == live);
  CHECK(tide_finalizers_pending(tide_heap_of(m)) == pending);
}

int main(int count, char **arguments) {
  uint64_t rounds = argument(count, arguments, 1, 1500);
  seed = (uint32_t)argument(count, arguments, 2, 2463534242u);
  CHECK(seed != 0);
  unsetenv("TIDE_STRESS"); /* the model knows of the collections that it asks for only */
  struct tide_heap *heap = HEAP(.heap_max_bytes = 32u << 20, .markers = 1 + seed % 3);
  m = ATTACH(heap, .stack = TIDE_STACK_PRECISE);
  size_t offsets[FIELDS];
  for (int f = 0; f < FIELDS; f++)
    offsets[f] = (size_t)f * 8;
  node_layout = tide_layout_offsets(heap, sizeof(struct node), offsets, FIELDS, NULL);
  CHECK(tide_root_add_range(heap, root_slots, ROOTS) == TIDE_OK);
  for (int r = 0; r < ROOTS; r++)
    roots[r] = -1;
  uint64_t finalized = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    uint32_t steps = random_next(&seed) % 120;
    for (uint32_t i = 0; i < steps; i++)
      random_next(&seed) % 3 ? create() : rewire();
    if (random_next(&seed) % 4 == 0) plant();
    model_collect();
    CHECK(tide_collect(m) == TIDE_OK);
    compare();
    if (random_next(&seed) % 3 == 0) finalized += tide_finalizers_run(m, random_next(&seed) % 20);
    spread_roots(reachable);
  }
  printf("%" PRIu64 " rounds, %" PRIu64 " finalizers registered, %" PRIu64 " run\n", rounds,
         registrations, finalized);
  CHECK(rounds < 100 || finalized > 0);
  heap_end(heap, m);
  return 0;
}
