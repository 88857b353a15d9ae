#define _GNU_SOURCE 1
#include "bench/simulate/last_cache.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "bench/cli/clock.h"

#define MIB ((size_t)1 << 20)
#define LARGEST (64 * MIB) /* surely larger than what is measured */
#define LINE 64u
#define STEPS 100000u
#define ROUNDS 5u

/* Links the lines of [at, at + bytes) to one circle in random order (Sattolo): a line's first word
 * is the number of the next one, its second one is used up. */
static void link_lines(char *at, size_t bytes) {
  uint64_t random = UINT64_C(88172645463325252);
  size_t lines = bytes / LINE;
  for (size_t i = 0; i < lines; i++)
    *(size_t *)(void *)(at + i * LINE) = i;
  for (size_t i = lines - 1; i > 0; i--) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    size_t *one = (size_t *)(void *)(at + i * LINE);
    size_t *other = (size_t *)(void *)(at + random % i * LINE), kept = *one;
    *one = *other;
    *other = kept;
  }
}

/* Returns how long a step from line to line takes; the least of some rounds. */
static double time_of_step(const char *at, size_t bytes) {
  double least = 1e9;
  size_t line = 0;
  for (size_t i = 0; i < bytes / LINE; i++)
    line = *(const size_t *)(const void *)(at + line * LINE);
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint64_t begin = td_now_ns();
    for (unsigned i = 0; i < STEPS; i++)
      line = *(const size_t *)(const void *)(at + line * LINE);
    __asm__ volatile("" : : "r"(line));
    double ns = (double)(td_now_ns() - begin) / STEPS;
    if (ns < least) least = ns;
  }
  return least;
}

bool td_last_cache_measure(double *mib, double *ns) {
  char *at = mmap(NULL, LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  (void)madvise(at, LARGEST, MADV_HUGEPAGE); /* not to measure translation, if possible */
  link_lines(at, LARGEST);
  double memory = time_of_step(at, LARGEST);
  link_lines(at, MIB);
  *ns = time_of_step(at, MIB);
  *mib = 1;
  for (size_t bytes = 2 * MIB; bytes < LARGEST; bytes *= 2) {
    link_lines(at, bytes);
    if (time_of_step(at, bytes) > (memory + *ns) / 2) break;
    *mib = (double)bytes / (double)MIB;
  }
  munmap(at, LARGEST);
  return true;
}
