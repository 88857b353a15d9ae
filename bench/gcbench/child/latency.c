/* SPDX-License-Identifier: MIT */
/* A large map that stays the same size, and one small operation after another on it, each of them
 * timed: what a request waits for the collector. Entries are replaced at random, and references
 * between old records come and go, so that all that dies among the old objects dies far from its
 * neighbours. The program promises the write barrier for every store into an object that is not
 * fresh. Each mutator has a map of its own. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/cli/clock.h"
#include "bench/gcbench/child/halts.h"
#include "bench/gcbench/child/measured.h"

#define ENTRY_BYTES                                                                                \
  220u /* of the map, about: a node, a record, its bytes and the table's slots                     \
        */
#define BYTES_MIN 16u
#define BYTES_RANGE 224u
#define READS 4u
#define CELLS 8u
#define SCRATCH_BYTES 128u

/* A wait that is longer than this is a sleep, which ends this long before it is time. */
#define SLEEP_NS UINT64_C(200000)

struct record {
  struct record *link; /* to any other one */
  unsigned char *bytes;
  uint64_t length, key;
};
struct node {
  struct node *next;
  struct record *record;
  uint64_t key;
};
struct cell {
  struct cell *next;
  unsigned char *scratch;
  uint64_t number;
};
struct map {
  struct memory *memory;
  struct node **table;
  unsigned shift; /* from a hash to the table's index */
  uint32_t entries;
  uint64_t state;
  uint64_t seen; /* in all operations */
};

/* ---- The map --------------------------------------------------------------------------- */

static uint64_t slot_of(const struct map *map, uint64_t key) {
  return key * UINT64_C(0x9e3779b97f4a7c15) >> map->shift;
}

static struct record *find(const struct map *map, uint64_t key) {
  struct node *node = map->table[slot_of(map, key)];
  while (node && node->key != key)
    node = node->next;
  if (!node) gcbench_fail(1, "an entry of the map is lost");
  return node->record;
}

static struct record *find_any(struct map *map) {
  return find(map, gcbench_below(&map->state, map->entries));
}

static struct record *record_new(struct map *map, uint64_t key) {
  uint64_t length = BYTES_MIN + gcbench_below(&map->state, BYTES_RANGE);
  unsigned char *bytes = memory_new(map->memory, MEMORY_LEAF, length);
  memset(bytes, (int)(key & 0x7f), length);
  struct record *record = memory_new(map->memory, MEMORY_TREE, sizeof *record);
  *record = (struct record){.bytes = bytes, .length = length, .key = key};
  return record;
}

static void node_free(struct memory *memory, struct node *node) {
  if (MEMORY_COLLECTS) return;
  memory_free(memory, node->record->bytes);
  memory_free(memory, node->record);
  memory_free(memory, node);
}

/* Adds an entry, or replaces the one of the same key. */
static void put(struct map *map, uint64_t key) {
  struct record *record = record_new(map, key);
  struct node *node = memory_new(map->memory, MEMORY_TREE, sizeof *node);
  *node = (struct node){.record = record, .key = key};
  void *holder = map->table;
  struct node **slot = &map->table[slot_of(map, key)];
  for (; *slot && (*slot)->key != key; slot = &(*slot)->next)
    holder = *slot;
  struct node *old = *slot;
  if (old) {
    node->next = old->next;
    if (old->record->link) memory_write(map->memory, old->record, &old->record->link, NULL);
  }
  memory_write(map->memory, holder, slot, node);
  if (old) node_free(map->memory, old);
}

static void fill(struct map *map, const struct gcbench_share *share) {
  uint64_t entries = share->live_bytes / ENTRY_BYTES / share->mutators;
  if (entries > UINT32_MAX) gcbench_fail(2, "so large a map (--live) takes more mutators");
  map->entries = entries ? (uint32_t)entries : 1;
  unsigned bits = 1;
  while (UINT64_C(1) << bits < map->entries)
    bits++;
  map->shift = 64 - bits;
  map->table = memory_new_zeroed(map->memory, MEMORY_REFS, sizeof(struct node *) << bits);
  for (uint32_t key = 0; key < map->entries; key++)
    put(map, key);
}

/* Returns the sum of the keys, whatever was done to the map. */
static uint64_t empty(struct map *map) {
  uint64_t sum = 0, count = 0;
  for (uint64_t i = 0; i < UINT64_C(1) << (64 - map->shift); i++) {
    memory_poll(map->memory);
    for (struct node *node = map->table[i], *next; node; node = next) {
      const struct record *record = node->record;
      unsigned char byte = (unsigned char)(node->key & 0x7f);
      if (record->key != node->key || record->bytes[0] != byte ||
          record->bytes[record->length - 1] != byte)
        gcbench_fail(1, "an entry of the map is damaged");
      sum += node->key;
      count++;
      next = node->next;
      node_free(map->memory, node);
    }
  }
  if (count != map->entries) gcbench_fail(1, "the map has lost or gained entries");
  memory_free(map->memory, map->table);
  return sum;
}

