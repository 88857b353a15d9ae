/* SPDX-License-Identifier: MIT */
/* A service with a large cache in memory: requests allocate strings, lists and maps that they drop,
 * read many entries of the cache, and replace one now and then. Nearly all that is allocated dies
 * at once, and nearly all that lives stays. */
#include "bench/gcbench/child/work.h"

#include <string.h>

#define ITEMS_PER_ENTRY 8u
#define ENTRY_BYTES 800u /* of the cache, about: the entry, its items and their texts */
#define ITEMS_PER_REQUEST 60u
#define READS_PER_REQUEST 20u
#define REQUESTS_PER_WRITE 8u
#define TEXT_BYTES_MIN 16u
#define TEXT_BYTES_RANGE 64u
#define MAP_SLOTS 16u

struct text {
  uint32_t length;
  char bytes[];
};
struct item {
  struct item *next;
  struct text *text;
  uint64_t number;
};
struct entry {
  struct item *items;
  struct text *name;
  struct entry *unused; /* the kind has three references */
  uint64_t key;
};
struct service {
  struct entry **entries;
  uint32_t count;
  uint64_t state;
};

static struct text *text_new(struct memory *memory, uint64_t *state) {
  uint32_t length = TEXT_BYTES_MIN + gcbench_below(state, TEXT_BYTES_RANGE);
  struct text *text = memory_new(memory, MEMORY_LEAF, sizeof *text + length);
  text->length = length;
  memset(text->bytes, (int)(length & 0x7f), length);
  return text;
}

static struct item *item_new(struct memory *memory, struct item *next, uint64_t *state) {
  struct text *text = text_new(memory, state);
  struct item *item = memory_new(memory, MEMORY_TREE, sizeof *item);
  *item = (struct item){.next = next, .text = text, .number = text->length};
  return item;
}

static struct item *items_new(struct memory *memory, unsigned count, uint64_t *state) {
  struct item *items = NULL;
  while (count-- > 0)
    items = item_new(memory, items, state);
  return items;
}

static void items_free(struct memory *memory, struct item *items) {
  if (MEMORY_COLLECTS) return;
  for (struct item *item = items, *next; item; item = next) {
    next = item->next;
    memory_free(memory, item->text);
    memory_free(memory, item);
  }
}

static uint64_t add_up(const struct item *items) {
  uint64_t sum = 0;
  for (const struct item *item = items; item; item = item->next)
    sum += item->number + (unsigned char)item->text->bytes[0];
  return sum;
}

/* The request's own items, by their numbers, in a map that it drops with them. */
static uint64_t use_map(struct memory *memory, struct item *items) {
  struct item **map = memory_new_zeroed(memory, MEMORY_REFS, MAP_SLOTS * sizeof *map);
  uint64_t found = 0;
  for (struct item *item = items; item; item = item->next) {
    struct item **slot = &map[item->number % MAP_SLOTS];
    found += *slot != NULL;
    memory_write(memory, map, slot, item);
  }
  memory_free(memory, map);
  return found;
}

static void replace(struct memory *memory, struct service *service, uint32_t at) {
  struct entry *entry = service->entries[at];
  struct item *before = entry->items;
  struct item *items = items_new(memory, ITEMS_PER_ENTRY, &service->state);
  memory_write(memory, entry, &entry->items, items);
  items_free(memory, before);
}

static uint64_t request(struct memory *memory, struct service *service, uint64_t number) {
  struct item *items = items_new(memory, ITEMS_PER_REQUEST, &service->state);
  uint64_t sum = add_up(items) + use_map(memory, items);
  for (unsigned i = 0; i < READS_PER_REQUEST; i++)
    sum += add_up(service->entries[gcbench_below(&service->state, service->count)]->items);
  if (number % REQUESTS_PER_WRITE == 0)
    replace(memory, service, gcbench_below(&service->state, service->count));
  items_free(memory, items);
  return sum;
}

static void fill(struct memory *memory, struct service *service) {
  for (uint32_t i = 0; i < service->count; i++) {
    struct item *items = items_new(memory, ITEMS_PER_ENTRY, &service->state);
    struct text *name = text_new(memory, &service->state);
    struct entry *entry = memory_new(memory, MEMORY_NODE, sizeof *entry);
    *entry = (struct entry){.items = items, .name = name, .key = i};
    memory_write(memory, service->entries, &service->entries[i], entry);
  }
}

static void empty(struct memory *memory, struct service *service) {
  for (uint32_t i = 0; !MEMORY_COLLECTS && i < service->count; i++) {
    items_free(memory, service->entries[i]->items);
    memory_free(memory, service->entries[i]->name);
    memory_free(memory, service->entries[i]);
  }
  memory_free(memory, service->entries);
}

uint64_t gcbench_work_service(struct memory *memory, const struct gcbench_share *share) {
  struct service service = {.state = gcbench_seed(share),
                            .count = (uint32_t)(share->live_bytes / ENTRY_BYTES / share->mutators)};
  if (service.count == 0) service.count = 1;
  service.entries = memory_new_zeroed(memory, MEMORY_REFS, service.count * sizeof(struct entry *));
  fill(memory, &service);
  uint64_t sum = 0, requests = gcbench_part(share, share->operations / 10);
  for (uint64_t i = 0; i < requests; i++)
    sum += request(memory, &service, i);
  empty(memory, &service);
  return sum;
}
