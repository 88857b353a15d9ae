/* One queue by itself, one thread: the contract of marker/queue/contract.h, at sizes from 2 x 2 up.
 * Compiled once for each queue of the list. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include TD_QUEUE_HEADER

#include "marker/queue/growth.h"
#include "marker/queue/list.h"

#define Q(name) TD_QUEUE_JOIN(td_, TD_QUEUE, _##name)
#define NUMBER TD_QUEUE_JOIN(TD_QUEUE_NUMBER_, TD_QUEUE, )

static const bool oldest_first = NUMBER == TD_QUEUE_NUMBER_bwos_fifo;

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

Test(queue, refuses_invalid_sizes) {
  cr_expect_eq(Q(storage_bytes)(0, 4), 0);
  cr_expect_eq(Q(storage_bytes)(4, 0), 0);
  cr_expect_eq(Q(storage_bytes)(3, 4), 0);
  cr_expect_eq(Q(storage_bytes)(4, 6), 0);
  cr_expect_eq(Q(storage_bytes)(UINT32_C(1) << 31, UINT32_C(1) << 31), 0);
  cr_expect_geq(Q(storage_bytes)(4, 4), 16 * sizeof(uint64_t));
}

Test(queue, accepts_the_defaults_of_the_list) {
  const struct td_queue_entry *entry = &td_queue_entries[NUMBER];
  cr_expect_neq(Q(storage_bytes)(entry->blocks, entry->items), 0, "%s", entry->name);
}

/* Against a model: an array with the newest item last. */
static void compare_with_array(uint32_t blocks, uint32_t entries) {
  struct box *b = make(blocks, entries);
  static uint64_t model[1 << 12];
  size_t first = 0, count = 0;
  uint32_t random = 2463534242u;
  for (uint64_t next = 1; next < 20000;) {
    random ^= random << 13, random ^= random >> 17, random ^= random << 5;
    if (random % 64 == 0) Q(grant)(&b->queue, &b->owner);
    if (random >> 8 & 1) {
      if (first + count == 1 << 12) {
        memmove(model, model + first, count * sizeof *model);
        first = 0;
      }
      if (!put(b, next)) {
        /* FIFO BWoS keeps the block it gets from; others are full at their capacity. */
        cr_assert_geq(count, (size_t)blocks * entries / (oldest_first ? 8 : 2));
        continue;
      }
      model[first + count++] = next++;
    } else {
      uint64_t item = get(b);
      uint64_t expected = count == 0 ? 0 : oldest_first ? model[first++] : model[first + count - 1];
      count -= count != 0;
      cr_assert_eq(item, expected, "%ux%u: %lu for %lu", blocks, entries, item, expected);
    }
  }
  while (count-- != 0)
    cr_assert_neq(get(b), 0);
  cr_assert_eq(get(b), 0);
  drop(b);
}

Test(queue, gives_back_in_order) {
  compare_with_array(2, 4);
  compare_with_array(4, 16);
  compare_with_array(8, 128);
}

Test(queue, is_full_at_its_capacity_and_stores_nothing_then) {
  struct box *b = make(2, 2);
  for (uint64_t item = 1; item <= 4; item++)
    cr_assert(put(b, item));
  cr_assert_not(put(b, 5));
  cr_assert_not(put(b, 6));
  for (uint64_t item = 1; item <= 4; item++)
    cr_assert_eq(get(b), oldest_first ? item : 5 - item);
  cr_assert_eq(get(b), 0);
  drop(b);
}

Test(queue, grows_where_the_list_says_so) {
  struct td_growth growth;
  cr_assert(td_growth_open(&growth, 4096));
  struct box *b = make(2, 2);
  Q(grow_from)(&b->queue, td_growth_take, &growth);
  uint64_t stored = 0;
  while (put(b, stored + 1))
    stored++;
  if (td_queue_entries[NUMBER].room == TD_QUEUE_FIXED)
    cr_assert_eq(stored, 4);
  else
    cr_assert_eq(stored, 128, "%lu: as far as the memory goes", stored);
  for (uint64_t left = stored; left > 0; left--)
    cr_assert_eq(get(b), oldest_first ? stored + 1 - left : left);
  Q(shrink)(&b->queue, &b->owner);
  td_growth_close(&growth);
  /* Back in its first storage, and there is no memory any more. FIFO BWoS keeps the block it gets
   * from, so that less may fit. */
  for (stored = 0; put(b, stored + 1);)
    stored++;
  cr_assert(oldest_first ? stored >= 2 && stored <= 4 : stored == 4, "%lu", stored);
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
    random ^= random << 13, random ^= random >> 17, random ^= random << 5;
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
  bool shared = td_queue_entries[NUMBER].sharing != TD_QUEUE_NOT_SHARED;
  cr_assert_eq(taken_by_thieves > 0, shared);
  free(seen);
  drop(b);
}

Test(queue, shares_every_item_once) {
  share(2, 2);
  share(4, 4);
  share(8, 64);
}

Test(queue, steals_nothing_from_an_empty_queue_nor_into_no_room) {
  struct box *b = make(4, 4);
  uint64_t out[4];
  cr_assert_eq(Q(steal)(&b->queue, out, 4), 0);
  cr_assert_eq(Q(size)(&b->queue), 0);
  for (uint64_t item = 1; item <= 16; item++)
    put(b, item);
  cr_assert_eq(Q(steal)(&b->queue, out, 0), 0);
  drop(b);
}

/* The marker asks it whether sharing could pay. */
Test(queue, owns_what_it_could_share) {
  struct box *b = make(4, 16);
  bool shared = td_queue_entries[NUMBER].sharing != TD_QUEUE_NOT_SHARED;
  cr_assert_eq(Q(owned)(&b->owner), 0);
  for (uint64_t item = 1; item <= 8; item++) {
    put(b, item);
    uint64_t owned = Q(owned)(&b->owner);
    cr_assert_eq(owned > 0, shared);
    cr_assert_leq(owned, 8, "%lu of %lu", owned, item);
  }
  drop(b);
}
