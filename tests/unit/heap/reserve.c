/* SPDX-License-Identifier: MIT */
/* Heaps when address space is scarce, in a child process with a limit of its own. */
#include <sys/resource.h>

#include "tests/unit/heap/common.h"

/* Leaves the process `more_bytes` of address space. */
static bool limit_to(size_t more_bytes) {
  size_t bytes = process_bytes().reserved + more_bytes;
  struct rlimit limit = {bytes, bytes};
  return setrlimit(RLIMIT_AS, &limit) == 0;
}

static int none(void) {
  if (!limit_to(16 * MIB)) return 2;
  size_t before = process_bytes().reserved;
  struct td_space heap;
  struct tide_error error = {.status = TIDE_OK};
  if (td_space_init(&heap, false, (size_t)1 << 30, SIZE_MAX, &error)) return 3;
  if (error.status != TIDE_ERROR_SYSTEM || !strstr(error.text, "address space")) return 4;
  if (heap.base != 0 || td_space_init(&heap, false, 64 * MIB, SIZE_MAX, NULL)) return 5;
  return process_bytes().reserved > before + MIB ? 6 : 0; /* nothing was left mapped */
}

/* Tables of a long range are writable as far as it is used. */
static int little_to_write(void) {
  struct rlimit limit = {64 * MIB, 64 * MIB};
  struct td_space heap;
  enum td_room room;
  if (setrlimit(RLIMIT_DATA, &limit) != 0) return 2;
  if (!td_space_init(&heap, true, (size_t)64 << 30, SIZE_MAX, NULL)) return 3;
  if (heap.reserved_bytes < (size_t)32 << 30) return 4;
  char *object = (char *)td_space_alloc_large(&heap, TIDE_LAYOUT_LEAF, 4 * MIB, &room);
  if (!object || !is_zero(object, 4 * MIB)) return 5;
  while (td_space_alloc_large(&heap, TIDE_LAYOUT_LEAF, TD_BLOCK_BYTES, &room)) {
  }
  if (room != TD_ROOM_NO_MEMORY) return 6;
  struct tide_bump bump = {0};
  room = TD_ROOM;
  if (td_space_refill(&heap, &bump, TIDE_LAYOUT_LEAF, 16, &room) != 0) return 7;
  if (room != TD_ROOM_NO_MEMORY) return 8;
  td_space_deinit(&heap);
  return 0;
}

/* Large objects that the heap has room for, in MiB. */
static size_t fill(struct td_space *heap) {
  enum td_room room;
  size_t count = 0;
  while (td_space_alloc_large(heap, TIDE_LAYOUT_LEAF, MIB, &room))
    count++;
  return count;
}

/* The heap has most of what there is, unless others come first. What they have is not the heap's,
 * be it inside the range. */
static int shared(void) {
  struct td_space heap;
  if (!limit_to(256 * MIB)) return 2;
  size_t before = process_bytes().reserved;
  if (!td_space_init(&heap, false, (size_t)1 << 40, SIZE_MAX, NULL)) return 3;
  char *theirs = td_plat_map(96 * MIB);
  if (!theirs || td_space_owns(&heap, (uintptr_t)theirs)) return 4;
  memset(theirs, 1, 96 * MIB);
  size_t count = fill(&heap);
  if (count < 80 || theirs[0] != 1 || memcmp(theirs, theirs + 1, 96 * MIB - 1) != 0) return 5;
  if (td_space_owns(&heap, (uintptr_t)theirs)) return 6;
  td_plat_unmap(theirs, 96 * MIB);
  count += fill(&heap);
  if (count < 160) return 7;
  theirs = td_plat_map(8 * MIB);
  if (!theirs) return 8;
  td_space_deinit(&heap);
  theirs[0] = theirs[8 * MIB - 1] = 1;
  td_plat_unmap(theirs, 8 * MIB);
  return process_bytes().reserved > before + MIB ? 9 : 0;
}

#ifdef TD_SANITIZE_address
#define LIMITS_WORK false /* AddressSanitizer has memory of its own, and takes all addresses */
#else
#define LIMITS_WORK true
#endif

Test(reserve, tables_take_what_is_used, .disabled = !LIMITS_WORK) {
  cr_assert_eq(in_child(little_to_write), 0);
}

Test(reserve, is_shared_where_there_is_little, .disabled = !LIMITS_WORK) {
  cr_assert_eq(in_child(shared), 0);
}

Test(reserve, says_so_when_there_is_too_little, .disabled = !LIMITS_WORK) {
  cr_assert_eq(in_child(none), 0);
}

Test(reserve, pages_of_the_system_fit_into_blocks) {
  cr_assert(td_space_can_use_pages(4096));
  cr_assert(td_space_can_use_pages(16384));
  cr_assert(td_space_can_use_pages(65536));
  cr_assert_not(td_space_can_use_pages(131072));
  cr_assert_not(td_space_can_use_pages(0));
}

/* What is promised to fit: the objects and their side tables, and something for the program. */
Test(reserve, a_share_of_memory_leaves_room_for_side_tables) {
  size_t sizes[] = {0, 64 * MIB, (size_t)1 << 30, (size_t)7 << 30, (size_t)1 << 44};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t share = td_space_share_of(sizes[i]), blocks = share / TD_BLOCK_BYTES;
    size_t tables =
        share / TD_GRANULE_BYTES +
        blocks * (sizeof(struct td_block) + sizeof(struct td_block_info) + TD_BLOCK_PAGES + 1);
    cr_assert_leq(share + tables, sizes[i] - sizes[i] / 16, "%zu", sizes[i]);
  }
  cr_assert_leq(td_space_share_of(SIZE_MAX), SIZE_MAX);
}

Test(reserve, no_number_of_blocks_overflows, .disabled = !LIMITS_WORK) {
  struct td_space heap;
  size_t sizes[] = {(size_t)1 << 46, (size_t)1 << 48, SIZE_MAX / 2, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    heap_open_with(&heap, false, sizes[i], SIZE_MAX);
    cr_assert_eq((size_t)heap.block_count, heap.reserved_bytes / TD_BLOCK_BYTES);
    cr_assert_eq(heap.max_blocks, heap.block_count - 1);
    td_space_deinit(&heap);
  }
}

Test(reserve, ranges_are_aligned_to_slabs) {
  struct td_space heap;
  size_t sizes[] = {0, 1, 64 * MIB, 65 * MIB + 4097, 3 * (size_t)1 << 30};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    heap_open_with(&heap, false, sizes[i], SIZE_MAX);
    cr_assert_eq(heap.base % TD_SLAB_BYTES, 0);
    cr_assert_eq(heap.reserved_bytes % TD_SLAB_BYTES, 0);
    cr_assert_geq(heap.reserved_bytes, 64 * MIB);
    td_space_deinit(&heap);
  }
  td_space_deinit(&heap); /* again: nothing happens */
}
