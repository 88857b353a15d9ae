/* Chains of objects of the wild driver: every object says by its own contents whether it is the one
 * that its thread made. */
#include "tests/wild/wild.h"

/* `next` and nothing else is a reference; `fill` are numbers that are none. */
struct node {
  struct node *next;
  uintptr_t stamp; /* its own address, disguised, and its number in the chain */
  size_t words;    /* of fill */
  uintptr_t fill[];
};

static uintptr_t stamp_of(const struct node *node, uint32_t seed) {
  return ((uintptr_t)node ^ seed) << 4 | 1;
}

static void trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  (void)bytes, (void)context;
  tide_trace(tracer, ((struct node *)object)->next);
}

void wild_layouts(struct place *place) {
  const size_t offset = 0;
  const uint64_t bits = 1;
  struct tide_heap *heap = place->heap;
  tide_layout *layout = place->layout;
  layout[0] = tide_layout_offsets(heap, 24, &offset, 1, NULL);
  layout[1] = TIDE_LAYOUT_REFS;
  layout[2] = TIDE_LAYOUT_CONSERVATIVE;
  layout[3] = tide_layout_traced(heap, trace, NULL, NULL);
  layout[4] = tide_layout_traced_serially(heap, trace, place, NULL);
  layout[5] = tide_layout_bitmap(heap, &bits, 3, NULL);
  layout[6] = tide_layout_named(heap, layout[0], "wild", NULL);
  layout[7] = tide_layout_held_by_first_page(heap, TIDE_LAYOUT_REFS, NULL);
  for (unsigned i = 0; i < LAYOUTS; i++)
    CHECK(layout[i]);
}

static size_t some_words(struct worker *w) {
  switch (below(w, 128)) {
  case 0:
    return 4100 + below(w, 40000);
  case 1:
  case 2:
    return 64 + below(w, 4000);
  default:
    return below(w, 24);
  }
}

static void fill(struct node *node, uint32_t seed, size_t words) {
  node->words = words;
  for (size_t i = 0; i < words; i++)
    node->fill[i] = (uintptr_t)seed << 8 | 5;
}

static void check_node(const struct node *node, uint32_t seed) {
  bool good = node && node->stamp == stamp_of(node, seed);
  for (size_t i = 0; good && i < node->words; i++)
    good = node->fill[i] == ((uintptr_t)seed << 8 | 5);
  if (good) return;
  fprintf(stderr, "%p is not what it was: stamp %#zx, %zu words\n", (const void *)node,
          node ? node->stamp : 0, node ? node->words : 0);
  abort();
}

static struct node *make(struct worker *w, struct seat *seat, uint32_t seed) {
  size_t words = some_words(w), bytes = sizeof(struct node) + words * sizeof(uintptr_t);
  tide_layout layout = seat->place->layout[below(w, LAYOUTS)];
  struct node *node = below(w, 32) ? tide_alloc(seat->m, layout, bytes)
                                   : tide_alloc_aligned(seat->m, layout, bytes, 256);
  if (!node) return NULL;
  node->stamp = stamp_of(node, seed);
  fill(node, seed, words);
  return node;
}

void wild_build(struct worker *w, struct seat *seat) {
  unsigned slot = below(w, SLOTS);
  uint32_t length = 1 + below(w, below(w, 16) ? 8 : 300), seed = random_next(&w->seed);
  seat->held[slot] = NULL;
  seat->shadow[slot].length = 0;
  seat->shadow[slot].seed = seed;
  seat->shadow[slot].told = false;
  for (uint32_t i = 0; i < length; i++) {
    struct node *node = make(w, seat, seed + i);
    if (!node) return;
    tide_write(seat->m, node, &node->next, seat->held[slot]);
    seat->held[slot] = node;
    seat->shadow[slot].length++;
  }
}

void wild_check(const struct seat *seat, unsigned slot) {
  const struct node *node = seat->held[slot];
  for (uint32_t i = seat->shadow[slot].length; i > 0; i--, node = node->next)
    check_node(node, seat->shadow[slot].seed + i - 1);
  CHECK(!node);
}

void wild_check_all(const struct seat *seat) {
  for (unsigned slot = 0; slot < SLOTS; slot++)
    wild_check(seat, slot);
}

static void *tell_of(struct worker *w, struct seat *seat) {
  unsigned slot = below(w, SLOTS);
  seat->shadow[slot].told = true;
  return seat->held[slot];
}

