/* What a live set that swings costs by either source of slabs: a list of so many MiB is built and
 * dropped, and some collections follow. CPU time is printed and not judged; checked is that memory
 * comes and goes. Arguments: MiB, swings, collections between two. */
#include <sys/resource.h>
#include <unistd.h>

#include "tests/stress/driver.h"
#include "tide/stats.h"
#include "tide/tide.h"

enum { NODE_BYTES = 64, NODES_PER_MIB = (1 << 20) / NODE_BYTES };

static struct tide_mutator *m;
static void **head; /* a root */

static void build(uint64_t mib) {
  for (uint64_t i = 0; i < mib * NODES_PER_MIB; i++) {
    void **node = tide_alloc(m, TIDE_LAYOUT_REFS, NODE_BYTES);
    CHECK(node);
    node[0] = head;
    head = node;
  }
}

static uint64_t resident_mib(void) {
  unsigned long total, resident;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%lu %lu", &total, &resident) == 2);
  fclose(file);
  return resident * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;
}

static double ms(struct timeval time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

int main(int count, char **arguments) {
  uint64_t mib = argument(count, arguments, 1, 32), swings = argument(count, arguments, 2, 5);
  uint64_t between = argument(count, arguments, 3, 10), low = 0, high = 0;
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = (size_t)(mib * 8 + 64) << 20;
  options.markers = 1;
  struct tide_heap *heap = tide_heap_create(&options, NULL);
  CHECK(heap && swings > 0 && (m = tide_attach(heap, NULL, NULL)));
  CHECK(tide_root_add(heap, &head) == TIDE_OK);
  for (uint64_t i = 0; i < swings; i++) {
    build(mib);
    if (resident_mib() > high) high = resident_mib();
    head = NULL;
    for (uint64_t k = 0; k < between; k++)
      CHECK(tide_collect(m) == TIDE_OK);
    low += resident_mib();
  }
  struct rusage usage;
  struct tide_heap_stats stats;
  getrusage(RUSAGE_SELF, &usage);
  tide_heap_stats(heap, &stats);
  printf("%" PRIu64 " MiB, %" PRIu64 " swings: CPU %.1f ms a swing, in all %.0f ms in the kernel; "
         "resident at most %" PRIu64 " MiB, in the troughs %" PRIu64 "; committed %" PRIu64 "\n",
         mib, swings, (ms(usage.ru_utime) + ms(usage.ru_stime)) / (double)swings,
         ms(usage.ru_stime), high, low / swings, stats.committed_bytes >> 20);
  CHECK(stats.committed_bytes <= stats.peak_committed_bytes);
  CHECK(stats.peak_committed_bytes >= mib << 20);
  CHECK(tide_root_remove(heap, &head) == TIDE_OK);
  CHECK(tide_detach(m) == TIDE_OK);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  return 0;
}
