/* SPDX-License-Identifier: MIT */
/* What a small heap costs that is made, holds a thousand objects and goes: calls of the system, and
 * memory. Both come out the same on a busy machine. */
#include <sys/mman.h>

#include "tests/stress/driver.h"
#include "tests/wrap.h"

enum {
  HEAPS = 16,
  OBJECTS = 1000,
  OBJECT_BYTES = 32,
  /* Four more than there are: systems before Linux 6.7 place ranges where they cross huge pages,
   * and what crosses is cut off. */
  MAPPINGS_MOST = 29,
  RESIDENT_MOST = 128, /* KiB, of which the objects take 32 */
};

/* ---- Calls that are counted ---- */

static unsigned mappings, files;

WRAP(void *, mmap, void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  mappings++;
  return __real_mmap(at, bytes, protection, flags, file, offset);
}
WRAP(int, munmap, void *at, size_t bytes) {
  mappings++;
  return __real_munmap(at, bytes);
}
WRAP(int, mprotect, void *at, size_t bytes, int protection) {
  mappings++;
  return __real_mprotect(at, bytes, protection);
}
WRAP(int, madvise, void *at, size_t bytes, int advice) {
  mappings++;
  return __real_madvise(at, bytes, advice);
}
WRAP(int, open, const char *path, int flags, ...) {
  files++;
  return __real_open(path, flags); /* nobody makes a file */
}
WRAP(FILE *, fopen, const char *path, const char *mode) {
  files++;
  return __real_fopen(path, mode);
}

/* ---- Heaps ---- */

static struct tide_heap *heaps[HEAPS];
static struct tide_mutator *mutators[HEAPS];

static bool small_pages;

static void make(int i) {
  heaps[i] = HEAP(.small_pages = small_pages, .markers = 2);
  mutators[i] = ATTACH(heaps[i]);
  for (int k = 0; k < OBJECTS; k++) {
    uint64_t *object = new_object(mutators[i], TIDE_LAYOUT_LEAF, OBJECT_BYTES);
    *object = 1;
  }
}

static void unmake(int i) {
  heap_end(heaps[i], mutators[i]);
}

static long resident_pages(void) {
  long pages[2];
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &pages[0], &pages[1]) == 2);
  fclose(file);
  return pages[1];
}

/* Returns the memory of one heap, in KiB. */
static double resident(void) {
  long before = resident_pages();
  for (int i = 0; i < HEAPS; i++)
    make(i);
  double pages = (double)(resident_pages() - before) / HEAPS;
  for (int i = 0; i < HEAPS; i++)
    unmake(i);
  return pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static void measure(void) {
  make(0);
  unmake(0); /* what happens once for a process has happened */
  mappings = files = 0;
  make(0);
  unmake(0);
  printf("%s: %u calls for mappings, %u files\n", small_pages ? "small pages" : "huge pages",
         mappings, files);
  CHECK(mappings <= MAPPINGS_MOST);
  CHECK(files == 0);

  double fresh = resident(), again = resident();
  printf("%.0f KiB a heap, %.0f where others were\n", fresh, again);
  if (sysconf(_SC_PAGESIZE) == 4096) CHECK(fresh <= RESIDENT_MOST && again <= RESIDENT_MOST);
}

int main(void) {
  measure();
  small_pages = true;
  measure();
  return 0;
}
