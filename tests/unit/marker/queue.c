/* SPDX-License-Identifier: MIT */
/* One queue by itself, one thread: the contract of marker/queue/contract.h, at sizes from 2 x 2 up.
 * Compiled once for each queue. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include TD_QUEUE_HEADER

#include "marker/queue/list.h"
#include "tests/random.h"

#define Q(name) TD_QUEUE_JOIN(td_, TD_QUEUE, _##name)
#define ENTRY TD_QUEUE_JOIN(td_queue_entry_, TD_QUEUE, )
extern const struct td_queue_entry ENTRY;

/* The suite is called queue_bwos, and so on. */
#define QUEUE_TEST(name) TEST_OF(TD_QUEUE_JOIN(queue_, TD_QUEUE, ), name)
#define TEST_OF(suite, name) Test(suite, name)

static enum td_queue_order order(void) {
  return ENTRY.order;
}

/* Returns which of n items, put in order and numbered from 1, get number i returns. */
static uint64_t nth(uint64_t i, uint64_t n) {
  if (order() == TD_QUEUE_OLDEST) return i;
  if (order() == TD_QUEUE_NEXT) return i == 1 ? n : i - 1;
  return n + 1 - i;
}

struct box {
  struct TD_QUEUE_JOIN(td_, TD_QUEUE, ) queue;
  struct Q(owner) owner;
  void *storage;
};

