/* SPDX-License-Identifier: MIT */
#include "bench/simulate/topology.h"

#include <hwloc.h>

/* Returns the number, from 0, of the object of that type around the processing unit. The whole
 * machine stands in for a type that it has none of. */
static uint16_t number_of(hwloc_topology_t topology, hwloc_obj_t pu, hwloc_obj_type_t type) {
  int count = hwloc_get_nbobjs_by_type(topology, type);
  for (int i = 0; i < count; i++) {
    hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, (unsigned)i);
    if (hwloc_bitmap_isincluded(pu->cpuset, object->cpuset)) return (uint16_t)i;
  }
  return 0;
}

static unsigned count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  int count = hwloc_get_nbobjs_by_type(topology, type);
  return count > 0 ? (unsigned)count : 1;
}

/* Without last caches in the description they have the size of today's. */
static uint64_t last_cache_bytes(hwloc_topology_t topology) {
  hwloc_obj_t cache = hwloc_get_obj_by_type(topology, HWLOC_OBJ_L3CACHE, 0);
  return cache && cache->attr->cache.size ? cache->attr->cache.size : (uint64_t)32 << 20;
}

static const char *read_cores(struct td_sim_topology *t, hwloc_topology_t topology) {
  t->cores = count_of(topology, HWLOC_OBJ_PU);
  if (t->cores > TD_SIM_CORES_MAX) return "it has more than 512 processing units";
  /* Without last caches of their own, the cores of a package share one. */
  hwloc_obj_type_t cache = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) > 0
                               ? HWLOC_OBJ_L3CACHE
                               : HWLOC_OBJ_PACKAGE;
  t->caches = count_of(topology, cache);
  t->cache_bytes = last_cache_bytes(topology);
  t->packages = count_of(topology, HWLOC_OBJ_PACKAGE);
  t->nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
  for (unsigned i = 0; i < t->cores; i++) {
    hwloc_obj_t pu = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, i);
    t->core[i] = (struct td_sim_core_place){.cache = number_of(topology, pu, cache),
                                            .package = number_of(topology, pu, HWLOC_OBJ_PACKAGE),
                                            .node = number_of(topology, pu, HWLOC_OBJ_NUMANODE)};
  }
  return NULL;
}

const char *td_sim_topology_read(struct td_sim_topology *t, const char *description) {
  hwloc_topology_t topology;
  const char *wrong = NULL;
  if (hwloc_topology_init(&topology) != 0) return "hwloc cannot be had";
  if (hwloc_topology_set_synthetic(topology, description) != 0)
    wrong = "hwloc does not understand it";
  else if (hwloc_topology_load(topology) != 0)
    wrong = "hwloc cannot build it";
  else
    wrong = read_cores(t, topology);
  hwloc_topology_destroy(topology);
  return wrong;
}
