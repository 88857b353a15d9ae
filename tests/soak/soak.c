/* SPDX-License-Identifier: MIT */
/* Hours of use, and whether the process grows meanwhile.
 *
 * Usage: soak [SECONDS [DRIFT_PERCENT [EVERY_SECONDS]]]
 *
 * Rounds follow each other until the time is over (default 3,600 s). After each, with nobody else
 * at work and the heap just collected, the process's resident memory is read, and how many threads,
 * open files and mappings it has. The first third of the samples is the warm-up: pools and the
 * fragmentation of the table settle. Judged is the median of the last sixth of all samples against
 * the median of the sixth that follows the warm-up: resident memory may differ by DRIFT_PERCENT
 * (default 1), threads and files not at all, mappings by 2 and a tenth.
 * Exit status: 0 held, 1 not, 2 usage. */
#include <dirent.h>

#include "tests/soak/work.h"
#include "tests/stress/driver.h"

enum { KIB, THREADS, FILES, MAPPINGS, MEASURES };
static const char *const names[MEASURES] = {"KiB resident", "threads", "files", "mappings"};

struct sample {
  uint64_t of[MEASURES];
};

static uint64_t count_lines(const char *path) {
  FILE *file = fopen(path, "r");
  CHECK(file);
  uint64_t lines = 0;
  for (int c; (c = getc(file)) != EOF;)
    lines += c == '\n';
  fclose(file);
  return lines;
}

static uint64_t count_entries(const char *path) {
  DIR *folder = opendir(path);
  CHECK(folder);
  uint64_t entries = 0;
  while (readdir(folder))
    entries++;
  closedir(folder);
  return entries;
}

static uint64_t resident_kib(void) {
  FILE *file = fopen("/proc/self/status", "r");
  CHECK(file);
  char line[256];
  uint64_t kib = 0;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, "VmRSS:", 6) == 0) kib = strtoull(line + 6, NULL, 10);
  fclose(file);
  CHECK(kib > 0);
  return kib;
}

static struct sample measure(void) {
  return (struct sample){{resident_kib(), count_entries("/proc/self/task"),
                          count_entries("/proc/self/fd"), count_lines("/proc/self/maps")}};
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t median(const struct sample *samples, size_t count, int which) {
  uint64_t *sorted = malloc(count * sizeof *sorted);
  CHECK(sorted && count > 0);
  for (size_t i = 0; i < count; i++)
    sorted[i] = samples[i].of[which];
  qsort(sorted, count, sizeof *sorted, compare);
  uint64_t middle = sorted[count / 2];
  free(sorted);
  return middle;
}

/* Returns whether all measures stayed what they were, and says so. */
static bool judge(const struct sample *samples, size_t count, double drift_percent) {
  size_t sixth = count / 6;
  bool held = true;
  for (int which = 0; which < MEASURES; which++) {
    double early = (double)median(samples + 2 * sixth, sixth, which);
    double late = (double)median(samples + count - sixth, sixth, which);
    double most = which == KIB        ? early * drift_percent / 100
                  : which == MAPPINGS ? 2 + early / 10
                                      : 0;
    double change = late - early;
    bool good = which == KIB ? change <= most && -change <= most : change <= most;
    held = held && good;
    printf("%s: %.0f, then %.0f (%+.2f %%): %s\n", names[which], early, late, 100 * change / early,
           good ? "held" : "DRIFTED");
  }
  return held;
}

static void tell(double seconds, const struct soak *soak, const struct sample *sample) {
  const struct tide_heap_stats stats = stats_of(soak->heap);
  printf("%7.0f s  %7" PRIu64 " rounds  %8" PRIu64 " collections  %6" PRIu64 " GiB allocated",
         seconds, soak->round, stats.collections, stats.allocated_bytes >> 30);
  for (int which = 0; which < MEASURES; which++)
    printf("  %" PRIu64 " %s", sample->of[which], names[which]);
  printf("\n");
  fflush(stdout);
}

int main(int count, char **arguments) {
  double length = (double)argument(count, arguments, 1, 3600);
  double drift_percent = (double)argument(count, arguments, 2, 1);
  double every = (double)argument(count, arguments, 3, 60);
  char folder[] = "/tmp/tidemark-soak-XXXXXX";
  CHECK(mkdtemp(folder));
  static struct soak soak;
  soak_begin(&soak, folder);
  struct sample *samples = NULL;
  size_t room = 0, taken = 0;
  double start = (double)now_ns() / 1e9, told = start;
  for (double now = start; now - start < length || taken < 12; now = (double)now_ns() / 1e9) {
    soak_round(&soak);
    if (taken == room) {
      /* The samples' own memory must not be what grows. */
      room = room ? 2 * room : (size_t)1 << 18;
      CHECK((samples = realloc(samples, room * sizeof *samples)));
      memset(samples + taken, 1, (room - taken) * sizeof *samples);
    }
    samples[taken++] = measure();
    if (now - told < every) continue;
    tell(now - start, &soak, &samples[taken - 1]);
    told = now;
  }
  tell((double)now_ns() / 1e9 - start, &soak, &samples[taken - 1]);
  bool held = judge(samples, taken, drift_percent);
  soak_end(&soak);
  free(samples);
  CHECK(rmdir(folder) == 0);
  return held ? 0 : 1;
}
