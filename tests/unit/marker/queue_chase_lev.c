/* SPDX-License-Identifier: MIT */
/* The growing deque: it grows while a thief is in the middle of a steal. */
#include <criterion/criterion.h>

#include "marker/queue/chase_lev.h"
#include "marker/queue/growth.h"

static struct td_chase_lev q;
static struct td_chase_lev_owner o;
static _Alignas(TD_CACHE_LINE) unsigned char storage[1024];

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