/* The first object of a chain is freed, moved or made longer. */
void wild_change(struct worker *w, struct seat *seat) {
  unsigned slot = below(w, SLOTS);
  struct node *node = seat->held[slot];
  if (!node || seat->shadow[slot].told) return;
  uint32_t seed = seat->shadow[slot].seed + seat->shadow[slot].length - 1;
  seat->spare = node;
  size_t words = below(w, 4) ? below(w, 64) : below(w, 9000);
  size_t bytes = sizeof *node + words * sizeof(uintptr_t);
  switch (below(w, 3)) {
  case 0: /* nothing else may refer to it */
    seat->held[slot] = node->next;
    seat->shadow[slot].length--;
    seat->spare = NULL;
    CHECK(tide_free(seat->m, node) == TIDE_OK);
    return;
  case 1:
    if (tide_resize_in_place(seat->m, node, bytes)) fill(node, seed, words);
    break;
  default:
    tide_stop_hold(seat->m);
    seat->held[slot] = NULL;
    seat->spare = NULL;
    struct node *moved = tide_object_replace(seat->m, node, bytes);
    seat->held[slot] = moved ? moved : node;
    if (moved) {
      moved->stamp = stamp_of(moved, seed);
      fill(moved, seed, words);
    }
    tide_stop_release(seat->m);
  }
  seat->spare = NULL;
}

/* ---- Weak things ---- */

static void use_table(struct worker *w, struct seat *seat) {
  if (!seat->table) seat->table = tide_weak_table_new(seat->m);
  if (!seat->table) return;
  for (unsigned slot = 0; slot < SLOTS; slot++) {
    void *key = seat->held[slot];
    if (!key) continue;
    seat->spare = tide_weak_table_get(seat->m, seat->table, key);
    if (seat->spare) CHECK(tide_object_bytes(seat->place->heap, seat->spare) > 0);
    seat->shadow[slot].told = true;
    tide_weak_table_put(seat->m, seat->table, key, tell_of(w, seat));
  }
  seat->spare = NULL;
  tide_weak_table_count(seat->m, seat->table);
}

void wild_weak(struct worker *w, struct seat *seat) {
  struct tide_mutator *m = seat->m;
  void *target = tell_of(w, seat);
  switch (below(w, 4)) {
  case 0:
    if (seat->weak) (void)tide_weak_get(m, seat->weak);
    seat->weak = tide_weak_new(m, target, (enum tide_weak_kind)below(w, 2));
    if (seat->weak) CHECK(tide_weak_get(m, seat->weak) == target);
    break;
  case 1:
    if (seat->ephemeron) tide_ephemeron_set(m, seat->ephemeron, tell_of(w, seat));
    seat->ephemeron = tide_ephemeron_new(m, target, tell_of(w, seat));
    break;
  case 2:
    use_table(w, seat);
    break;
  default:
    seat->weak = seat->ephemeron = seat->table = NULL;
  }
}

/* ---- Finalizers ---- */

/* Makes things, collects, comes back. */
static void finalize(void *object, void *context) {
  struct tide_heap *heap = context;
  struct tide_mutator *m = tide_current(heap);
  uint64_t number = atomic_fetch_add_explicit(&wild_finalized, 1, memory_order_relaxed);
  size_t scope = tide_scope_open(m);
  if (scope == SIZE_MAX) return;
  struct node *node = object;
  tide_handle(m, object);
  CHECK(node->stamp % 16 == 1);
  if (number % 4 == 0) tide_finalizer_add(m, object, finalize, context);
  if (number % 64 == 1) tide_collect(m);
  if (number % 8 == 2) tide_finalizers_run(m, 2);
  void *fresh = tide_alloc(m, TIDE_LAYOUT_LEAF, 64);
  if (fresh) tide_handle(m, fresh);
  CHECK(tide_scope_close(m, scope) == TIDE_OK);
}

void wild_finalizers(struct worker *w, struct seat *seat) {
  void *object = tell_of(w, seat);
  struct tide_heap *heap = seat->place->heap;
  struct tide_finalizer_entry entry = {finalize, heap, (enum tide_finalizer_order)below(w, 4)};
  switch (below(w, 6)) {
  case 0:
    tide_finalizer_add(seat->m, object, finalize, heap);
    break;
  case 1:
    tide_finalizer_set(seat->m, object, below(w, 4) ? &entry : NULL, NULL);
    break;
  case 2:
    seat->spare = tide_finalizer_take(seat->m, &entry);
    if (seat->spare) entry.call(seat->spare, entry.context);
    seat->spare = NULL;
    break;
  case 3:
    if (below(w, 16) == 0) tide_finalizers_queue_all(seat->m, NULL);
    break;
  default:
    tide_finalizers_run(seat->m, below(w, 10));
  }
}

void wild_handles(struct worker *w, struct seat *seat) {
  size_t scope = tide_scope_open(seat->m);
  if (scope == SIZE_MAX) return;
  void **handle[20];
  for (unsigned i = 0; i < 20; i++)
    handle[i] = tide_handle(seat->m, make(w, seat, i));
  if (below(w, 8) == 0) tide_collect(seat->m);
  for (unsigned i = 0; i < 20; i++)
    if (handle[i] && *handle[i]) check_node(*handle[i], i);
  CHECK(tide_scope_close(seat->m, scope) == TIDE_OK);
}
