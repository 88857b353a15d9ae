/* SPDX-License-Identifier: MIT */
#include "bench/cli/host.h"

#include <hwloc.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench/cli/aside.h"
#include "tide/tide.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Reads the first line of a small file, without its newline; "" if there is none. */
static void read_line(const char *path, char *line, size_t bytes) {
  line[0] = '\0';
  FILE *file = fopen(path, "r");
  if (!file) return;
  if (!fgets(line, (int)bytes, file)) line[0] = '\0';
  line[strcspn(line, "\n")] = '\0';
  fclose(file);
}

/* Returns the cgroup's CPU quota in whole CPUs, rounded up, or UINT32_MAX if there is none. */
static unsigned quota_cpus(void) {
  char line[64];
  read_line("/sys/fs/cgroup/cpu.max", line, sizeof line);
  unsigned long quota, period;
  if (sscanf(line, "%lu %lu", &quota, &period) != 2 || quota == 0 || period == 0) return UINT32_MAX;
  return (unsigned)((quota + period - 1) / period);
}

unsigned td_host_cpus_allowed(void) {
  cpu_set_t set;
  unsigned cpus = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    cpus = (unsigned)CPU_COUNT(&set);
  else /* the machine has more CPUs than the set can hold */
    cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  unsigned quota = quota_cpus();
  if (quota < cpus) cpus = quota;
  return cpus ? cpus : 1;
}

uint64_t td_host_memory_available(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  char line[128];
  uint64_t kib = UINT64_MAX >> 10;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1) break;
  if (file) fclose(file);
  return kib << 10;
}

static uint64_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
  hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  return cache && cache->attr ? cache->attr->cache.size : 0;
}

static unsigned count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  int count = hwloc_get_nbobjs_by_type(topology, type);
  return count > 0 ? (unsigned)count : 0;
}

static bool read_topology(void *result) {
  struct td_host *host = result;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return false;
  /* The description is of the whole machine. What this process may use of it is cpus_allowed. */
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(topology) != 0) return false;
  hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
  snprintf(host->cpu, sizeof host->cpu, "%s", model ? model : "unknown CPU");
  host->packages = count_of(topology, HWLOC_OBJ_PACKAGE);
  host->cores = count_of(topology, HWLOC_OBJ_CORE);
  host->hardware_threads = count_of(topology, HWLOC_OBJ_PU);
  host->numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
  host->l1_bytes = cache_bytes(topology, HWLOC_OBJ_L1CACHE);
  host->l2_bytes = cache_bytes(topology, HWLOC_OBJ_L2CACHE);
  host->l3_bytes = cache_bytes(topology, HWLOC_OBJ_L3CACHE);
  return true; /* the topology goes away with this process */
}

/* Picks the mode in force: "always [madvise] never" gives "madvise". */
static void read_huge_pages(char *mode, size_t bytes) {
  char line[128];
  read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
  char *open = strchr(line, '[');
  char *close = open ? strchr(open, ']') : NULL;
  if (close) *close = '\0';
  snprintf(mode, bytes, "%s", close ? open + 1 : "unknown");
}

void td_host_read(struct td_host *host) {
  if (!td_aside(read_topology, host, sizeof *host)) *host = (struct td_host){.cpu = "unknown CPU"};
  host->version = tide_version();
  host->cpus_allowed = td_host_cpus_allowed();
  long pages = sysconf(_SC_PHYS_PAGES);
  if (pages > 0) host->memory_bytes = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
  struct utsname system;
  if (uname(&system) == 0)
    snprintf(host->kernel, sizeof host->kernel, "%s %s %s", system.sysname, system.release,
             system.machine);
  read_huge_pages(host->huge_pages, sizeof host->huge_pages);
  snprintf(host->compiler, sizeof host->compiler, "%s", COMPILER);
  time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(host->time, sizeof host->time, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void td_host_json(const struct td_host *host, struct td_json *json, const char *key) {
  td_json_object_begin(json, key);
  td_json_string(json, "cpu", host->cpu);
  td_json_count(json, "packages", host->packages);
  td_json_count(json, "cores", host->cores);
  td_json_count(json, "hardware_threads", host->hardware_threads);
  td_json_count(json, "numa_nodes", host->numa_nodes);
  td_json_count(json, "cpus_allowed", host->cpus_allowed);
  td_json_count(json, "l1_bytes", host->l1_bytes);
  td_json_count(json, "l2_bytes", host->l2_bytes);
  td_json_count(json, "l3_bytes", host->l3_bytes);
  td_json_count(json, "memory_bytes", host->memory_bytes);
  td_json_string(json, "kernel", host->kernel);
  td_json_string(json, "transparent_huge_pages", host->huge_pages);
  td_json_string(json, "compiler", host->compiler);
  td_json_string(json, "time", host->time);
  if (host->noise.begun_ns) td_noise_json(&host->noise, json, "noise");
  td_json_object_end(json);
}

void td_host_print(const struct td_host *host, FILE *out) {
  fprintf(out, "%s, %u cores, %u allowed, L2 %" PRIu64 " KiB, L3 %" PRIu64 " MiB, %.1f GiB\n",
          host->cpu, host->cores, host->cpus_allowed, host->l2_bytes >> 10, host->l3_bytes >> 20,
          (double)host->memory_bytes / (double)(1u << 30));
  fprintf(out, "%s, huge pages %s, %s, tidemark %s, %s\n", host->kernel, host->huge_pages,
          host->compiler, host->version, host->time);
  if (host->noise.begun_ns) td_noise_print(&host->noise, host->hardware_threads, out);
}
