/* SPDX-License-Identifier: MIT */
/* Linux: how much memory and how many CPUs this process may use.
 *
 * A control group's limit holds for everything below it, so the group of the process and all its
 * ancestors are asked. Both hierarchies are looked for where systems mount them: version 2 at
 * /sys/fs/cgroup (or …/unified), version 1 with a folder for each controller. In a container the
 * group's own path is often not visible. Then only the root of the mount is asked, which is the
 * container's group. */
#include "platform/linux_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/platform.h"

#define LINE_BYTES 4096
#define PATH_BYTES (2 * LINE_BYTES)
#define PERIOD_US_DEFAULT 100000u /* the kernel's own */

/* Reads the beginning of a small file. No stream: a dozen of these files are read when a program
 * starts, and a stream would ask for the file's size and allocate a buffer each time. */
static bool read_line(const char *path, char *line, size_t bytes) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t got = read(file, line, bytes - 1);
  close(file);
  if (got <= 0) return false;
  line[got] = 0;
  char *end = strchr(line, '\n');
  if (end) end[1] = 0;
  return true;
}

/* Reads a number that a space or the end follows. "max", or anything else that is no number, means
 * that there is no limit. */
static bool parse_u64(const char *text, uint64_t *value, const char **rest) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  *value = strtoull(text, &end, 10);
  if (rest) *rest = end;
  return errno == 0 && (*end == 0 || *end == '\n' || *end == ' ');
}

/* Reads the limit in one group's folder and lowers *limit to it. */
typedef void (*limit_fn)(const char *folder, uint64_t *limit);

/* Reads the number in a file of the folder and, unless `second` is NULL, one that may follow. */
static bool read_numbers(const char *folder, const char *name, uint64_t *first, uint64_t *second) {
  char path[PATH_BYTES + 32], line[128];
  const char *rest;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (!read_line(path, line, sizeof line) || !parse_u64(line, first, &rest)) return false;
  return !second || *rest != ' ' || parse_u64(rest + 1, second, NULL);
}

static void memory_v2(const char *folder, uint64_t *limit) {
  uint64_t value;
  if (read_numbers(folder, "memory.max", &value, NULL) && value < *limit) *limit = value;
}

static void memory_v1(const char *folder, uint64_t *limit) {
  uint64_t value;
  if (read_numbers(folder, "memory.limit_in_bytes", &value, NULL) && value < *limit) *limit = value;
}

static void lower_to_quota(uint64_t quota, uint64_t period, uint64_t *limit) {
  if (quota == 0 || period == 0) return;
  uint64_t cpus = quota / period + (quota % period != 0);
  if (cpus < *limit) *limit = cpus;
}

static void cpus_v2(const char *folder, uint64_t *limit) {
  uint64_t quota, period = PERIOD_US_DEFAULT;
  if (read_numbers(folder, "cpu.max", &quota, &period)) lower_to_quota(quota, period, limit);
}

static void cpus_v1(const char *folder, uint64_t *limit) {
  uint64_t quota, period;
  if (read_numbers(folder, "cpu.cfs_quota_us", &quota, NULL) &&
      read_numbers(folder, "cpu.cfs_period_us", &period, NULL))
    lower_to_quota(quota, period, limit);
}

/* Asks the group at mount + group and its ancestors up to the mount itself. */
static void walk_up(const char *mount, const char *group, limit_fn read_limit, uint64_t *limit) {
  char folder[PATH_BYTES];
  int length = snprintf(folder, sizeof folder, "%s%s", mount, group);
  if (length < 0 || (size_t)length >= sizeof folder) return;
  size_t root = strlen(mount);
  while (strlen(folder) > root) {
    read_limit(folder, limit);
    char *slash = strrchr(folder + root, '/');
    if (!slash) return;
    *slash = 0;
  }
  read_limit(folder, limit);
}

static bool names_controller(const char *list, const char *end, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const char *stop = comma ? comma : end;
    if ((size_t)(stop - at) == length && memcmp(at, name, length) == 0) return true;
    at = stop + 1;
  }
  return false;
}

/* How to read one controller's limit, in either version. */
struct controller {
  const char *name;
  limit_fn v2, v1;
};

/* Returns the part of a group's path that can be asked. A path with ".." leads out of this
 * process's namespace; then only the mount's root is left, which is the namespace's own group. */
static const char *visible_part(const char *group) {
  if (*group != '/' || group[1] == 0) return "";
  for (const char *at = strstr(group, "/.."); at; at = strstr(at + 3, "/.."))
    if (at[3] == '/' || at[3] == 0) return "";
  return group;
}

/* Asks the group of one line, "number:controllers:path". Version 2 names no controllers. */
static void read_group(const char *root, char *line, const struct controller *c, uint64_t *limit) {
  char *list = strchr(line, ':');
  char *path = list ? strchr(list + 1, ':') : NULL;
  if (!path) return;
  list++;
  const char *group = visible_part(path + 1);
  char mount[PATH_BYTES];
  if (list == path) {
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
    walk_up(mount, group, c->v2, limit);
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/unified", root);
    walk_up(mount, group, c->v2, limit);
  } else if (names_controller(list, path, c->name)) {
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/%.*s", root, (int)(path - list), list);
    walk_up(mount, group, c->v1, limit);
    if ((size_t)(path - list) == strlen(c->name)) return; /* the next would be the same */
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/%s", root, c->name);
    walk_up(mount, group, c->v1, limit);
  }
}

