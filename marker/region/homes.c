/* SPDX-License-Identifier: MIT */
#include "marker/region/homes.h"

#include <string.h>

#define ASK_AGAIN 16u /* collections until all homes are asked for again */
#define SAMPLES 4u    /* pages of a region */
#define ASKED 32u     /* regions in a call of the system */

static int node_here(unsigned marker) {
  (void)marker;
  return td_plat_node_here();
}

void td_homes_open(struct td_homes *homes) {
  td_plat_nodes(&homes->nodes);
  homes->node_of = node_here;
  homes->nodes_of = td_plat_nodes_of;
}

/* Returns the node that most of the pages lie on; the first of them if no other has more. */
static uint32_t home_of(const struct td_nodes *nodes, const int node[SAMPLES]) {
  uint32_t home = TD_NO_HOME;
  unsigned most = 0;
  for (unsigned i = 0; i < SAMPLES; i++) {
    unsigned same = 0;
    if (node[i] < 0 || (unsigned)node[i] >= nodes->count) continue;
    for (unsigned k = 0; k < SAMPLES; k++)
      same += node[k] == node[i];
    if (same <= most) continue;
    most = same;
    home = (uint32_t)node[i];
  }
  return home;
}

/* Asks for regions [first, end). Returns false if the system does not tell. */
static bool ask(const struct td_homes *homes, const struct td_space *space, struct td_region *at,
                unsigned shift, uint32_t first, uint32_t end) {
  void *page[ASKED * SAMPLES];
  int node[ASKED * SAMPLES];
  const uint64_t step = ((uint64_t)1 << shift) / SAMPLES;
  unsigned count = 0;
  for (uint64_t r = first; r < end; r++)
    for (unsigned i = 0; i < SAMPLES; i++) {
      uint64_t granule = (r << shift) + i * step + step / 2;
      if (granule >= space->granules) granule = space->granules - 1;
      page[count++] = (void *)td_granule_address(space->base, granule);
    }
  if (!homes->nodes_of(page, count, node)) return false;
  for (uint32_t r = first; r < end; r++)
    at[r].home = home_of(&homes->nodes, &node[(r - first) * SAMPLES]);
  return true;
}

/* Returns whether two regions have different homes. */
static bool differ(const struct td_region *at, uint32_t count) {
  uint32_t home = TD_NO_HOME;
  for (uint32_t r = 0; r < count; r++) {
    if (at[r].home == TD_NO_HOME) continue;
    if (home != TD_NO_HOME && at[r].home != home) return true;
    home = at[r].home;
  }
  return false;
}

void td_homes_begin(struct td_homes *homes, const struct td_space *space, struct td_region *at,
                    const struct td_homes_of *of) {
  bool told = true;
  /* relaxed: as the homes, [term.start] publishes it. */
  atomic_store_explicit(&homes->inhabited, 0, memory_order_relaxed);
  if (of->cycle % ASK_AGAIN != 0 && homes->count == of->count && homes->shift == of->shift) return;
  homes->count = of->count;
  homes->shift = of->shift;
  for (uint32_t r = 0; told && r < of->count; r += ASKED)
    told = ask(homes, space, at, of->shift, r, of->count - r < ASKED ? of->count : r + ASKED);
  homes->differ = told && differ(at, of->count);
}

/* The weight falls with the distance, from that of the own node to that of the farthest one. */
void td_nearness_ask(struct td_nearness *near, struct td_homes *homes, unsigned marker) {
  const struct td_nodes *nodes = &homes->nodes;
  int node = homes->node_of(marker);
  near->asked = true;
  near->known = false;
  if (node < 0 || (unsigned)node >= nodes->count) return;
  const uint8_t *distance = nodes->distance[node];
  unsigned own = distance[node], far = own;
  for (unsigned i = 0; i < nodes->count; i++)
    if (distance[i] > far) far = distance[i];
  if (own == 0 || far == own) return;
  memset(near->weight, TD_WEIGHT_HOME, sizeof near->weight);
  /* relaxed: a hint. */
  near->inhabited =
      atomic_fetch_or_explicit(&homes->inhabited, UINT64_C(1) << node, memory_order_relaxed) |
      UINT64_C(1) << node;
  for (unsigned i = 0; i < nodes->count; i++) {
    if (!(near->inhabited >> i & 1)) continue;
    unsigned closer = distance[i] ? far - distance[i] : 0;
    near->weight[i] =
        (uint8_t)(TD_WEIGHT_FAR + (TD_WEIGHT_HOME - TD_WEIGHT_FAR) * closer / (far - own));
  }
  near->node = (uint32_t)node;
  near->known = true;
}