/* ---- An operation ---------------------------------------------------------------------- */

/* Without a collector a link could dangle: there are none. */
static uint64_t relink(struct map *map) {
  struct record *from = find_any(map), *to = find_any(map);
  uint64_t sum = from->length + to->length;
  if (!MEMORY_COLLECTS) return sum;
  if (from->link) sum += from->link->length;
  memory_write(map->memory, from, &from->link, to);
  if (to->link) memory_write(map->memory, to, &to->link, NULL); /* no long chains */
  return sum;
}

static uint64_t use_cells(struct map *map) {
  struct memory *memory = map->memory;
  struct cell *cells = NULL;
  for (unsigned i = 0; i < CELLS; i++) {
    struct cell *cell = memory_new(memory, MEMORY_TREE, sizeof *cell);
    *cell = (struct cell){.next = cells, .number = gcbench_random(&map->state)};
    cells = cell;
  }
  unsigned char *scratch = memory_new(memory, MEMORY_LEAF, SCRATCH_BYTES);
  memset(scratch, 1, SCRATCH_BYTES);
  memory_write(memory, cells, &cells->scratch, scratch);
  uint64_t sum = 0;
  memory_free(memory, cells->scratch);
  for (struct cell *next; cells; cells = next) {
    sum += cells->number;
    next = cells->next;
    memory_free(memory, cells);
  }
  return sum;
}

static void operate(struct map *map) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < READS; i++) {
    const struct record *record = find_any(map);
    sum += record->bytes[0] + record->length;
  }
  put(map, gcbench_below(&map->state, map->entries));
  map->seen += sum + relink(map) + use_cells(map);
}

/* ---- Time ------------------------------------------------------------------------------ */

static void wait_until(struct memory *memory, uint64_t due_ns) {
  for (uint64_t now; (now = td_now_ns()) < due_ns;) {
    memory_poll(memory);
    if (due_ns - now <= SLEEP_NS) continue;
    uint64_t until = due_ns - SLEEP_NS;
    const struct timespec at = {.tv_sec = (time_t)(until / UINT64_C(1000000000)),
                                .tv_nsec = (long)(until % UINT64_C(1000000000))};
    memory_wait_begin(memory);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    memory_wait_end(memory);
  }
}

/* One operation after another. */
static uint64_t run_closed(struct map *map, const struct gcbench_share *share, uint64_t begin_ns,
                           struct td_latency *latency) {
  uint64_t operations = 0;
  struct gcbench_halts halts;
  gcbench_halts_begin(&halts);
  uint64_t now = halts.last_ns;
  while (now < begin_ns + share->run_ns) {
    uint64_t before = now;
    operate(map);
    now = td_now_ns();
    td_latency_add(latency, now - before);
    td_latency_add_own(latency, gcbench_halts_own_ns(&halts, before, &now));
    operations++;
  }
  gcbench_halts_end(&halts);
  return operations;
}

/* Operations are due at fixed times, and each one's time counts from there: who comes late because
 * the one before was slow, has waited. If they never catch up, there is an end all the same. */
static uint64_t run_open(struct map *map, const struct gcbench_share *share, uint64_t begin_ns,
                         struct td_latency *latency) {
  double every_ns = 1e9 / (double)share->rate; /* all mutators in turn */
  uint64_t operations = 0, end_ns = begin_ns + 2 * share->run_ns, now = begin_ns;
  while (now < end_ns) {
    uint64_t turn = operations * share->mutators + share->number;
    uint64_t since_ns = (uint64_t)((double)turn * every_ns);
    if (since_ns >= share->run_ns) break;
    wait_until(map->memory, begin_ns + since_ns);
    operate(map);
    now = td_now_ns();
    td_latency_add(latency, now - begin_ns - since_ns);
    operations++;
  }
  return operations;
}

uint64_t gcbench_work_latency(struct memory *memory, const struct gcbench_share *share) {
  struct map map = {.memory = memory, .state = gcbench_seed(share)};
  struct td_latency *latency = calloc(1, sizeof *latency); /* no place to look for references in */
  if (!latency) gcbench_out_of_memory();
  fill(&map, share);
  uint64_t begin_ns = gcbench_measured_begin(memory);
  uint64_t operations = (share->rate ? run_open : run_closed)(&map, share, begin_ns, latency);
  gcbench_measured_end(memory, operations, latency);
  free(latency);
  volatile uint64_t seen = map.seen; /* the compiler must think that somebody wants to know it */
  (void)seen;
  return empty(&map);
}
