/* Every queue by itself, one thread: the contract of marker/queue/contract.h, at sizes from 2 x 2
 * up. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "marker/queue/all.h"

/* A queue behind function pointers, its two parts in memory of fixed size. */
struct box {
  _Alignas(TD_CACHE_LINE) unsigned char queue[1024];
  _Alignas(TD_CACHE_LINE) unsigned char owner[256];
  void *storage;
};

struct kind {
  char const *name;
  size_t (*bytes)(uint32_t blocks, uint32_t entries);
  void (*init)(struct box *b, uint32_t blocks, uint32_t entries);
  bool (*put)(struct box *b, uint64_t item);
  uint64_t (*get)(struct box *b);
  int32_t (*steal)(struct box *b, uint64_t *out, uint32_t max);
  void (*want)(struct box *b);
  bool (*wanted)(struct box *b);
  void (*grant)(struct box *b);
  uint64_t (*size)(struct box *b);
};

#define DEFINE_KIND(Q)                                                                             \
  _Static_assert(sizeof(struct td_##Q) <= 1024 && sizeof(struct td_##Q##_owner) <= 256, #Q);       \
  static void Q##_init(struct box *b, uint32_t blocks, uint32_t entries) {                         \
    td_##Q##_init((void *)b->queue, (void *)b->owner, b->storage, blocks, entries);                \
  }                                                                                                \
  static bool Q##_put(struct box *b, uint64_t item) {                                              \
    return td_##Q##_put((void *)b->queue, (void *)b->owner, item);                                 \
  }                                                                                                \
  static uint64_t Q##_get(struct box *b) {                                                         \
    return td_##Q##_get((void *)b->queue, (void *)b->owner);                                       \
  }                                                                                                \
  static int32_t Q##_steal(struct box *b, uint64_t *out, uint32_t max) {                           \
    return td_##Q##_steal((void *)b->queue, out, max);                                             \
  }                                                                                                \
  static void Q##_want(struct box *b) {                                                            \
    td_##Q##_want((void *)b->queue);                                                               \
  }                                                                                                \
  static bool Q##_wanted(struct box *b) {                                                          \
    return td_##Q##_wanted((void *)b->queue);                                                      \
  }                                                                                                \
  static void Q##_grant(struct box *b) {                                                           \
    td_##Q##_grant((void *)b->queue, (void *)b->owner);                                            \
  }                                                                                                \
  static uint64_t Q##_size(struct box *b) {                                                        \
    return td_##Q##_size((void *)b->queue);                                                        \
  }
TD_FOR_EACH_QUEUE(DEFINE_KIND)