static struct box *make(uint32_t blocks, uint32_t entries) {
  size_t size = (sizeof(struct box) + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE;
  struct box *b = aligned_alloc(TD_CACHE_LINE, size);
  size_t bytes = Q(storage_bytes)(blocks, entries);
  cr_assert_neq(bytes, 0, "%u x %u is valid", blocks, entries);
  b->storage =
      aligned_alloc(TD_CACHE_LINE, (bytes + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE);
  Q(init)(&b->queue, &b->owner, b->storage, blocks, entries);
  return b;
}

static void drop(struct box *b) {
  free(b->storage);
  free(b);
}

static bool put(struct box *b, uint64_t item) {
  return Q(put)(&b->queue, &b->owner, item);
}

static uint64_t get(struct box *b) {
  return Q(get)(&b->queue, &b->owner);
}

QUEUE_TEST(refuses_invalid_sizes) {
  cr_expect_eq(Q(storage_bytes)(0, 4), 0);
  cr_expect_eq(Q(storage_bytes)(4, 0), 0);
  cr_expect_eq(Q(storage_bytes)(3, 4), 0);
  cr_expect_eq(Q(storage_bytes)(4, 6), 0);
  cr_expect_eq(Q(storage_bytes)(UINT32_C(1) << 31, UINT32_C(1) << 31), 0);
  cr_expect_geq(Q(storage_bytes)(4, 4), 16 * sizeof(uint64_t));
}

QUEUE_TEST(accepts_the_defaults_of_the_list) {
  const struct td_queue_entry *entry = &ENTRY;
  cr_expect_neq(Q(storage_bytes)(entry->blocks, entry->items), 0, "%s", entry->name);
}

/* A model: an array with the newest item last. */
struct model {
  uint64_t at[1 << 12];
  size_t first, count;
  bool has_next; /* put since the last get */
};

static void model_put(struct model *m, uint64_t item) {
  if (m->first + m->count == sizeof m->at / sizeof *m->at) {
    memmove(m->at, m->at + m->first, m->count * sizeof *m->at);
    m->first = 0;
  }
  m->at[m->first + m->count++] = item;
  m->has_next = true;
}

static uint64_t model_get(struct model *m) {
  bool newest = order() == TD_QUEUE_NEWEST || (order() == TD_QUEUE_NEXT && m->has_next);
  m->has_next = false;
  if (m->count == 0) return 0;
  m->count--;
  return newest ? m->at[m->first + m->count] : m->at[m->first++];
}

static void compare_with_model(uint32_t blocks, uint32_t entries) {
  struct box *b = make(blocks, entries);
  static struct model model;
  model = (struct model){.count = 0};
  uint32_t random = 2463534242u;
  for (uint64_t next = 1; next < 20000;) {
    random_next(&random);
    if (random % 64 == 0) Q(grant)(&b->queue, &b->owner);
    if (random >> 8 & 1) {
      if (put(b, next)) {
        model_put(&model, next++);
        continue;
      }
      /* FIFO BWoS keeps the block it gets from, BBQ what is left of it; others are full at their
       * capacity. */
      size_t least = (size_t)blocks * entries / (order() == TD_QUEUE_OLDEST ? 8 : 2);
      cr_assert_geq(model.count, least);
    } else {
      uint64_t item = get(b), expected = model_get(&model);
      cr_assert_eq(item, expected, "%ux%u: %lu for %lu", blocks, entries, item, expected);
    }
  }
  while (model_get(&model) != 0)
    cr_assert_neq(get(b), 0);
  cr_assert_eq(get(b), 0);
  drop(b);
}

QUEUE_TEST(gives_back_in_order) {
  compare_with_model(2, 4);
  compare_with_model(4, 16);
  compare_with_model(8, 128);
}

QUEUE_TEST(is_full_at_its_capacity_and_stores_nothing_then) {
  struct box *b = make(2, 2);
  for (uint64_t item = 1; item <= 4; item++)
    cr_assert(put(b, item));
  cr_assert_not(put(b, 5));
  cr_assert_not(put(b, 6));
  for (uint64_t item = 1; item <= 4; item++)
    cr_assert_eq(get(b), nth(item, 4));
  cr_assert_eq(get(b), 0);
  drop(b);
}

static void *take_room(void *context, size_t bytes) {
  static _Alignas(TD_CACHE_LINE) char room[4096];
  size_t *used = context, from = *used;
  bytes = (bytes + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE;
  if (bytes > sizeof room - from) return NULL;
  *used += bytes;
  return room + from;
}

QUEUE_TEST(grows_where_the_list_says_so) {
  size_t used = 0;
  struct box *b = make(2, 2);
  Q(grow_from)(&b->queue, take_room, &used);
  uint64_t stored = 0;
  while (put(b, stored + 1))
    stored++;
  if (ENTRY.room == TD_QUEUE_FIXED)
    cr_assert_eq(stored, 4);
  else
    cr_assert_eq(stored, 128, "%lu: as far as the memory goes", stored);
  for (uint64_t i = 1; i <= stored; i++)
    cr_assert_eq(get(b), nth(i, stored));
  Q(shrink)(&b->queue, &b->owner);
  used = 4096;
  /* Back in its first storage, and there is no memory any more. A FIFO of blocks keeps the one it
   * gets from, so that less may fit. */
  for (stored = 0; put(b, stored + 1);)
    stored++;
  cr_assert(order() == TD_QUEUE_OLDEST ? stored >= 2 && stored <= 4 : stored == 4, "%lu", stored);
  drop(b);
}

/* Everything comes out once, whoever takes it, over many turns of a tiny ring. */
static void share(uint32_t blocks, uint32_t entries) {
  enum { ITEMS = 30000 };
  struct box *b = make(blocks, entries);
  unsigned char *seen = calloc(ITEMS + 1, 1);
  uint64_t out[64] = {0};
  uint64_t taken_by_thieves = 0;
  uint32_t random = 88172645u;
  uint64_t next = 1;
  bool more = true;
  while (more) {
    random_next(&random);
    int32_t got = 0;
    if (random % 8 < 4 && next <= ITEMS) {
      next += put(b, next);
    } else if (random % 8 < 6) {
      Q(want)(&b->queue);
      if (Q(wanted)(&b->queue)) Q(grant)(&b->queue, &b->owner);
      uint32_t max = 1 + (random >> 8) % 64;
      got = Q(steal)(&b->queue, out, max);
      cr_assert(got >= -1 && got <= (int32_t)max);
      for (int32_t i = 1; i < got; i++)
        cr_assert_lt(out[i - 1], out[i], "oldest first");
      taken_by_thieves += got > 0 ? (uint64_t)got : 0;
    } else {
      out[0] = get(b);
      got = out[0] != 0;
      more = got != 0 || next <= ITEMS;
    }
    for (int32_t i = 0; i < got; i++) {
      cr_assert(out[i] >= 1 && out[i] < next);
      cr_assert_eq(seen[out[i]]++, 0, "%lu twice", out[i]);
    }
  }
  for (uint64_t item = 1; item <= ITEMS; item++)
    cr_assert_eq(seen[item], 1, "%lu lost", item);
  bool shared = ENTRY.sharing != TD_QUEUE_NOT_SHARED;
  cr_assert_eq(taken_by_thieves > 0, shared);
  free(seen);
  drop(b);
}

QUEUE_TEST(shares_every_item_once) {
  share(2, 2);
  share(4, 4);
  share(8, 64);
}

QUEUE_TEST(steals_nothing_from_an_empty_queue_nor_into_no_room) {
  struct box *b = make(4, 4);
  uint64_t out[4];
  cr_assert_eq(Q(steal)(&b->queue, out, 4), 0);
  cr_assert_eq(Q(size)(&b->queue), 0);
  for (uint64_t item = 1; item <= 16; item++)
    put(b, item);
  cr_assert_eq(Q(steal)(&b->queue, out, 0), 0);
  drop(b);
}

/* What came from outside is found by the owner, by thieves, and by all queues of the set; queues
 * that are no pool's take nothing. */
QUEUE_TEST(takes_work_from_outside_where_it_is_a_pool) {
  struct box *first = make(4, 4), *second = make(4, 4);
  Q(join)(&first->queue, &first->queue);
  Q(join)(&second->queue, &first->queue);
  bool pool = strncmp(ENTRY.name, "pool", 4) == 0;
  uint64_t offered = 0, out[4] = {0};
  while (offered < 100 && Q(offer)(&second->queue, offered + 1))
    offered++;
  cr_assert_eq(offered, pool ? 16 : 0, "%lu", offered);
  cr_assert_eq(Q(size)(&first->queue), offered);
  put(first, 99);
  cr_assert_eq(get(first), 99, "its own come first");
  cr_assert_eq(get(first), pool ? 1 : 0);
  cr_assert_eq(get(second), pool ? 2 : 0);
  cr_assert_eq(Q(steal)(&first->queue, out, 4), pool ? 4 : 0);
  cr_assert_eq(out[0], pool ? 3 : 0);
  for (offered = pool ? 6 : 16; offered < 16; offered++)
    cr_assert_eq(get(second), offered + 1);
  cr_assert_eq(get(first), 0);
  drop(second);
  drop(first);
}

/* The marker asks it whether sharing could pay. */
QUEUE_TEST(owns_what_it_could_share) {
  struct box *b = make(4, 16);
  bool shared = ENTRY.sharing != TD_QUEUE_NOT_SHARED;
  cr_assert_eq(Q(owned)(&b->owner), 0);
  for (uint64_t item = 1; item <= 8; item++) {
    put(b, item);
    uint64_t owned = Q(owned)(&b->owner);
    cr_assert_eq(owned > 0, shared);
    cr_assert_leq(owned, 8, "%lu of %lu", owned, item);
  }
  drop(b);
}
