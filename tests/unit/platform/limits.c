/* SPDX-License-Identifier: MIT */
/* Limits of control groups, read from folders made up here. */
#include "platform/linux_limits.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MACHINE_BYTES (UINT64_C(64) << 30)
#define MACHINE_CPUS UINT64_C(16)

/* A folder that stands for the root of the file system, with what a test writes there. */
static char root[64];

static void begin(void) {
  strcpy(root, "/tmp/tide-unit-XXXXXX");
  cr_assert_not_null(mkdtemp(root));
}

static void end(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", root);
  cr_assert_eq(system(command), 0);
}

TestSuite(limits, .init = begin, .fini = end);

/* root/path with that content, and the folders that it needs. */
static void put(const char *path, const char *format, ...) {
  static char full[16384];
  snprintf(full, sizeof full, "%s/%s", root, path);
  for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
    *at = 0;
    mkdir(full, 0777);
    *at = '/';
  }
  FILE *file = fopen(full, "w");
  cr_assert_not_null(file, "%s", full);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  cr_assert_eq(fclose(file), 0);
}

static void memory_is(uint64_t bytes) {
  cr_expect_eq(td_group_memory_bytes(root, MACHINE_BYTES), bytes, "%llu",
               (unsigned long long)td_group_memory_bytes(root, MACHINE_BYTES));
}

static void cpus_are(uint64_t cpus) {
  cr_expect_eq(td_group_cpus(root, MACHINE_CPUS), cpus, "%llu",
               (unsigned long long)td_group_cpus(root, MACHINE_CPUS));
}

static void nothing_limits(void) {
  memory_is(MACHINE_BYTES);
  cpus_are(MACHINE_CPUS);
}

Test(limits, nothing_there) {
  nothing_limits();
  put("proc/self/cgroup", "");
  nothing_limits();
  put("proc/self/cgroup", "0::/app\n");
  nothing_limits();
}

Test(limits, version_2) {
  put("proc/self/cgroup", "0::/app.slice/job\n");
  put("sys/fs/cgroup/app.slice/job/memory.max", "1073741824\n");
  put("sys/fs/cgroup/app.slice/job/cpu.max", "250000 100000\n");
  memory_is(UINT64_C(1) << 30);
  cpus_are(3); /* two and a half */
}

Test(limits, the_group_may_be_the_mount_itself) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "6000000\n12\n"); /* the first line counts */
  put("sys/fs/cgroup/cpu.max", "100000 100000\n");
  memory_is(6000000);
  cpus_are(1);
}

Test(limits, version_2_max_is_none) {
  put("proc/self/cgroup", "0::/job\n");
  put("sys/fs/cgroup/job/memory.max", "max\n");
  put("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  nothing_limits();
}

Test(limits, version_2_ancestors_count_and_the_smallest_wins) {
  put("proc/self/cgroup", "0::/a/b/c\n");
  put("sys/fs/cgroup/a/b/c/memory.max", "max\n");
  put("sys/fs/cgroup/a/b/memory.max", "3000000\n");
  put("sys/fs/cgroup/a/memory.max", "2000000\n");
  put("sys/fs/cgroup/memory.max", "9000000\n"); /* the container's own group looks so from inside */
  put("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  put("sys/fs/cgroup/cpu.max", "50000 100000\n");
  memory_is(2000000);
  cpus_are(1);
}

Test(limits, version_2_group_not_visible) {
  static const char *const paths[] = {"/docker/abc", "/../../other", "/..", "no slash", ""};
  put("sys/fs/cgroup/memory.max", "4000000\n");
  put("sys/memory.max", "1\n"); /* outside the mount */
  put("memory.max", "1\n");
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    put("proc/self/cgroup", "0::%s\n", paths[i]);
    memory_is(4000000);
  }
}

Test(limits, a_name_may_begin_with_dots) {
  put("proc/self/cgroup", "0::/..a/..b\n");
  put("sys/fs/cgroup/..a/..b/memory.max", "5000000\n");
  memory_is(5000000);
}

Test(limits, version_1) {
  put("proc/self/cgroup",
      "9:cpuset:/x\n5:cpu,cpuacct:/job\n4:memory:/job/inner\n1:name=systemd:/\n");
  put("sys/fs/cgroup/memory/job/inner/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "268435456\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "400000\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  memory_is(UINT64_C(256) << 20);
  cpus_are(4);
  put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n"); /* by the controller's own name */
  put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  cpus_are(1);
}

Test(limits, version_1_minus_one_is_none) {
  put("proc/self/cgroup", "5:cpu:/\n4:memory:/\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "-1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  nothing_limits();
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "0\n");
  nothing_limits();
}

Test(limits, both_versions_mounted) {
  put("proc/self/cgroup", "4:memory:/job\n0::/job\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "7000000\n");
  put("sys/fs/cgroup/unified/job/cpu.max", "200000 100000\n");
  memory_is(7000000);
  cpus_are(2);
}

Test(limits, garbage_limits_nothing) {
  static const char *const texts[] = {
      "",       "\n",   " ",    "garbage\n", "12abc\n",
      "0x10\n", "-5\n", "+5\n", "1e9\n",     "99999999999999999999999\n",
      "max",    "1.5\n"};
  put("proc/self/cgroup", "0::/job\n5:cpu:/job\n4:memory:/job\n::\n:\nx\n3:memory\n");
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    put("sys/fs/cgroup/job/memory.max", "%s", texts[i]);
    put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "%s", texts[i]);
    put("sys/fs/cgroup/job/cpu.max", "%s", texts[i]);
    put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "%s", texts[i]);
    nothing_limits();
  }
}

Test(limits, half_a_quota) {
  static const struct {
    const char *text;
    uint64_t cpus;
  } quotas[] = {{"300000\n", 3}, /* the kernel's period */
                {"300000 x\n", MACHINE_CPUS},
                {"0 100000\n", MACHINE_CPUS},
                {"1 100000\n", 1},
                {"18446744073709551615 1\n", MACHINE_CPUS}};
  put("proc/self/cgroup", "0::/job\n");
  for (size_t i = 0; i < sizeof quotas / sizeof quotas[0]; i++) {
    put("sys/fs/cgroup/job/cpu.max", "%s", quotas[i].text);
    cpus_are(quotas[i].cpus);
  }
}

Test(limits, numbers_need_no_newline) {
  put("proc/self/cgroup", "0::/job");
  put("sys/fs/cgroup/job/memory.max", "123456");
  memory_is(123456);
}

/* Longer than a line is read: ancestors are found, and the rest is not taken for a line. */
Test(limits, very_long_path) {
  char name[210];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  static char path[8192];
  for (int i = 0; i < 30; i++)
    sprintf(path + strlen(path), "/%s", name);
  put("proc/self/cgroup", "0::%s4:memory:/job\n0::/job\n", path);
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1\n");
  char first[512];
  snprintf(first, sizeof first, "sys/fs/cgroup/%s/memory.max", name);
  put(first, "8000000\n");
  memory_is(8000000);
  put("sys/fs/cgroup/job/memory.max", "7000000\n"); /* the line after it */
  memory_is(7000000);
}
