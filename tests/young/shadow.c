/* SPDX-License-Identifier: MIT */
#include "tests/young/shadow.h"

static void trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  tide_trace_range(tracer, (void *const *)object + 1, bytes / sizeof(void *) - 1);
}

static void make_layouts(struct shadow *s) {
  size_t offsets[] = {0, 8};
  uint64_t bits[2] = {UINT64_C(0x5555555555555555), UINT64_C(0x555555555)};
  s->layout[PAIR] = s->layout[REPEATED] = tide_layout_offsets(s->heap, 24, offsets, 2, NULL);
  s->layout[REFS] = TIDE_LAYOUT_REFS;
  s->layout[PREFIXED] = tide_layout_prefixed(s->heap, 2, NULL);
  s->layout[BITMAP_LONG] = tide_layout_bitmap(s->heap, bits, 100, NULL);
  s->layout[CONSERVATIVE] = TIDE_LAYOUT_CONSERVATIVE;
  s->layout[TRACED] = (s->concurrent ? tide_layout_traced_concurrent
                                     : tide_layout_traced)(s->heap, trace, NULL, NULL);
  s->layout[LEAF] = TIDE_LAYOUT_LEAF;
}

void shadow_open(struct shadow *s, struct tide_heap *heap, struct tide_mutator *m,
                 bool concurrent) {
  *s = (struct shadow){
      .heap = heap, .m = m, .concurrent = concurrent, .count = 1, .capacity = 1 << 16};
  s->node = calloc(s->capacity, sizeof *s->node);
  s->list = calloc(s->capacity, sizeof *s->list);
  CHECK(s->node && s->list);
  make_layouts(s);
  CHECK(tide_root_add_range(heap, s->cell, 20) == TIDE_OK);
  CHECK(tide_root_add(heap, &s->fresh) == TIDE_OK);
  for (unsigned i = 20; i < 40; i++)
    CHECK(tide_root_add(heap, &s->cell[i]) == TIDE_OK);
  CHECK(tide_root_add_conservative(heap, &s->cell[40], 16 * sizeof(void *)) == TIDE_OK);
  for (unsigned i = 56; i < ROOTS; i++)
    CHECK((s->handle[i] = tide_handle(m, NULL)) != NULL);
}

void shadow_close(struct shadow *s) {
  for (uint32_t i = 0; i < s->count; i++)
    free(s->node[i].slot);
  free(s->node);
  free(s->list);
}

void **shadow_slot(const struct shadow *s, uint32_t number, uint32_t index) {
  const enum shape shape = s->node[number].shape;
  if (shape == REPEATED) index += index / 2;
  if (shape == BITMAP_LONG) index *= 2;
  return (void **)s->node[number].at + index + (shape == PREFIXED ? 2 : shape == TRACED);
}

uint32_t shadow_add(struct shadow *s, enum shape shape, void *object, uint32_t slots) {
  uint32_t number = s->free;
  if (number)
    s->free = s->node[number].count;
  else
    CHECK((number = s->count++) < s->capacity);
  struct node *node = &s->node[number];
  uint32_t *slot = slots ? calloc(slots, sizeof *slot) : NULL;
  CHECK(object && (slot || !slots));
  *node = (struct node){(uintptr_t)object, shape, true, .count = slots, .slot = slot};
  for (uint32_t i = 0; i < s->freed_count; i++)
    node->may_be_old |= s->freed[i] == node->at;
  if (shape == LEAF) *(uint64_t *)object = number;
  if (shape == PAIR) ((uint64_t *)object)[2] = number;
  return number;
}

static void forget(struct shadow *s, uint32_t number) {
  free(s->node[number].slot);
  s->node[number] = (struct node){.count = s->free};
  s->free = number;
}

void shadow_free(struct shadow *s, uint32_t number) {
  const struct node *node = &s->node[number];
  CHECK(tide_free(s->m, (void *)node->at) == TIDE_OK && s->freed_count < FREED_MOST);
  if (node->old || node->may_be_old) s->freed[s->freed_count++] = node->at;
  forget(s, number);
}

void shadow_resize(struct shadow *s, uint32_t number, uint32_t slots) {
  struct node *node = &s->node[number];
  CHECK((node->slot = realloc(node->slot, slots * sizeof *node->slot)) != NULL);
  for (; node->count < slots; node->count++)
    node->slot[node->count] = 0;
  node->count = slots;
}

uint32_t shadow_before(const struct shadow *s, uintptr_t at) {
  for (uint32_t i = 1; i < s->count; i++) {
    const struct node *node = &s->node[i];
    if (node->lives && node->at + tide_object_bytes(s->heap, (void *)node->at) == at) return i;
  }
  return 0;
}

static void **cell_of(struct shadow *s, uint32_t root) {
  return s->handle[root] ? s->handle[root] : &s->cell[root];
}

