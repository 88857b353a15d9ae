/* SPDX-License-Identifier: MIT */
/* Random programs against a shadow of the heap: after every collection, young or full, the heap
 * must hold exactly what the shadow says, slot by slot. Young collections under every engine, with
 * one marker and several; some that the program asks for, some that the heap decides on.
 *
 *   young_oracle [--operations N] [--seed S] [--engine NAME] [--markers N] [--mutant NAME]
 *                [--faulty 1] [--concurrent 1]
 *
 * With --concurrent 1 full collections go on beside the program, and may leave more.
 * With --faulty 1 the library errs (faults.c), and the difference must be found.
 * With a mutant, the program errs in that way, and the difference must be found:
 *   forget      some stores have no barrier
 *   other       the barrier is told of a slot some pages away
 *   early       a collection comes between the barrier and the store
 *   log         nothing is logged, because the program never says anything */
#include "tests/young/shadow.h"
#include "tide/advanced.h"

#define ALIVE_MOST 400u
#define ERRING_RUNS 4u
#define SEED_STEP 1000u

enum mutant { NONE, FORGET, OTHER, EARLY, LOG };
static const char *const mutants[] = {"none", "forget", "other", "early", "log"};

struct setting {
  uint64_t operations;
  uint32_t seed;
  const char *engine;
  unsigned markers;
  enum mutant mutant;
  bool faulty, concurrent;
};

struct run {
  struct shadow s;
  uint32_t random;
  enum mutant mutant;
  uint64_t seen; /* collections that were compared */
};

static uint32_t below(struct run *r, uint32_t bound) {
  return random_next(&r->random) % bound;
}

/* ---- Collections ---- */

/* After anything that may have collected. If an allocation collects twice, the second collection is
 * a full one, and what it leaves does not depend on the first. */
static void catch_up(struct run *r, void *fresh) {
  const struct tide_heap_stats heap = stats_of(r->s.heap);
  if (heap.collections == r->seen) return;
  const struct tide_cycle_stats cycle = cycle_of(r->s.heap);
  CHECK(r->s.concurrent || heap.collections == r->seen + 1 || cycle.kind == TIDE_CYCLE_FULL);
  r->seen = heap.collections;
  r->s.fresh = fresh;
  shadow_collected(&r->s, cycle.kind);
  r->s.fresh = NULL;
}

static void collect(struct run *r) {
  bool full = below(r, 4) == 0;
  CHECK((!full             ? tide_collect_young
         : r->s.concurrent ? tide_collect_begin
                           : tide_collect)(r->s.m) == TIDE_OK);
  catch_up(r, NULL);
}

/* ---- Operations ---- */

/* An object that is reached, or 0. */
static uint32_t pick(struct run *r) {
  uint32_t number = r->s.root[below(r, ROOTS)];
  for (uint32_t steps = below(r, 6); steps > 0; steps--) {
    const struct node *node = &r->s.node[number];
    uint32_t next = node->count ? node->slot[below(r, node->count)] : 0;
    if (next) number = next;
  }
  return number;
}

/* Few objects are long. */
static uint32_t slots_of(struct run *r, enum shape shape) {
  uint32_t few = 1 + below(r, 12), dice = below(r, 64);
  if (shape == PAIR) return 2;
  if (shape == BITMAP_LONG) return 50;
  if (shape == LEAF) return 0;
  if (shape == REPEATED)
    return 2 * (dice == 0 ? 2000 + below(r, 2000) : dice < 6 ? 180 + below(r, 200) : few);
  return dice == 0 ? 4200 + below(r, 9000) : dice < 6 ? 500 + below(r, 700) : few;
}

static size_t bytes_of(enum shape shape, uint32_t slots) {
  if (shape == REPEATED) return slots / 2 * 24;
  return ((size_t)slots + (shape == PREFIXED ? 2 : shape == TRACED)) * 8;
}

