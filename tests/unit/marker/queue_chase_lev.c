/* SPDX-License-Identifier: MIT */
/* The growing deque: it keeps its items and their order while it grows, a thief may be in the
 * middle of a steal, and without memory it is full. */
#include <criterion/criterion.h>

#include "marker/queue/chase_lev.h"
#include "marker/queue/growth.h"

static struct td_chase_lev q;
static struct td_chase_lev_owner o;
static _Alignas(TD_CACHE_LINE) unsigned char storage[1024];

Test(queue_chase_lev, keeps_order_while_it_grows) {
  struct td_growth growth;
  cr_assert(td_growth_open(&growth, 64 << 10));
  td_chase_lev_init(&q, &o, storage, 2, 2);
  td_chase_lev_grow_from(&q, td_growth_take, &growth);
  for (int round = 0; round < 3; round++) {
    uint64_t out[2];
    for (uint64_t item = 1; item <= 1000; item++)
      cr_assert(td_chase_lev_put(&q, &o, item));
    cr_assert_gt(growth.used, 1000 * sizeof(uint64_t));
    cr_assert_eq(td_chase_lev_steal(&q, out, 2), 2);
    cr_assert_eq(out[0], 1);
    for (uint64_t item = 1000; item >= 3; item--)
      cr_assert_eq(td_chase_lev_get(&q, &o), item);
    cr_assert_eq(td_chase_lev_get(&q, &o), 0);
    td_chase_lev_shrink(&q, &o);
    td_growth_reset(&growth);
  }
  td_growth_close(&growth);
}

static void *refuse(void *context, size_t bytes) {
  (void)bytes;
  ++*(unsigned *)context;
  return NULL;
}

Test(queue_chase_lev, is_full_without_memory_and_goes_on) {
  unsigned asked = 0;
  td_chase_lev_init(&q, &o, storage, 2, 2);
  td_chase_lev_grow_from(&q, refuse, &asked);
  for (int round = 0; round < 3; round++) {
    for (uint64_t item = 1; item <= 4; item++)
      cr_assert(td_chase_lev_put(&q, &o, item));
    cr_assert_not(td_chase_lev_put(&q, &o, 5));
    for (uint64_t item = 4; item >= 1; item--)
      cr_assert_eq(td_chase_lev_get(&q, &o), item);
  }
  cr_assert_eq(asked, 3);
}

/* [chase_lev.kept]: what a thief that is stopped between its look at the buffer and its read finds
 * there after two more growths. */
Test(queue_chase_lev, a_replaced_buffer_keeps_what_it_held) {
  struct td_growth growth;
  cr_assert(td_growth_open(&growth, 64 << 10));
  td_chase_lev_init(&q, &o, storage, 2, 2);
  td_chase_lev_grow_from(&q, td_growth_take, &growth);
  for (uint64_t item = 1; item <= 5; item++)
    cr_assert(td_chase_lev_put(&q, &o, item));
  struct td_chase_lev_buffer *seen = atomic_load_explicit(&q.buffer, memory_order_relaxed);
  cr_assert_neq(seen, q.first);
  for (uint64_t item = 6; item <= 40; item++)
    cr_assert(td_chase_lev_put(&q, &o, item));
  cr_assert_neq(atomic_load_explicit(&q.buffer, memory_order_relaxed), seen);
  for (uint64_t item = 1; item <= 8; item++)
    cr_assert_eq(
        atomic_load_explicit(td_chase_lev_slots(seen) + (item & seen->mask), memory_order_relaxed),
        item);
  td_growth_close(&growth);
}