#define LIST_KIND(Q)                                                                               \
  {#Q,        td_##Q##_storage_bytes,                                                              \
   Q##_init,  Q##_put,                                                                             \
   Q##_get,   Q##_steal,                                                                           \
   Q##_want,  Q##_wanted,                                                                          \
   Q##_grant, Q##_size},
static struct kind const kinds[] = {TD_FOR_EACH_QUEUE(LIST_KIND)};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is(struct kind const *k, char const *name) {
  return strcmp(k->name, name) == 0;
}

static struct box *make(struct kind const *k, uint32_t blocks, uint32_t entries) {
  struct box *b = aligned_alloc(_Alignof(struct box), sizeof *b);
  size_t bytes = k->bytes(blocks, entries);
  cr_assert_neq(bytes, 0, "%s: %u x %u is valid", k->name, blocks, entries);
  b->storage =
      aligned_alloc(TD_CACHE_LINE, (bytes + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE);
  k->init(b, blocks, entries);
  return b;
}

static void drop(struct box *b) {
  free(b->storage);
  free(b);
}

Test(queue, refuses_invalid_sizes) {
  for (int i = 0; i < KINDS; i++) {
    struct kind const *k = &kinds[i];
    cr_expect_eq(k->bytes(0, 4), 0, "%s", k->name);
    cr_expect_eq(k->bytes(4, 0), 0, "%s", k->name);
    cr_expect_eq(k->bytes(3, 4), 0, "%s", k->name);
    cr_expect_eq(k->bytes(4, 6), 0, "%s", k->name);
    cr_expect_eq(k->bytes(UINT32_C(1) << 31, UINT32_C(1) << 31), 0, "%s", k->name);
    cr_expect_geq(k->bytes(4, 4), 16 * sizeof(uint64_t), "%s", k->name);
  }
  cr_expect_eq(td_bwos_storage_bytes(1, 4), 0);
  cr_expect_eq(td_bwos_storage_bytes(4, 1), 0);
  cr_expect_eq(td_bwos_storage_bytes(2, 2 * TD_BWOS_MAX_ENTRIES), 0);
  cr_expect_neq(td_bwos_storage_bytes(2, TD_BWOS_MAX_ENTRIES), 0);
}

/* Against a model: an array with the newest item last. */
static void compare_with_array(struct kind const *k, uint32_t blocks, uint32_t entries) {
  struct box *b = make(k, blocks, entries);
  static uint64_t model[1 << 12];
  size_t first = 0, count = 0;
  uint32_t random = 2463534242u;
  for (uint64_t next = 1; next < 20000;) {
    random ^= random << 13, random ^= random >> 17, random ^= random << 5;
    if (random % 64 == 0) k->grant(b);
    if (random >> 8 & 1) {
      if (first + count == 1 << 12) {
        memmove(model, model + first, count * sizeof *model);
        first = 0;
      }
      if (!k->put(b, next)) {
        /* FIFO BWoS keeps the block it gets from; others are full at their capacity. */
        cr_assert_geq(count, (size_t)blocks * entries / (is(k, "bwos_fifo") ? 8 : 2), "%s",
                      k->name);
        continue;
      }
      model[first + count++] = next++;
    } else {
      uint64_t item = k->get(b);
      uint64_t expected = count == 0           ? 0
                          : is(k, "bwos_fifo") ? model[first++]
                                               : model[first + count - 1];
      count -= count != 0;
      cr_assert_eq(item, expected, "%s %ux%u: %lu for %lu", k->name, blocks, entries, item,
                   expected);
    }
  }
  while (count-- != 0)
    cr_assert_neq(k->get(b), 0, "%s", k->name);
  cr_assert_eq(k->get(b), 0, "%s", k->name);
  drop(b);
}

Test(queue, gives_back_in_order) {
  for (int i = 0; i < KINDS; i++) {
    compare_with_array(&kinds[i], 2, 4);
    compare_with_array(&kinds[i], 4, 16);
    compare_with_array(&kinds[i], 8, 128);
  }
}

Test(queue, is_full_at_its_capacity_and_stores_nothing_then) {
  for (int i = 0; i < KINDS; i++) {
    struct box *b = make(&kinds[i], 2, 2);
    for (uint64_t item = 1; item <= 4; item++)
      cr_assert(kinds[i].put(b, item), "%s", kinds[i].name);
    cr_assert_not(kinds[i].put(b, 5), "%s", kinds[i].name);
    cr_assert_not(kinds[i].put(b, 6), "%s", kinds[i].name);
    for (uint64_t item = 1; item <= 4; item++)
      cr_assert_eq(kinds[i].get(b), is(&kinds[i], "bwos_fifo") ? item : 5 - item, "%s",
                   kinds[i].name);
    cr_assert_eq(kinds[i].get(b), 0, "%s", kinds[i].name);
    drop(b);
  }
}

/* Everything comes out once, whoever takes it, over many turns of a tiny ring. */
static void share(struct kind const *k, uint32_t blocks, uint32_t entries) {
  enum { ITEMS = 30000 };
  struct box *b = make(k, blocks, entries);
  unsigned char *seen = calloc(ITEMS + 1, 1);
  uint64_t out[64];
  uint64_t taken_by_thieves = 0;
  uint32_t random = 88172645u;
  uint64_t next = 1;
  bool more = true;
  while (more) {
    random ^= random << 13, random ^= random >> 17, random ^= random << 5;
    int32_t got = 0;
    if (random % 8 < 4 && next <= ITEMS) {
      next += k->put(b, next);
    } else if (random % 8 < 6) {
      k->want(b);
      if (k->wanted(b)) k->grant(b);
      uint32_t max = 1 + (random >> 8) % 64;
      got = k->steal(b, out, max);
      cr_assert(got >= -1 && got <= (int32_t)max, "%s", k->name);
      for (int32_t i = 1; i < got; i++)
        cr_assert_lt(out[i - 1], out[i], "%s: oldest first", k->name);
      taken_by_thieves += got > 0 ? (uint64_t)got : 0;
    } else {
      out[0] = k->get(b);
      got = out[0] != 0;
      more = got != 0 || next <= ITEMS;
    }
    for (int32_t i = 0; i < got; i++) {
      cr_assert(out[i] >= 1 && out[i] < next, "%s", k->name);
      cr_assert_eq(seen[out[i]]++, 0, "%s: %lu twice", k->name, out[i]);
    }
  }
  for (uint64_t item = 1; item <= ITEMS; item++)
    cr_assert_eq(seen[item], 1, "%s: %lu lost", k->name, item);
  if (!is(k, "serial")) cr_assert_gt(taken_by_thieves, 0, "%s", k->name);
  free(seen);
  drop(b);
}

Test(queue, shares_every_item_once) {
  for (int i = 0; i < KINDS; i++) {
    share(&kinds[i], 2, 2);
    share(&kinds[i], 4, 4);
    share(&kinds[i], 8, 64);
  }
}

Test(queue, steals_nothing_from_an_empty_queue_nor_into_no_room) {
  for (int i = 0; i < KINDS; i++) {
    struct box *b = make(&kinds[i], 4, 4);
    uint64_t out[4];
    cr_assert_eq(kinds[i].steal(b, out, 4), 0, "%s", kinds[i].name);
    cr_assert_eq(kinds[i].size(b), 0, "%s", kinds[i].name);
    for (uint64_t item = 1; item <= 16; item++)
      kinds[i].put(b, item);
    cr_assert_eq(kinds[i].steal(b, out, 0), 0, "%s", kinds[i].name);
    drop(b);
  }
}

Test(queue, bwos_grants_the_older_half_on_a_wish) {
  struct kind const *k = &kinds[0];
  cr_assert(is(k, "bwos"));
  struct box *b = make(k, 4, 16);
  uint64_t out[16];
  for (uint64_t item = 1; item <= 8; item++)
    k->put(b, item);
  cr_assert_eq(k->steal(b, out, 16), 0, "a block that is not full is private");
  k->want(b);
  cr_assert(k->wanted(b));
  k->grant(b);
  cr_assert_not(k->wanted(b));
  cr_assert_eq(k->size(b), 4);
  cr_assert_eq(k->steal(b, out, 16), 4);
  for (uint64_t item = 1; item <= 4; item++)
    cr_assert_eq(out[item - 1], item);
  cr_assert_eq(k->steal(b, out, 16), 0, "used up, but the block lives on");
  k->grant(b);
  cr_assert_eq(k->steal(b, out, 1), 1);
  cr_assert_eq(out[0], 5);
  for (uint64_t item = 8; item >= 6; item--)
    cr_assert_eq(k->get(b), item);
  cr_assert_eq(k->get(b), 0);
  k->put(b, 9);
  k->want(b);
  k->grant(b);
  cr_assert(k->wanted(b), "one item is not shared, and the wish stays");
  drop(b);
}

Test(queue, bwos_claims_at_most_a_batch) {
  struct kind const *k = &kinds[0];
  struct box *b = make(k, 4, 128);
  uint64_t out[128];
  for (uint64_t item = 1; item <= 129; item++)
    k->put(b, item);
  cr_assert_eq(k->steal(b, out, 128), TD_BWOS_BATCH);
  cr_assert_eq(k->steal(b, out, 3), 3);
  cr_assert_eq(out[0], TD_BWOS_BATCH + 1);
  drop(b);
}

static size_t allocated;

static void *count_alloc(void *context, size_t bytes) {
  (void)context;
  allocated++;
  return aligned_alloc(TD_CACHE_LINE, (bytes + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE);
}

static void *refuse(void *context, size_t bytes) {
  (void)context, (void)bytes;
  return NULL;
}

static void count_free(void *context, void *memory, size_t bytes) {
  (void)context, (void)bytes;
  allocated--;
  free(memory);
}

Test(queue, chase_lev_grows_keeps_order_and_gives_memory_back) {
  static struct td_chase_lev q;
  struct td_chase_lev_owner o;
  void *storage = aligned_alloc(TD_CACHE_LINE, 1024);
  td_chase_lev_init(&q, &o, storage, 2, 2);
  td_chase_lev_grow_with(&q, count_alloc, NULL);
  uint64_t out[2];
  for (uint64_t item = 1; item <= 1000; item++)
    cr_assert(td_chase_lev_put(&q, &o, item));
  cr_assert_gt(allocated, 0);
  cr_assert_eq(td_chase_lev_steal(&q, out, 2), 2);
  cr_assert_eq(out[0], 1);
  for (uint64_t item = 1000; item >= 3; item--)
    cr_assert_eq(td_chase_lev_get(&q, &o), item);
  cr_assert_eq(td_chase_lev_get(&q, &o), 0);
  td_chase_lev_release(&q, &o, count_free, NULL);
  cr_assert_eq(allocated, 0);
  td_chase_lev_grow_with(&q, refuse, NULL);
  for (uint64_t item = 1; item <= 4; item++)
    cr_assert(td_chase_lev_put(&q, &o, item));
  cr_assert_not(td_chase_lev_put(&q, &o, 5), "without memory it is full");
  cr_assert_eq(td_chase_lev_get(&q, &o), 4);
  free(storage);
}
