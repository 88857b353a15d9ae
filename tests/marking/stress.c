/* SPDX-License-Identifier: MIT */
/* Random graphs, engines, policies, capacities and numbers of markers, for seconds or for hours;
 * every collection is verified.
 *
 *   stress --seconds N|--runs N [--seed N] [--markers N] [--least N]
 *
 * A run is a collection. Each has from `least` (1) to `markers` (4) markers, however small the heap
 * is and however few CPUs there are.
 *
 * Prints what was done. Exit status: 0 all marks were right, 1 one was wrong (stderr says where
 * and with which seed), 2 usage. */
#include "tests/marking/mixed.h"
#include "tests/marking/regions.h"

static const uint32_t capacities[][2] = {{0, 0}, {2, 2}, {2, 4}, {4, 8}, {16, 16}, {2, 64}};
#define MANY_MARKERS 16
#define CAPACITIES (sizeof capacities / sizeof *capacities)

struct totals {
  uint64_t heaps, collections, objects, duplicates, steals, overflows, parks, recruited;
};

static const char *any_engine(uint32_t *random, unsigned markers) {
  for (;;) {
    const char *name = rig_engine_of(random_next(random));
    if (rig_engine_may(name, markers)) return name;
  }
}

static void add(struct totals *t, const struct rig *r) {
  t->collections++;
  t->objects += r->marked;
  t->duplicates += r->cycle.objects - r->marked;
  t->steals += r->cycle.steals;
  if (r->cycle.recruited > t->recruited) t->recruited = r->cycle.recruited;
  for (unsigned i = 0; i < r->cycle.markers; i++) {
    t->overflows += r->marker[i].overflows;
    t->parks += r->marker[i].parks;
  }
}

/* One heap: a graph, some collections with changes in between, then most of it let go. */
static void one_heap(uint32_t *random, unsigned least, unsigned most_markers,
                     struct totals *totals) {
  static struct rig r; /* large */
  char what[64];
  uint32_t seed = *random, c = random_next(random) % CAPACITIES;
  snprintf(what, sizeof what, "stress --seed %u, capacity %u x %u", seed, capacities[c][0],
           capacities[c][1]);
  rig_open(&r, (size_t)512 << 20, capacities[c][0], capacities[c][1]);
  struct mixed g;
  uint32_t most = 1u << (4 + random_next(random) % 10); /* 16 to 8192, */
  if (least >= MANY_MARKERS) most <<= 4;                /* or work for many */
  uint32_t count = 1 + random_next(random) % most;
  mixed_build(&g, &r, random_next(random), count, 1 + random_next(random) % count);
  for (unsigned round = 0; round < 6; round++) {
    unsigned markers = least + random_next(random) % (most_markers - least + 1);
    rig_configure(&r, any_engine(random, markers), markers);
    rig_choose_policy(&r, random_next(random));
    if (round == 4) mixed_let_go(&g);
    for (uint32_t i = 0; g.object && i < count / 8; i++)
      mixed_link(&g, random_next(random) % count);
    rig_collect(&r, what);
    add(totals, &r);
  }
  mixed_free(&g);
  CHECK(rig_collect(&r, what) == 0);
  rig_close(&r);
  totals->heaps++;
}

int main(int count, char **arguments) {
  double seconds = 0, runs = 0, seed = 2463534242u, markers = 4, least = 1;
  const struct number_option options[] = {{"--seconds", &seconds, 1, 1e9, NULL},
                                          {"--runs", &runs, 1, 1e15, NULL},
                                          {"--seed", &seed, 1, UINT32_MAX, NULL},
                                          {"--markers", &markers, 1, TIDE_MARKERS_MAX, NULL},
                                          {"--least", &least, 1, TIDE_MARKERS_MAX, NULL},
                                          {.name = NULL}};
  read_options(count, arguments, options);
  if ((seconds == 0) == (runs == 0) || least > markers) {
    fprintf(stderr, "stress: one of --seconds and --runs; --least is no more than --markers\n");
    return 2;
  }
  struct totals t = {0};
  uint32_t random = (uint32_t)seed;
  const uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
  do
    one_heap(&random, (unsigned)least, (unsigned)markers, &t);
  while (runs != 0 ? t.collections < runs : now_ns() < end);
  printf("%" PRIu64 " heaps, %" PRIu64 " collections verified, %" PRIu64 " objects, %" PRIu64
         " duplicates, %" PRIu64 " steals, %" PRIu64 " overflows, %" PRIu64
         " parks, at most %" PRIu64 " took part\n",
         t.heaps, t.collections, t.objects, t.duplicates, t.steals, t.overflows, t.parks,
         t.recruited);
  return 0;
}
