/* SPDX-License-Identifier: MIT */
/* Memory for queues that grow: pieces that do not overlap, an end, and a new beginning. */
#include "marker/queue/growth.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "marker/queue/contract.h"

enum { PIECES = 15 }; /* of 4 MiB: there is no room for the sixteenth */
#define PIECE_BYTES ((size_t)4 << 20)

Test(growth, hands_out_aligned_pieces_until_its_end) {
  struct td_growth growth = {0};
  for (int twice = 0; twice < 2; twice++) {
    char *pieces[PIECES];
    for (int i = 0; i < PIECES; i++) {
      cr_assert_not_null(pieces[i] = td_growth_take(&growth, PIECE_BYTES), "%d", i);
      cr_assert_eq((uintptr_t)pieces[i] % TD_CACHE_LINE, 0);
      memset(pieces[i], i, PIECE_BYTES);
    }
    for (int i = 0; i < PIECES; i++)
      cr_assert(pieces[i][0] == i && pieces[i][PIECE_BYTES - 1] == i);
    cr_assert_null(td_growth_take(&growth, PIECE_BYTES));
    cr_assert_null(td_growth_take(&growth, SIZE_MAX));
    td_growth_free(&growth);
  }
  td_growth_free(&growth);
  cr_assert_null(td_growth_take(&growth, TD_GROWTH_BYTES));
}
