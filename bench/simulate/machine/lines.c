/* SPDX-License-Identifier: MIT */
#include "bench/simulate/machine/lines.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define RANGES_MAX 1024u /* each of 256 markers has some */
#define FOREIGN_LOG2 20  /* lines outside of all ranges that are known at once */

struct range {
  uintptr_t start, end;
  uint32_t first; /* number of its first line */
  uint64_t *words;
};

struct foreign {
  uint64_t key; /* line address + 1 */
  uint32_t number;
};

static struct {
  uint64_t fresh;
  struct range range[RANGES_MAX]; /* in the order of their addresses */
  unsigned ranges;
  unsigned latest; /* the range found last */
  uint32_t lines;  /* numbers given so far */
  struct foreign *foreign;
  uint64_t *foreign_words;
  uint32_t foreign_count;
} known;

void *td_sim_reserve(size_t bytes) {
  void *at =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return NULL;
  madvise(at, bytes, MADV_HUGEPAGE);
  return at;
}

bool td_sim_lines_begin(uint64_t fresh) {
  known.fresh = fresh;
  known.foreign = td_sim_reserve(sizeof *known.foreign << FOREIGN_LOG2);
  known.foreign_words = td_sim_reserve(sizeof *known.foreign_words << FOREIGN_LOG2);
  known.lines = 1u << FOREIGN_LOG2;
  return known.foreign && known.foreign_words;
}

void td_sim_lines_range(const void *start, size_t bytes) {
  size_t lines = (bytes >> TD_SIM_LINE_LOG2) + 1;
  if (known.ranges == RANGES_MAX || lines > UINT32_MAX - known.lines) return;
  uint64_t *words = td_sim_reserve(lines * sizeof *words);
  if (!words) return;
  unsigned at = known.ranges++;
  for (; at > 0 && known.range[at - 1].start > (uintptr_t)start; at--)
    known.range[at] = known.range[at - 1];
  known.range[at] = (struct range){.start = (uintptr_t)start,
                                   .end = (uintptr_t)start + bytes,
                                   .first = known.lines,
                                   .words = words};
  known.lines += (uint32_t)lines;
}

static bool is_in(const struct range *range, uintptr_t address) {
  return address - range->start < range->end - range->start;
}

static const struct range *range_of(uintptr_t address) {
  if (known.ranges == 0) return NULL;
  if (is_in(&known.range[known.latest], address)) return &known.range[known.latest];
  unsigned from = 0, to = known.ranges; /* the last range that begins at the address or before */
  while (to - from > 1) {
    unsigned middle = (from + to) / 2;
    if (known.range[middle].start <= address)
      from = middle;
    else
      to = middle;
  }
  if (!is_in(&known.range[from], address)) return NULL;
  known.latest = from;
  return &known.range[from];
}

bool td_sim_lines_has(uintptr_t address) {
  return range_of(address) != NULL;
}

static void too_large(void) {
  fputs("tidemark: simulate: the heap is too large for the simulated machine: 64 MiB of queues, or "
        "a heap limit over 200 GiB\n",
        stderr);
  _exit(4);
}

/* Lines outside of all ranges are numbered in the order in which they are first used. */
static uint32_t foreign_number(uint64_t key) {
  uint32_t mask = (1u << FOREIGN_LOG2) - 1;
  uint32_t at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) & mask;
  while (known.foreign[at].key != key + 1) {
    if (known.foreign[at].key == 0) {
      if (known.foreign_count == mask) too_large();
      known.foreign[at] = (struct foreign){.key = key + 1, .number = known.foreign_count++};
      known.foreign_words[known.foreign[at].number] = known.fresh;
    }
    if (known.foreign[at].key != key + 1) at = (at + 1) & mask;
  }
  return known.foreign[at].number;
}

uint32_t td_sim_line_of(uintptr_t address, uint64_t **word) {
  const struct range *range = range_of(address);
  if (!range) {
    uint32_t number = foreign_number(address >> TD_SIM_LINE_LOG2);
    *word = &known.foreign_words[number];
    return number;
  }
  uint32_t offset = (uint32_t)((address >> TD_SIM_LINE_LOG2) - (range->start >> TD_SIM_LINE_LOG2));
  *word = &range->words[offset];
  if (**word == 0) **word = known.fresh;
  return range->first + offset;
}