static void *allocate(struct run *r, enum shape shape, uint32_t slots) {
  tide_layout layout = r->s.layout[shape];
  if (shape == REPEATED) return tide_alloc_array(r->s.m, layout, slots / 2, 24);
  size_t bytes = shape == PAIR          ? 24
                 : shape == LEAF        ? 8 + 8 * below(r, 20)
                 : shape == BITMAP_LONG ? 800
                                        : bytes_of(shape, slots);
  return tide_alloc(r->s.m, layout, bytes);
}

static uint32_t make_weak(struct run *r, enum shape shape) {
  uint32_t key = pick(r), value = pick(r);
  void *at = (void *)r->s.node[key].at, *held = (void *)r->s.node[value].at, *made;
  if (shape == WEAK)
    made = tide_weak_new(r->s.m, at, below(r, 2) ? TIDE_WEAK_BEFORE : TIDE_WEAK_AFTER);
  else
    made = tide_ephemeron_new(r->s.m, at, held);
  catch_up(r, made);
  uint32_t number = shadow_add(&r->s, shape, made, shape == WEAK ? 1 : 2);
  r->s.node[number].slot[0] = key;
  if (shape == EPHEMERON) r->s.node[number].slot[1] = value;
  return number;
}

/* A fresh object's first stores need no barrier. */
static uint32_t make(struct run *r) {
  enum shape shape = (enum shape)below(r, r->s.concurrent ? WEAK : SHAPES);
  if (shape == WEAK || shape == EPHEMERON) return make_weak(r, shape);
  uint32_t slots = slots_of(r, shape);
  void *object = allocate(r, shape, slots);
  catch_up(r, object);
  uint32_t number = shadow_add(&r->s, shape, object, slots);
  for (uint32_t i = 0; i < slots && i < 8; i++) {
    uint32_t value = pick(r), at = below(r, slots);
    r->s.node[number].slot[at] = value;
    *shadow_slot(&r->s, number, at) = (void *)r->s.node[value].at;
  }
  return number;
}

/* What the program should have done with tide_write. */
static void err(struct run *r, void *object, void **slot, void *value) {
  if (r->mutant == OTHER) tide_write_begin(r->s.m, object, slot - 600, 1);
  if (r->mutant == EARLY) {
    tide_write_begin(r->s.m, object, slot, 1);
    CHECK(tide_collect_young(r->s.m) == TIDE_OK);
    catch_up(r, NULL);
  }
  *slot = value;
}

static void write_value(struct run *r, uint32_t number, uint32_t index, uint32_t value) {
  struct node *node = &r->s.node[number];
  void *object = (void *)node->at, *to = (void *)r->s.node[value].at;
  node->slot[index] = value;
  if (node->shape == EPHEMERON) {
    tide_ephemeron_set(r->s.m, object, to);
    return;
  }
  bool errs = r->mutant == LOG || (r->mutant == OTHER && index >= 600) ||
              ((r->mutant == FORGET || r->mutant == EARLY) && below(r, 16) == 0);
  if (errs)
    err(r, object, shadow_slot(&r->s, number, index), to);
  else
    tide_write(r->s.m, object, shadow_slot(&r->s, number, index), to);
}

static void write_some(struct run *r, uint32_t value) {
  uint32_t number = pick(r);
  const struct node *node = &r->s.node[number];
  if (!number || !node->count || node->shape == WEAK) return;
  if (node->shape == EPHEMERON && !node->slot[0]) return;
  write_value(r, number, node->shape == EPHEMERON ? 1 : below(r, node->count), value);
}