/* Of a line that is too long only the beginning is used. It still names ancestors of the group. */
static uint64_t group_limit(const char *root, const struct controller *c, uint64_t limit) {
  char line[LINE_BYTES];
  snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
  FILE *file = fopen(line, "re");
  if (!file) return limit;
  bool begins = true;
  while (fgets(line, sizeof line, file)) {
    size_t length = strcspn(line, "\n");
    bool ends = line[length] == '\n';
    line[length] = 0;
    if (begins) read_group(root, line, c, &limit);
    begins = ends;
  }
  fclose(file);
  return limit;
}

uint64_t td_group_memory_bytes(const char *root, uint64_t limit) {
  return group_limit(root, &(struct controller){"memory", memory_v2, memory_v1}, limit);
}

uint64_t td_group_cpus(const char *root, uint64_t limit) {
  return group_limit(root, &(struct controller){"cpu", cpus_v2, cpus_v1}, limit);
}

/* ---- Asked once ----
 *
 * The answers lie in two dozen files. To read them for each heap would be a third of what a heap
 * costs that lives for a thousand allocations. Caches stay as they are, and who bounds a process
 * does so before it begins. */

static uint64_t group_memory_bytes, group_cpus;
static size_t second_cache_bytes, last_cache_bytes;

/* Reads a file of the folder index`i` of a processor. There is one for each of its caches. */
static bool read_cache(unsigned i, const char *file, char *line, size_t bytes) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", i, file);
  return read_line(path, line, bytes);
}

/* Sizes are told in KiB. */
static void ask_caches(void) {
  unsigned long highest = 1;
  for (unsigned i = 0; i < 8; i++) {
    char line[32];
    if (!read_cache(i, "level", line, sizeof line)) break;
    unsigned long level = strtoul(line, NULL, 10);
    if (level <= highest || !read_cache(i, "size", line, sizeof line)) continue;
    highest = level;
    last_cache_bytes = strtoull(line, NULL, 10) << 10;
    if (level == 2) second_cache_bytes = last_cache_bytes;
  }
}

static void ask(void) {
  int saved = errno;
  group_memory_bytes = td_group_memory_bytes("", UINT64_MAX);
  group_cpus = td_group_cpus("", UINT64_MAX);
  ask_caches();
  errno = saved;
}

static void ask_once(void) {
  static pthread_once_t asked = PTHREAD_ONCE_INIT;
  pthread_once(&asked, ask);
}

size_t td_plat_cache_bytes(void) {
  ask_once();
  return second_cache_bytes;
}

size_t td_plat_last_cache_bytes(void) {
  ask_once();
  return last_cache_bytes;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

size_t td_plat_memory_bytes(void) {
  int saved = errno;
  ask_once();
  long pages = sysconf(_SC_PHYS_PAGES);
  uint64_t bytes = pages > 0 ? (uint64_t)pages * td_plat_page_bytes() : SIZE_MAX;
  errno = saved;
  return (size_t)least(least(bytes, group_memory_bytes), td_plat_own_bytes());
}

size_t td_plat_own_bytes(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return (size_t)limit.rlim_cur;
}

/* Returns the affinity mask, of *bytes; NULL if there is no memory, or if the system does not tell.
 * If that of a large machine does not fit, the kernel says EINVAL, and a longer one is tried. */
static cpu_set_t *affinity(size_t *bytes) {
  for (size_t cpus = CPU_SETSIZE; cpus <= (size_t)1 << 20; cpus *= 4) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (!set) return NULL;
    *bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(*bytes, set);
    if (sched_getaffinity(0, *bytes, set) == 0) return set;
    int reason = errno;
    CPU_FREE(set);
    if (reason != EINVAL) return NULL;
  }
  return NULL;
}

static unsigned cpus_by_affinity(void) {
  size_t bytes;
  cpu_set_t *set = affinity(&bytes);
  int count = set ? CPU_COUNT_S(bytes, set) : 0;
  if (set) CPU_FREE(set);
  if (count > 0) return (unsigned)count;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

unsigned td_plat_cpus_allowed(void) {
  int saved = errno;
  ask_once();
  uint64_t cpus = least(cpus_by_affinity(), group_cpus);
  errno = saved;
  return cpus > 0 ? (unsigned)cpus : 1;
}

/* Intel's processors are of a kind that was measured if they have VBMI2: from Ice Lake on. */
enum td_plat_avx512 td_plat_avx512(void) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
    return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512vbmi2") ? TD_PLAT_AVX512_FAST
                                                                              : TD_PLAT_AVX512_RUNS;
#endif
  return TD_PLAT_AVX512_NONE;
}
