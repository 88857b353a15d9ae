/* SPDX-License-Identifier: MIT */
#include "bench/threads/cpus.h"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/aside.h"
#include "bench/cli/host.h"

/* The distances, as in ACPI's table, of a system that does not have such a table. */
#define SAME_NODE 10u
#define OTHER_NODE 20u

/* Finds the CPUs allowed. nodes[i] is the logical index of the NUMA node of CPU number[i]. */
static void read_cpus(hwloc_topology_t topology, struct td_cpus *cpus, unsigned *nodes) {
  cpu_set_t allowed;
  bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  unsigned most = td_host_cpus_allowed();
  if (most > TD_CREW_MAX) most = TD_CREW_MAX;
  hwloc_obj_t unit = NULL;
  while (cpus->count < most &&
         (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != NULL) {
    unsigned cpu = unit->os_index;
    if (known && (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed))) continue;
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != NULL)
      if (node->cpuset && hwloc_bitmap_isset(node->cpuset, cpu)) break;
    nodes[cpus->count] = node ? node->logical_index : 0;
    cpus->number[cpus->count++] = (int)cpu;
  }
}

static unsigned count_nodes(const unsigned *nodes, unsigned count) {
  unsigned different = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned j = 0;
    while (nodes[j] != nodes[i])
      j++;
    different += j == i;
  }
  return different;
}

static uint32_t clamp(uint64_t distance) {
  return distance < UINT32_MAX ? (uint32_t)distance : UINT32_MAX;
}

static void read_distances(hwloc_topology_t topology, struct td_cpus *cpus, const unsigned *nodes) {
  struct hwloc_distances_s *table = NULL;
  unsigned tables = 1;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &tables, &table,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      tables == 0)
    table = NULL;
  for (unsigned i = 0; i < cpus->count; i++) {
    for (unsigned j = 0; j < cpus->count; j++) {
      uint32_t distance = nodes[i] == nodes[j] ? SAME_NODE : OTHER_NODE;
      if (table && nodes[i] < table->nbobjs && nodes[j] < table->nbobjs)
        distance = clamp(table->values[(size_t)nodes[i] * table->nbobjs + nodes[j]]);
      cpus->distances[(size_t)i * cpus->count + j] = distance;
    }
  }
  if (table) hwloc_distances_release(topology, table);
}

/* What is read aside. */
struct reading {
  struct td_cpus cpus; /* its distances are these */
  uint32_t distances[TD_CREW_MAX * TD_CREW_MAX];
};

static bool read_topology(void *result) {
  static unsigned nodes[TD_CREW_MAX];
  struct reading *reading = result;
  struct td_cpus *cpus = &reading->cpus;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return false;
  bool loaded = hwloc_topology_load(topology) == 0;
  if (loaded) read_cpus(topology, cpus, nodes);
  if (cpus->count == 0) {
    cpus->count = 1;
    cpus->number[0] = -1; /* unknown: wherever the system puts it */
  }
  cpus->nodes = count_nodes(nodes, cpus->count);
  cpus->distances = reading->distances;
  if (loaded) read_distances(topology, cpus, nodes);
  return true; /* the topology goes away with this process */
}

bool td_cpus_read(struct td_cpus *cpus) {
  *cpus = (struct td_cpus){0};
  struct reading *reading = malloc(sizeof *reading);
  if (reading && td_aside(read_topology, reading, sizeof *reading)) {
    *cpus = reading->cpus;
    size_t cells = (size_t)cpus->count * cpus->count;
    cpus->distances = calloc(cells, sizeof *cpus->distances);
    if (cpus->distances)
      memcpy(cpus->distances, reading->distances, cells * sizeof *cpus->distances);
  }
  free(reading);
  return cpus->distances != NULL;
}

void td_cpus_free(struct td_cpus *cpus) {
  free(cpus->distances);
  cpus->distances = NULL;
}
