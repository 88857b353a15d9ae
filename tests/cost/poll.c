/* SPDX-License-Identifier: MIT */
/* What polling costs in time: tight loops with a poll and without, in turns, and the median of the
 * ratios. Time is the thread's own, so that neighbours count little. Checked is only that the loops
 * compute the same.
 * Arguments: rounds, words of the array. */
#include "tests/cost/loops.h"
#include "tests/stress/driver.h"

#define TURNS_PER_ROUND ((size_t)1 << 19)

static struct tide_mutator *m;
static uint64_t *array;
static size_t words;
static struct link *list;

static uint64_t plain_sum(size_t strip) {
  (void)strip;
  return sum_plain(m, array, words);
}
static uint64_t polled_sum(size_t strip) {
  return strip == 1 ? sum_polled(m, array, words) : sum_strip(m, array, words, strip);
}
static uint64_t plain_mix(size_t strip) {
  (void)strip;
  return mix_plain(m, array, words);
}
static uint64_t polled_mix(size_t strip) {
  return strip == 1 ? mix_polled(m, array, words) : mix_strip(m, array, words, strip);
}
static uint64_t plain_walk(size_t strip) {
  (void)strip;
  return walk_plain(m, list);
}
static uint64_t polled_walk(size_t strip) {
  (void)strip;
  return walk_polled(m, list);
}

static double thread_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_of(uint64_t (*loop)(size_t), size_t strip, uint64_t *result) {
  double begin = thread_ns();
  for (size_t turns = 0; turns < TURNS_PER_ROUND; turns += words)
    *result += loop(strip);
  return thread_ns() - begin;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const char *name, uint64_t (*plain)(size_t), uint64_t (*polled)(size_t),
                    size_t strip, size_t rounds) {
  double *ratio = calloc(rounds, sizeof *ratio), *base = calloc(rounds, sizeof *base);
  uint64_t with = 0, without = 0;
  CHECK(ratio && base);
  for (size_t r = 0; r < rounds; r++) {
    bool first = r % 2; /* which of them runs first changes */
    double a = first ? time_of(polled, strip, &with) : 0;
    base[r] = time_of(plain, strip, &without);
    double b = first ? a : time_of(polled, strip, &with);
    ratio[r] = b / base[r];
  }
  CHECK(with == without);
  qsort(ratio, rounds, sizeof *ratio, by_size);
  qsort(base, rounds, sizeof *base, by_size);
  printf(
      "%-5s a poll every %5zu turns: time x %.3f (quartiles %.3f, %.3f); without %.2f ns a turn\n",
      name, strip, ratio[rounds / 2], ratio[rounds / 4], ratio[rounds * 3 / 4],
      base[rounds / 2] / (double)TURNS_PER_ROUND);
  free(ratio);
  free(base);
}

static void prepare(void) {
  struct tide_heap *heap = HEAP();
  m = ATTACH(heap);
  CHECK((array = calloc(words, sizeof *array)));
  CHECK(tide_root_add(heap, &list) == TIDE_OK);
  const size_t offset = offsetof(struct link, next);
  tide_layout layout = tide_layout_offsets(heap, sizeof(struct link), &offset, 1, NULL);
  for (size_t i = 0; i < words; i++) {
    array[i] = i * UINT64_C(0xd1342543de82ef95);
    struct link *link = tide_alloc(m, layout, sizeof *link);
    CHECK(link);
    link->value = i;
    link->next = list;
    list = link;
  }
}

int main(int count, char **arguments) {
  size_t rounds = argument(count, arguments, 1, 9);
  words = argument(count, arguments, 2, 8192);
  CHECK(rounds > 0 && words > 0 && words <= TURNS_PER_ROUND);
  prepare();
  static const size_t strips[] = {1, 16, 64, 1024, 8192};
  for (size_t i = 0; i < sizeof strips / sizeof strips[0]; i++)
    measure("sum", plain_sum, polled_sum, strips[i], rounds);
  for (size_t i = 0; i < sizeof strips / sizeof strips[0]; i++)
    measure("mix", plain_mix, polled_mix, strips[i], rounds);
  measure("walk", plain_walk, polled_walk, 1, rounds);
  struct tide_heap *heap = tide_heap_of(m);
  free(array);
  CHECK(tide_root_remove(heap, &list) == TIDE_OK);
  heap_end(heap, m);
  return 0;
}