static void write_range(struct run *r) {
  uint32_t number = pick(r), values[40];
  struct node *node = &r->s.node[number];
  void *words[40];
  if (!number || r->mutant) return;
  if (node->shape != REFS && node->shape != PREFIXED && node->shape != CONSERVATIVE) return;
  uint32_t count = 1 + below(r, node->count < 40 ? node->count : 40);
  uint32_t at = below(r, node->count - count + 1);
  for (uint32_t i = 0; i < count; i++) {
    values[i] = pick(r);
    words[i] = (void *)r->s.node[values[i]].at;
  }
  memcpy(&node->slot[at], values, count * sizeof *values);
  tide_write_range(r->s.m, (void *)node->at, shadow_slot(&r->s, number, at), words, count);
}

/* Makes nothing refer to the object. Returns false if something weak does. */
static bool cut(struct run *r, uint32_t number) {
  for (int weak = 1; weak >= 0; weak--)
    for (uint32_t i = 1; i < r->s.count; i++) {
      const struct node *node = &r->s.node[i];
      if (!node->lives || (node->shape >= WEAK) != weak) continue;
      for (uint32_t k = 0; k < node->count; k++) {
        if (node->slot[k] != number) continue;
        if (weak) return false;
        write_value(r, i, k, 0);
      }
    }
  for (unsigned i = 0; i < ROOTS; i++)
    if (r->s.root[i] == number) shadow_set_root(&r->s, i, 0);
  return true;
}

/* Frees an object, and then some that lie before it: a run takes back what ends where it begins. */
static void free_some(struct run *r, uint32_t number) {
  if (r->mutant) return;
  for (uint32_t left = 1 + below(r, 8); number && left > 0; left--) {
    uintptr_t at = r->s.node[number].at;
    if (r->s.concurrent) shadow_settle(&r->s);
    if (!r->s.node[number].lives || r->s.node[number].shape >= WEAK || !cut(r, number)) return;
    shadow_free(&r->s, number);
    number = shadow_before(&r->s, at);
  }
}

/* An object that takes pages of its own, or any. */
static uint32_t pick_long(struct run *r) {
  uint32_t from = below(r, r->s.count);
  for (uint32_t i = 0; i < r->s.count; i++) {
    uint32_t number = (from + i) % r->s.count;
    if (r->s.node[number].lives && r->s.node[number].count > 4096) return number;
  }
  return pick(r);
}

/* A young object hangs in a slot that is left, and nowhere else. */
static void resize(struct run *r) {
  if (r->mutant) return;
  uint32_t fresh = make(r), root = below(r, ROOTS);
  shadow_set_root(&r->s, root, fresh);
  if (r->s.concurrent) shadow_settle(&r->s);
  uint32_t number = below(r, 4) ? pick_long(r) : pick(r);
  const struct node *node = &r->s.node[number];
  if (node->shape < REFS || node->shape > TRACED || node->shape == BITMAP_LONG) return;
  if (!node->count) return;
  uint32_t slots = 2 * (1 + below(r, 8)) + (below(r, 2) ? node->count & ~1u : 0);
  write_value(r, number, below(r, node->count < slots ? node->count : slots), fresh);
  shadow_set_root(&r->s, root, 0);
  for (uint32_t i = slots; i < node->count; i++)
    if (node->slot[i]) write_value(r, number, i, 0);
  if (tide_resize_in_place(r->s.m, (void *)node->at, bytes_of(node->shape, slots)))
    shadow_resize(&r->s, number, slots);
  else
    CHECK(slots > node->count);
}

/* Lets a part of what is reached go, before there is too much of it. */
static void let_go(struct run *r) {
  for (unsigned i = 0; i < ROOTS; i++)
    if (below(r, 2)) shadow_set_root(&r->s, i, 0);
}

static void step(struct run *r) {
  uint32_t dice = below(r, 100);
  if (r->s.alive > ALIVE_MOST && dice == 99) let_go(r);
  if (dice < 40) {
    uint32_t fresh = make(r);
    if (dice >= 8 && below(r, 3) == 0)
      write_some(r, fresh);
    else
      shadow_set_root(&r->s, below(r, ROOTS), fresh);
    if (dice < 8) free_some(r, fresh);
  } else if (dice < 76) {
    write_some(r, pick(r));
  } else if (dice < 78) {
    free_some(r, pick(r));
  } else if (dice < 80) {
    resize(r);
  } else if (dice < 88) {
    write_range(r);
  } else if (dice < 98) {
    shadow_set_root(&r->s, below(r, ROOTS), below(r, 2) ? pick(r) : 0);
  } else {
    collect(r);
  }
}

