/* SPDX-License-Identifier: MIT */
/* Numbering identifiers: the same as sorting them. */
#include "workloads/import_ids.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/random.h"
#include "tests/scoped.h"

static int compare(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* count distinct numbers, `step` or `step * spread` apart, in no order. */
static uint64_t *make(uint64_t count, uint64_t step, uint64_t spread) {
  uint64_t *identifiers = malloc(count * sizeof *identifiers);
  uint32_t random = 2463534242u;
  uint64_t at = step;
  for (uint64_t i = 0; i < count; i++) {
    identifiers[i] = at;
    at += step * (random_next(&random) % 8 ? 1 : spread);
  }
  for (uint64_t i = count; i > 1; i--) {
    uint64_t j = random_next(&random) % i;
    uint64_t kept = identifiers[i - 1];
    identifiers[i - 1] = identifiers[j];
    identifiers[j] = kept;
  }
  return identifiers;
}

static void check(uint64_t count, uint64_t step, uint64_t spread) {
  FREED uint64_t *identifiers = make(count, step, spread);
  struct td_import_ids ids;
  uint64_t where;
  cr_assert_eq(td_ids_build(&ids, identifiers, count, &where), TD_IDS_OK);
  qsort(identifiers, count, sizeof *identifiers, compare);
  for (uint64_t i = 0; i < count; i++) {
    cr_assert_eq(td_ids_find(&ids, identifiers[i]), i);
    if (step > 1) cr_assert_eq(td_ids_find(&ids, identifiers[i] + 1), TD_IDS_NONE);
    if (i + 1 < count && identifiers[i] + step < identifiers[i + 1])
      cr_assert_eq(td_ids_find(&ids, identifiers[i] + step), TD_IDS_NONE);
  }
  cr_assert_eq(td_ids_find(&ids, identifiers[count - 1] + step), TD_IDS_NONE);
  cr_assert_eq(td_ids_find(&ids, UINT64_MAX), TD_IDS_NONE);
  td_ids_free(&ids);
}

Test(import_ids, dense_and_sparse) {
  check(1, 1, 1);
  check(50000, 1, 1);
  check(50000, 8, 3);
  check(50000, 16, 1000);
  check(20000, 4096, 1);
  check(20000, 1, 100000);
  check(3000, UINT64_C(1) << 40, 9);
}

Test(import_ids, none_at_all) {
  struct td_import_ids ids;
  uint64_t where;
  cr_assert_eq(td_ids_build(&ids, NULL, 0, &where), TD_IDS_OK);
  cr_assert_eq(td_ids_find(&ids, 0), TD_IDS_NONE);
  cr_assert_eq(td_ids_find(&ids, 8), TD_IDS_NONE);
  td_ids_free(&ids);
}

Test(import_ids, extremes) {
  const uint64_t identifiers[] = {UINT64_MAX, 0, UINT64_C(1) << 63, 1};
  struct td_import_ids ids;
  uint64_t where;
  cr_assert_eq(td_ids_build(&ids, identifiers, 4, &where), TD_IDS_OK);
  cr_assert_eq(td_ids_find(&ids, 0), 0);
  cr_assert_eq(td_ids_find(&ids, 1), 1);
  cr_assert_eq(td_ids_find(&ids, UINT64_C(1) << 63), 2);
  cr_assert_eq(td_ids_find(&ids, UINT64_MAX), 3);
  td_ids_free(&ids);
}

Test(import_ids, one_twice) {
  const uint64_t identifiers[] = {16, 32, 48, 32, 16};
  struct td_import_ids ids;
  uint64_t where = 0;
  cr_assert_eq(td_ids_build(&ids, identifiers, 5, &where), TD_IDS_TWICE);
  cr_assert_eq(where, 3);
  td_ids_free(&ids);
}
