/* Allocation where the system gives no memory, far below the heap's limit: it is refused at once,
 * and the budget stays near what is used. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gc/base/state.h"
#include "tests/unit/gc/common.h"

#define GIB ((size_t)1 << 30)

/* Returns what the system counts as this process's data, 0 if it does not say. */
static size_t data_bytes(void) {
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*u %*u %*u %*u %*u %zu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The child's exit status; it must not use Criterion. It may have 128 MiB more than it has. */
static int starved(void) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = 16 * GIB;
  options.markers = 1;
  struct tide_heap *heap = tide_heap_create(&options, NULL);
  struct tide_mutator *mutator = heap ? tide_attach(heap, NULL, NULL) : NULL;
  if (!mutator) return 2;
  size_t bytes = data_bytes();
  struct rlimit limit = {bytes + GIB / 8, bytes + GIB / 8};
  if (bytes == 0 || setrlimit(RLIMIT_DATA, &limit) != 0) return 3;
  if (tide_alloc(mutator, TIDE_LAYOUT_LEAF, GIB)) return 4;
  if (tide_alloc_status(mutator) != TIDE_ERROR_MEMORY) return 5;
  if (heap->space.budget_blocks > 4 * GIB / TD_BLOCK_BYTES) return 6;
  if (!tide_alloc(mutator, TIDE_LAYOUT_LEAF, GIB / 1024)) return 7; /* less than there is */
  if (tide_detach(mutator) != TIDE_OK || tide_heap_destroy(heap) != TIDE_OK) return 8;
  return 0;
}

Test(refused, for_want_of_memory_below_the_limit) {
#if defined(TD_SANITIZE_address)
  cr_skip_test("AddressSanitizer needs memory of its own");
#endif
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) _exit(starved());
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFEXITED(status));
  cr_assert_eq(WEXITSTATUS(status), 0, "step %d", WEXITSTATUS(status));
}
