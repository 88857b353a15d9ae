/* SPDX-License-Identifier: MIT */
/* Memory for queues that grow: pieces that do not overlap, an end, and what is kept. */
#include "marker/queue/growth.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include "platform/platform.h"

Test(growth, hands_out_aligned_pieces_until_its_end) {
  struct td_growth growth;
  size_t page = td_plat_page_bytes();
  cr_assert(td_growth_open(&growth, 4 * page));
  char *last = NULL;
  size_t sum = 0;
  for (char *piece; (piece = td_growth_take(&growth, 1000)); last = piece) {
    cr_assert_eq((uintptr_t)piece % TD_CACHE_LINE, 0);
    if (last) cr_assert_geq(piece - last, 1000);
    memset(piece, 0x5a, 1000);
    sum += 1024;
  }
  cr_assert_eq(sum, 4 * page / 1024 * 1024);
  cr_assert_null(td_growth_take(&growth, SIZE_MAX));
  cr_assert_null(td_growth_take(&growth, 4 * page + 1));
  td_growth_close(&growth);
  cr_assert_null(td_growth_take(&growth, 1), "closed");
  td_growth_close(&growth);
}

Test(growth, keeps_as_much_memory_as_the_last_use_needed) {
  struct td_growth growth;
  size_t page = td_plat_page_bytes();
  cr_assert(td_growth_open(&growth, 16 * page));
  char *first = td_growth_take(&growth, 8 * page);
  cr_assert_eq(growth.committed, 8 * page);
  td_growth_reset(&growth);
  cr_assert_eq(growth.committed, 8 * page);
  cr_assert_eq(td_growth_take(&growth, 2 * page - 1), first);
  td_growth_reset(&growth);
  cr_assert_eq(growth.committed, 2 * page);
  td_growth_reset(&growth);
  cr_assert_eq(growth.committed, 0);
  cr_assert_eq(td_growth_take(&growth, 16 * page), first);
  memset(first, 1, 16 * page);
  td_growth_close(&growth);
}

Test(growth, says_when_there_is_no_address_space) {
  struct td_growth growth = {0};
  cr_assert_not(td_growth_open(&growth, SIZE_MAX / 2));
  cr_assert_eq(errno, ENOMEM);
  cr_assert_null(growth.base);
}
