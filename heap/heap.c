/* A heap's reservation and side tables. */
#include "heap/slabs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RESERVE_MIN ((size_t)64 << 20)

static void say(struct tide_error *error, enum tide_status status, const char *what, size_t bytes) {
  if (!error) return;
  error->status = status;
  snprintf(error->text, sizeof error->text, "%s (%zu MiB): %s", what, bytes >> 20, strerror(errno));
}

/* One mapping per side table, readable at once: pages that are never touched cost nothing. */
static void *map_table(size_t bytes) {
  size_t page = td_plat_page_bytes();
  bytes = (bytes + page - 1) / page * page;
  void *table = td_plat_reserve(bytes, page);
  if (!table) return NULL;
  if (!td_plat_commit(table, bytes)) {
    td_plat_release(table, bytes);
    return NULL;
  }
  return table;
}

static void unmap_table(void *table, size_t bytes) {
  size_t page = td_plat_page_bytes();
  if (table) td_plat_release(table, (bytes + page - 1) / page * page);
}

static size_t free_bits_bytes(const struct td_heap *heap) {
  return ((size_t)heap->block_count + 63) / 64 * 8;
}

#define UNSWEPT_BYTES ((size_t)TIDE_LAYOUT_MAX * TIDE_BUMP_SLOTS * sizeof(uint32_t))

static void unmap_all(struct td_heap *heap) {
  size_t count = heap->block_count;
  unmap_table(heap->marks, heap->granules);
  unmap_table(heap->blocks, count * sizeof *heap->blocks);
  unmap_table(heap->infos, count * sizeof *heap->infos);
  unmap_table((void *)heap->flags, heap->flag_pages * TD_FLAG_ROWS);
  unmap_table(heap->free_bits, free_bits_bytes(heap));
  unmap_table(heap->unswept, UNSWEPT_BYTES);
  unmap_table(heap->slab_committed, count / TD_SLAB_BLOCKS);
  if (heap->base) td_plat_release((void *)heap->base, heap->reserved_bytes);
}

static bool map_all(struct td_heap *heap, size_t reserve_bytes) {
  heap->reserved_bytes = reserve_bytes;
  heap->granules = reserve_bytes / TD_GRANULE_BYTES;
  heap->block_count = (uint32_t)(reserve_bytes / TD_BLOCK_BYTES);
  size_t count = heap->block_count;
  heap->base = (uintptr_t)td_plat_reserve(reserve_bytes, TD_SLAB_BYTES);
  if (!heap->base) return false;
  heap->marks = map_table(heap->granules);
  heap->blocks = map_table(count * sizeof *heap->blocks);
  heap->infos = map_table(count * sizeof *heap->infos);
  heap->flag_pages = count * TD_BLOCK_PAGES;
  heap->flags = map_table(heap->flag_pages * TD_FLAG_ROWS);
  heap->free_bits = map_table(free_bits_bytes(heap));
  heap->unswept = map_table(UNSWEPT_BYTES);
  heap->slab_committed = map_table(count / TD_SLAB_BLOCKS);
  if (heap->marks && heap->blocks && heap->infos && heap->flags && heap->free_bits &&
      heap->unswept && heap->slab_committed)
    return true;
  int saved = errno;
  unmap_all(heap);
  *heap = (struct td_heap){0};
  errno = saved;
  return false;
}

bool td_heap_init(struct td_heap *heap, size_t reserve_bytes, size_t max_bytes,
                  struct tide_error *error) {
  *heap = (struct td_heap){0};
  size_t wanted = reserve_bytes < RESERVE_MIN ? RESERVE_MIN : reserve_bytes;
  wanted = td_slabs_range_bytes(wanted) & ~(TD_SLAB_BYTES - 1);
  while (!map_all(heap, wanted)) {
    if (wanted / 2 < RESERVE_MIN) {
      say(error, TIDE_ERROR_SYSTEM, "cannot reserve address space for a heap", wanted);
      return false;
    }
    wanted = wanted / 2 & ~(TD_SLAB_BYTES - 1);
  }
  if (!td_layouts_init(&heap->layouts)) {
    say(error, TIDE_ERROR_MEMORY, "cannot allocate the table of layouts", 1);
    unmap_all(heap);
    return false;
  }
  if (!td_slabs_open(heap)) {
    say(error, TIDE_ERROR_SYSTEM, "cannot set up the source of slabs for a heap", wanted);
    td_layouts_deinit(&heap->layouts);
    unmap_all(heap);
    return false;
  }
  td_plat_advise_huge(heap->marks, heap->granules);
  pthread_mutex_init(&heap->lock, NULL);
  heap->epoch = heap->epoch_before = TD_EPOCH_FIRST;
  size_t max_blocks = max_bytes / TD_BLOCK_BYTES;
  size_t usable = heap->block_count - 1u;
  heap->max_blocks = (uint32_t)(max_blocks < usable ? max_blocks : usable);
  heap->budget_blocks = heap->max_blocks;
  return true;
}

void td_heap_deinit(struct td_heap *heap) {
  if (!heap->base) return;
  pthread_mutex_destroy(&heap->lock);
  td_layouts_deinit(&heap->layouts);
  td_slabs_close(heap);
  unmap_all(heap);
  *heap = (struct td_heap){0};
}
