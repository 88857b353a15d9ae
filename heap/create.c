/* SPDX-License-Identifier: MIT */
/* Creating a space: the reservation and the side tables. */
#include "heap/create.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "heap/space/poison.h"
#include "heap/space/tables.h"
#include "heap/young/young.h"

#define RESERVE_MIN ((size_t)64 << 20)
#define RESERVE_SCARCE ((size_t)16 << 20) /* where the system gives no more */
#define RESERVE_MAX (((size_t)1 << TD_RANGE_LOG2) - TD_SLAB_BYTES)

static void say(struct tide_error *error, enum tide_status status, const char *what, size_t bytes) {
  if (!error) return;
  error->status = status;
  snprintf(error->text, sizeof error->text, "%s (%zu MiB): %s", what, bytes >> 20, strerror(errno));
}

static void refuse_pages(struct tide_error *error) {
  if (!error) return;
  error->status = TIDE_ERROR_SYSTEM;
  snprintf(error->text, sizeof error->text,
           "the system's pages of %zu KiB are not supported, only those of at most %zu",
           td_plat_page_bytes() >> 10, TD_BLOCK_BYTES >> 10);
}

static void unmap_all(struct td_space *space) {
  if (space->base) {
    /* relaxed: nobody else is here. */
    td_plat_release((void *)space->base,
                    atomic_load_explicit(&space->mapped_bytes, memory_order_relaxed));
    td_plat_release((void *)(space->base + space->reserved_bytes), space->table_bytes);
  }
  *space = (struct td_space){0};
}

/* Returns the least power of two that is not below `bytes`. */
static size_t power_above(size_t bytes) {
  size_t power = 1;
  while (power < bytes)
    power *= 2;
  return power;
}

static bool map_all(struct td_space *space, size_t reserve_bytes, bool has_young) {
  size_t align = has_young ? power_above(reserve_bytes) : TD_SLAB_BYTES;
  *space = (struct td_space){
      .has_young = has_young, .reserved_bytes = reserve_bytes, .mapped_bytes = reserve_bytes};
  space->granules = reserve_bytes / TD_GRANULE_BYTES;
  space->block_count = (uint32_t)(reserve_bytes / TD_BLOCK_BYTES);
  space->mark_span = has_young ? align / TD_GRANULE_BYTES : space->granules;
  space->table_bytes = td_tables_bytes(space);
  space->base = (uintptr_t)td_plat_reserve(reserve_bytes + space->table_bytes, align);
  if (space->base && td_tables_open(space)) return true;
  int saved = errno;
  unmap_all(space);
  errno = saved;
  return false;
}

static size_t whole_slabs(size_t bytes) {
  return bytes & ~(TD_SLAB_BYTES - 1);
}

static size_t somewhat_less(size_t bytes) {
  return whole_slabs(bytes / 16 * 15);
}

/* Gives back the upper half of the range. The heap grows into it from below, and threads, malloc
 * and the tables of marking, which the system places from above, find room there as well. Where it
 * places them from below, the heap has its half. */
static void share(struct td_space *space) {
  size_t kept = whole_slabs(space->reserved_bytes / 2);
  if (kept < RESERVE_SCARCE) kept = RESERVE_SCARCE;
  td_plat_release((void *)(space->base + kept), space->reserved_bytes - kept);
  /* relaxed: nobody else is here. */
  atomic_store_explicit(&space->mapped_bytes, kept, memory_order_relaxed);
}

/* Maps somewhat less, again and again until the system agrees. A smaller range may be refused where
 * a larger one was not, which happened to lie at a place that is aligned. */
static bool map_less(struct td_space *space, size_t *bytes, bool has_young) {
  do {
    if (somewhat_less(*bytes) < RESERVE_SCARCE) return false;
    *bytes = somewhat_less(*bytes);
  } while (!map_all(space, *bytes, has_young));
  return true;
}

/* Maps as much as is wanted. If the system refuses that, maps somewhat less than it gives, but no
 * less than the least, and shares it with the rest of the program. Changes *bytes to what was tried
 * last. */
static bool map_what_there_is(struct td_space *space, size_t *bytes, bool has_young) {
  if (map_all(space, *bytes, has_young)) return true;
  if (!map_less(space, bytes, has_young)) return false;
  if (somewhat_less(*bytes) >= RESERVE_SCARCE) {
    unmap_all(space);
    if (!map_less(space, bytes, has_young)) return false;
  }
  share(space);
  return true;
}

bool td_space_init(struct td_space *space, bool has_young, size_t reserve_bytes, size_t max_bytes,
                   struct tide_error *error) {
  *space = (struct td_space){0};
  if (!td_space_can_use_pages(td_plat_page_bytes())) {
    refuse_pages(error);
    return false;
  }
  size_t wanted = reserve_bytes < RESERVE_MIN ? RESERVE_MIN : reserve_bytes;
  wanted = whole_slabs(wanted);
  if (wanted > RESERVE_MAX) wanted = RESERVE_MAX;
  if (!map_what_there_is(space, &wanted, has_young)) {
    say(error, TIDE_ERROR_SYSTEM, "cannot reserve address space for a heap", wanted);
    return false;
  }
  pthread_mutex_init(&space->lock, NULL);
  space->has_poison = td_poison_is_possible();
  space->extent_limit = UINT32_MAX;
  space->young_due = SIZE_MAX;
  space->epoch = td_first_epoch(space);
  td_young_set_byte(space);
  size_t max_blocks = max_bytes / TD_BLOCK_BYTES;
  size_t usable = space->block_count - 1u;
  space->max_blocks = (uint32_t)(max_blocks < usable ? max_blocks : usable);
  space->budget_blocks = space->max_blocks;
  return true;
}

void td_space_use_small_pages(struct td_space *space, size_t huge_from_bytes) {
  size_t slabs = (huge_from_bytes + TD_SLAB_BYTES - 1) / TD_SLAB_BYTES;
  space->first_huge_slab = slabs && slabs < UINT32_MAX ? (uint32_t)slabs : UINT32_MAX;
}

void td_space_deinit(struct td_space *space) {
  if (!space->base) return;
  pthread_mutex_destroy(&space->lock);
  /* Others may get these addresses next. */
  for (size_t slab = 0; space->has_poison && slab < space->frontier / TD_SLAB_BLOCKS; slab++)
    if (space->slab_committed[slab]) td_unpoison(space->base + slab * TD_SLAB_BYTES, TD_SLAB_BYTES);
  td_layouts_deinit(&space->layouts);
  unmap_all(space);
}
