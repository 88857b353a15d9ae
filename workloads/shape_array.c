/* SPDX-License-Identifier: MIT */
/* Wide objects: one array over many leaves, one array over few. */
#include "workloads/build.h"

#define LEAF_BYTES 24u
#define COUNT_MAX UINT64_C(4000000000)

enum { WIDE_LEAVES = 0 };
static const struct td_graph_key wide_keys[] = {
    [WIDE_LEAVES] = {"leaves", "slots of the root array, and leaves", 5000000, 1, COUNT_MAX, NULL},
};

enum { ARRAY_SLOTS = 0, ARRAY_TARGETS = 1 };
static const struct td_graph_key array_keys[] = {
    [ARRAY_SLOTS] = {"slots", "slots of the root array, all in use", 5000000, 1, COUNT_MAX, NULL},
    [ARRAY_TARGETS] = {"targets", "leaves; slot i refers to leaf i % targets", 1000, 1, COUNT_MAX,
                       NULL},
};

/* One root array whose slot i refers to leaf i % leaves. */
static bool build_array_over(struct td_graph_builder *builder, uint64_t slots, uint64_t leaves) {
  uint32_t leaf, refs;
  uint64_t array = leaves;
  if (!td_build_leaf(builder, &leaf) || !td_build_prefix(builder, 0, &refs)) return false;
  for (uint64_t i = 0; i < leaves; i++) {
    if (!td_build_alloc(builder, leaf, LEAF_BYTES)) return false;
    td_build_word(builder, i, 0, i);
  }
  if (!td_build_alloc(builder, refs, slots * sizeof(void *))) return false;
  for (uint64_t i = 0; i < slots; i++) {
    td_build_link(builder, array, i, i % leaves);
    td_build_step(builder);
  }
  return td_build_root(builder, array);
}

static void plan_wide(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t leaves = spec->value[WIDE_LEAVES];
  *plan = (struct td_graph_plan){true, leaves + 1, leaves * (LEAF_BYTES + sizeof(void *)),
                                 true, leaves + 1, leaves};
}

static bool build_wide(struct td_graph_builder *builder) {
  uint64_t leaves = builder->spec->value[WIDE_LEAVES];
  return build_array_over(builder, leaves, leaves);
}

const struct td_graph_kind td_graph_wide = {
    "wide",    "one root array over leaves of 24 bytes without references", wide_keys, 1, plan_wide,
    build_wide};

/* Leaves beyond the slots are never referred to. */
static void plan_array(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t slots = spec->value[ARRAY_SLOTS], leaves = spec->value[ARRAY_TARGETS];
  uint64_t live = leaves < slots ? leaves : slots;
  *plan = (struct td_graph_plan){true, leaves + 1, leaves * LEAF_BYTES + slots * sizeof(void *),
                                 true, live + 1,   slots};
}

static bool build_array(struct td_graph_builder *builder) {
  return build_array_over(builder, builder->spec->value[ARRAY_SLOTS],
                          builder->spec->value[ARRAY_TARGETS]);
}

const struct td_graph_kind td_graph_array = {
    "array",    "one large root array over few leaves, each referred to many times",
    array_keys, 2,
    plan_array, build_array};
