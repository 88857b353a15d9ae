#include "bench/threads/cpus.h"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <sched.h>
#include <stdlib.h>

#include "bench/cli/host.h"

/* What systems without a table of distances are taken to have, as in ACPI's. */
#define SAME_NODE 10u
#define OTHER_NODE 20u

/* nodes[i]: logical index of the NUMA node of cpus[i]. */
static void read_cpus(hwloc_topology_t topology, struct td_queue_place *place, unsigned *nodes) {
  cpu_set_t allowed;
  bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  unsigned most = td_host_cpus_allowed();
  if (most > TD_QUEUE_THREADS_MAX) most = TD_QUEUE_THREADS_MAX;
  hwloc_obj_t unit = NULL;
  while (place->count < most &&
         (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != NULL) {
    unsigned cpu = unit->os_index;
    if (known && (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed))) continue;
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != NULL)
      if (node->cpuset && hwloc_bitmap_isset(node->cpuset, cpu)) break;
    nodes[place->count] = node ? node->logical_index : 0;
    place->cpus[place->count++] = (int)cpu;
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

static void read_distances(hwloc_topology_t topology, struct td_queue_place *place,
                           const unsigned *nodes) {
  struct hwloc_distances_s *table = NULL;
  unsigned tables = 1;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &tables, &table,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      tables == 0)
    table = NULL;
  for (unsigned i = 0; i < place->count; i++) {
    for (unsigned j = 0; j < place->count; j++) {
      uint32_t distance = nodes[i] == nodes[j] ? SAME_NODE : OTHER_NODE;
      if (table && nodes[i] < table->nbobjs && nodes[j] < table->nbobjs)
        distance = clamp(table->values[(size_t)nodes[i] * table->nbobjs + nodes[j]]);
      place->distances[(size_t)i * place->count + j] = distance;
    }
  }
  if (table) hwloc_distances_release(topology, table);
}

bool td_queue_place_read(struct td_queue_place *place) {
  static unsigned nodes[TD_QUEUE_THREADS_MAX];
  *place = (struct td_queue_place){0};
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return false;
  bool loaded = hwloc_topology_load(topology) == 0;
  if (loaded) read_cpus(topology, place, nodes);
  if (place->count == 0) {
    place->count = 1;
    place->cpus[0] = -1; /* unknown: wherever the system puts it */
    nodes[0] = 0;
  }
  place->nodes = count_nodes(nodes, place->count);
  place->distances = calloc((size_t)place->count * place->count, sizeof *place->distances);
  if (loaded && place->distances) read_distances(topology, place, nodes);
  hwloc_topology_destroy(topology);
  return place->distances != NULL;
}

void td_queue_place_free(struct td_queue_place *place) {
  free(place->distances);
  place->distances = NULL;
}