/* ---- Runs ---- */

static const char *run(const struct setting *setting, uint64_t *collections) {
  struct tide_heap *heap =
      HEAP(.advanced = ADVANCED(.engine = setting->engine), .markers = setting->markers,
           .write_barrier = true, .concurrent = setting->concurrent,
           .heap_max_bytes = (size_t)256 << 20);
  if (setting->concurrent) CHECK(tide_heap_set_young(heap, TIDE_YOUNG_ALWAYS) == TIDE_OK);
  struct tide_mutator *m = ATTACH(heap, .stack = TIDE_STACK_PRECISE);
  static struct run r;
  r = (struct run){.random = setting->seed * 2654435761u | 1u, .mutant = setting->mutant};
  shadow_open(&r.s, heap, m, setting->concurrent);
  for (uint64_t i = 0; i < setting->operations && !r.s.difference; i++)
    step(&r);
  const char *difference = r.s.difference;
  *collections = r.s.collections;
  shadow_close(&r.s);
  heap_end(heap, m);
  return difference;
}

/* What the heap decides depends on time, and some runs never come to where an error shows. So an
 * error has several runs to be found in. */
static bool passes(struct setting *setting) {
  uint64_t collections;
  const bool errs = setting->mutant != NONE || setting->faulty;
  const char *difference = run(setting, &collections);
  for (unsigned more = 1; more < ERRING_RUNS && errs && !difference; more++) {
    setting->seed += SEED_STEP;
    difference = run(setting, &collections);
  }
  bool good = (difference != NULL) == errs;
  printf("%s, %u markers, seed %u, mutant %s: %" PRIu64 " collections, %s%s%s\n", setting->engine,
         setting->markers, setting->seed, mutants[setting->mutant], collections,
         difference ? "differs: " : "all as expected", difference ? difference : "",
         good ? "" : " (WRONG)");
  fflush(stdout); /* runs may be long */
  return good;
}

int main(int count, char **arguments) {
  double operations = 3000, seed = 1, only = 0, faulty = 0, concurrent = 0;
  const char *wanted = NULL, *mutant = mutants[NONE];
  const struct number_option options[] = {{"--operations", &operations, 0, 1e12, NULL},
                                          {"--seed", &seed, 0, UINT32_MAX, NULL},
                                          {"--engine", .word = &wanted},
                                          {"--markers", &only, 1, 4, NULL},
                                          {"--mutant", .word = &mutant},
                                          {"--faulty", &faulty, 0, 1, NULL},
                                          {"--concurrent", &concurrent, 0, 1, NULL},
                                          {.name = NULL}};
  read_options(count, arguments, options);
  struct setting given = {(uint64_t)operations, .faulty = faulty != 0,
                          .concurrent = concurrent != 0};
  while (strcmp(mutants[given.mutant], mutant) != 0)
    CHECK(given.mutant++ < LOG);
  bool good = true;
  for (size_t e = 0; (given.engine = tide_engine_name(e)); e++) {
    if (wanted && strcmp(given.engine, wanted) != 0) continue;
    for (unsigned markers = 1; markers <= 4; markers *= 2) {
      if (only != 0 && markers != (unsigned)only) continue;
      if (markers > 1 && strcmp(given.engine, "serial") == 0) continue;
      struct setting s = given;
      s.markers = markers;
      s.seed = (uint32_t)seed + markers + 16 * (uint32_t)e;
      good &= passes(&s);
    }
  }
  return good ? 0 : 1;
}
