/* The jemalloc arena in a range: where it allocates, what decay gives back, how it ends. */
#include "heap/jemalloc/arena.h"

#include <criterion/criterion.h>
#include <jemalloc/jemalloc.h>
#include <stdint.h>
#include <string.h>

#include "platform/platform.h"

#define MIB ((size_t)1 << 20)
#define SLAB (2 * MIB)

struct range {
  char *start;
  size_t bytes;
  struct td_arena *arena;
};

static struct range range_open(size_t bytes) {
  struct range r = {.start = td_plat_reserve(bytes, SLAB), .bytes = bytes};
  cr_assert_not_null(r.start);
  r.arena = td_arena_open(r.start, bytes);
  cr_assert_not_null(r.arena);
  return r;
}

static void range_close(struct range *r) {
  td_arena_close(r->arena);
  td_plat_release(r->start, r->bytes);
}

static char *take(struct range *r, size_t bytes, bool *zero) {
  size_t given = bytes;
  char *at = td_arena_take(r->arena, &given, SLAB, zero);
  if (!at) return NULL;
  cr_assert_geq(given, bytes);
  cr_assert_eq((uintptr_t)at % SLAB, 0);
  cr_assert(at >= r->start && at + given <= r->start + r->bytes, "outside the range");
  return at;
}

static bool is_zero(const char *at, size_t bytes) {
  return at[0] == 0 && memcmp(at, at + 1, bytes - 1) == 0;
}

/* What jemalloc does with memory that came back is its clock's business: here it is done at once,
 * or never. */
static void set_decay(ssize_t milliseconds) {
  cr_assert_eq(mallctl("arenas.dirty_decay_ms", NULL, NULL, &milliseconds, sizeof milliseconds), 0);
  cr_assert_eq(mallctl("arenas.muzzy_decay_ms", NULL, NULL, &milliseconds, sizeof milliseconds), 0);
}

Test(arena, hands_out_zeroed_slabs_of_the_range) {
  struct range r = range_open(64 * MIB);
  char *slabs[8];
  for (int i = 0; i < 8; i++) {
    bool zero = false;
    cr_assert_not_null(slabs[i] = take(&r, SLAB, &zero));
    cr_assert(zero, "fresh from the system");
    cr_assert(is_zero(slabs[i], SLAB));
    memset(slabs[i], i + 1, SLAB);
  }
  for (int i = 0; i < 8; i++)
    cr_assert(slabs[i][0] == i + 1 && memcmp(slabs[i], slabs[i] + 1, SLAB - 1) == 0, "overlap");
  cr_assert_geq(td_arena_committed_bytes(r.arena), 8 * SLAB);
  range_close(&r);
}

/* Given back and not decayed: the same pages again, as they were, and no fault for them. */
Test(arena, keeps_what_is_given_back) {
  set_decay(-1);
  struct range r = range_open(64 * MIB);
  bool zero;
  char *slab = take(&r, SLAB, &zero);
  memset(slab, 7, SLAB);
  size_t committed = td_arena_committed_bytes(r.arena);
  td_arena_give(r.arena, slab);
  td_arena_decay(r.arena);
  cr_assert_eq(td_arena_committed_bytes(r.arena), committed);
  char *again = take(&r, SLAB, &zero);
  cr_assert_eq(again, slab);
  cr_assert_not(zero, "nobody says that it is");
  cr_assert_eq(again[SLAB / 2], 7);
  range_close(&r);
}

Test(arena, gives_memory_to_the_system_when_it_has_decayed) {
  set_decay(0);
  struct range r = range_open(64 * MIB);
  bool zero;
  size_t before = td_arena_committed_bytes(r.arena);
  char *slabs[8];
  for (int i = 0; i < 8; i++) {
    slabs[i] = take(&r, SLAB, &zero);
    memset(slabs[i], 7, SLAB);
  }
  for (int i = 0; i < 8; i++)
    td_arena_give(r.arena, slabs[i]);
  td_arena_decay(r.arena);
  cr_assert_leq(td_arena_committed_bytes(r.arena), before + SLAB);
  for (int i = 0; i < 8; i++) { /* the addresses are used again */
    cr_assert_not_null(slabs[i] = take(&r, SLAB, &zero));
    cr_assert(is_zero(slabs[i], SLAB));
    memset(slabs[i], 9, SLAB);
  }
  range_close(&r);
}

Test(arena, says_when_the_range_is_full) {
  struct range r = range_open(64 * MIB);
  bool zero;
  int count = 0;
  char *last = NULL;
  for (char *slab; (slab = take(&r, SLAB, &zero)); last = slab, count++)
    slab[SLAB - 1] = 1;
  cr_assert(count >= 12 && count <= 32, "%d slabs", count);
  cr_assert_null(take(&r, 32 * MIB, &zero));
  td_arena_give(r.arena, last);
  cr_assert_not_null(take(&r, SLAB, &zero));
  cr_assert_null(take(&r, SIZE_MAX / 2, &zero));
  range_close(&r);
}

Test(arena, a_range_that_is_too_small_is_refused) {
  char *start = td_plat_reserve(SLAB, SLAB);
  cr_assert_null(td_arena_open(start, 64 << 10));
  td_plat_release(start, SLAB);
}

Test(arena, many_one_after_another_and_beside_each_other) {
  for (int round = 0; round < 300; round++) {
    struct range a = range_open(32 * MIB), b = range_open(32 * MIB);
    bool zero;
    char *in_a = take(&a, SLAB, &zero), *in_b = take(&b, SLAB, &zero);
    *in_a = *in_b = 1;
    range_close(&a);
    cr_assert_eq(*in_b, 1);
    range_close(&b);
  }
  td_arena_close(NULL);
}