void shadow_set_root(struct shadow *s, uint32_t root, uint32_t number) {
  s->root[root] = number;
  *cell_of(s, root) = (void *)s->node[number].at;
}

/* ---- What a collection ought to leave ---- */

static void see(struct shadow *s, uint32_t number) {
  if (number == 0 || s->node[number].seen) return;
  s->node[number].seen = true;
  s->list[s->listed++] = number;
}

static void follow_listed(struct shadow *s) {
  while (s->listed) {
    const struct node *node = &s->node[s->list[--s->listed]];
    for (uint32_t i = 0; node->shape != WEAK && node->shape != EPHEMERON && i < node->count; i++)
      see(s, node->slot[i]);
  }
}

static bool follow_ephemerons(struct shadow *s) {
  for (uint32_t i = 1; i < s->count; i++) {
    const struct node *node = &s->node[i];
    if (!node->lives || !node->seen || node->shape != EPHEMERON) continue;
    if (!node->slot[0] || s->node[node->slot[0]].seen) see(s, node->slot[1]); /* no key: for ever */
  }
  return s->listed > 0;
}

/* The fresh object may lie where another has died. */
static bool is_old(const struct shadow *s, const struct node *node) {
  const void *at = (const void *)node->at;
  return node->old || (node->may_be_old && at != s->fresh && tide_object_find(s->heap, at) == at);
}

/* Old objects count as alive in a young collection. */
static void find_alive(struct shadow *s, enum tide_cycle_kind kind) {
  for (uint32_t i = 1; i < s->count; i++)
    s->node[i].seen = false;
  for (uint32_t i = 1; i < s->count; i++)
    if (kind == TIDE_CYCLE_YOUNG && s->node[i].lives && is_old(s, &s->node[i])) see(s, i);
  for (unsigned i = 0; i < ROOTS; i++)
    see(s, s->root[i]);
  do
    follow_listed(s);
  while (follow_ephemerons(s));
}

static void bury(struct shadow *s) {
  for (uint32_t i = 1; i < s->count; i++) {
    struct node *node = &s->node[i];
    if (!node->lives) continue;
    if (!node->seen) {
      forget(s, i);
      continue;
    }
    node->old = true;
    bool clears = node->shape == WEAK || node->shape == EPHEMERON;
    if (clears && node->slot[0] && !s->node[node->slot[0]].seen)
      memset(node->slot, 0, node->count * sizeof *node->slot);
  }
}

void shadow_settle(struct shadow *s) {
  find_alive(s, TIDE_CYCLE_FULL);
  bury(s);
}

/* ---- Comparing ---- */

static void differ(struct shadow *s, const char *what) {
  if (!s->difference) s->difference = what;
}

static void compare_slots(struct shadow *s, uint32_t number) {
  const struct node *node = &s->node[number];
  if (node->shape == WEAK) {
    void *target = tide_weak_get(s->m, (struct tide_weak *)node->at);
    if (target != (void *)s->node[node->slot[0]].at) differ(s, "a weak reference");
    return;
  }
  if (node->shape == EPHEMERON) {
    struct tide_ephemeron *e = (struct tide_ephemeron *)node->at;
    if (tide_ephemeron_key(s->m, e) != (void *)s->node[node->slot[0]].at ||
        tide_ephemeron_value(s->m, e) != (void *)s->node[node->slot[1]].at)
      differ(s, "an ephemeron");
    return;
  }
  if ((node->shape == LEAF && *(uint64_t *)node->at != number) ||
      (node->shape == PAIR && ((uint64_t *)node->at)[2] != number))
    differ(s, "a number in an object");
  for (uint32_t i = 0; i < node->count; i++)
    if (*shadow_slot(s, number, i) != (void *)s->node[node->slot[i]].at)
      differ(s, "a slot of an object");
}

static bool meet(void *object, size_t bytes, tide_layout layout, void *context) {
  ++*(uint64_t *)context;
  return true;
}

void shadow_collected(struct shadow *s, enum tide_cycle_kind kind) {
  uint64_t expected = s->fresh != NULL;
  s->collections++;
  s->freed_count = 0;
  find_alive(s, s->concurrent ? TIDE_CYCLE_FULL : kind);
  bury(s);
  for (uint32_t i = 1; i < s->count; i++) {
    if (!s->node[i].lives) continue;
    expected++;
    if (tide_object_find(s->heap, (void *)s->node[i].at) != (void *)s->node[i].at)
      differ(s, "an object that is gone");
    else
      compare_slots(s, i);
  }
  uint64_t objects = 0;
  CHECK(tide_heap_walk(s->m, meet, &objects) == TIDE_OK);
  s->alive = expected;
  if (s->concurrent ? objects < expected : objects != expected) differ(s, "the number of objects");
}
