/* SPDX-License-Identifier: MIT */
/* A list as programs grow it, from the last element to the first: pairs and records in turn, the
 * records' fields leading to a few values that all of them share. */
#include "workloads/build.h"

enum { RECORDS_LENGTH = 0, RECORDS_FIELDS = 1, RECORDS_VALUES = 2 };
static const struct td_graph_key records_keys[] = {
    [RECORDS_LENGTH] = {"length", "elements of the list", 2000000, 1, UINT64_C(1000000000), NULL},
    [RECORDS_FIELDS] = {"fields", "references of each to values, in turn", 4, 1, 1000, NULL},
    [RECORDS_VALUES] = {"values", "objects that the records share", 1000, 1, UINT64_C(1000000000),
                        NULL},
};

enum { PAIR_RECORD = 0, PAIR_NEXT = 1, RECORD_FIELDS = 1 };
#define PAIR_BYTES 16u
#define PAIR_BITS UINT64_C(3)
#define VALUE_BYTES 16u
#define VALUE_BITS UINT64_C(1) /* no leaf, though its reference is null */

static uint64_t record_bytes(uint64_t fields) {
  return (RECORD_FIELDS + fields) * sizeof(void *);
}

static void plan_records(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t length = spec->value[RECORDS_LENGTH], fields = spec->value[RECORDS_FIELDS];
  uint64_t values = spec->value[RECORDS_VALUES], met = length * fields;
  *plan = (struct td_graph_plan){.known = true,
                                 .objects = values + 2 * length,
                                 .bytes = values * VALUE_BYTES +
                                          length * (PAIR_BYTES + record_bytes(fields)),
                                 .live_known = true,
                                 .live_objects = 2 * length + (met < values ? met : values),
                                 .live_edges = met + 2 * length - 1};
}

static bool alloc_records(struct td_graph_builder *builder) {
  uint64_t length = builder->spec->value[RECORDS_LENGTH];
  uint64_t values = builder->spec->value[RECORDS_VALUES];
  uint64_t bytes = record_bytes(builder->spec->value[RECORDS_FIELDS]);
  uint32_t value, record, pair;
  if (!td_build_bitmap(builder, VALUE_BITS, &value) ||
      !td_build_prefix(builder, RECORD_FIELDS, &record) ||
      !td_build_bitmap(builder, PAIR_BITS, &pair))
    return false;
  for (uint64_t i = 0; i < values; i++)
    if (!td_build_alloc(builder, value, VALUE_BYTES)) return false;
  for (uint64_t i = 0; i < length; i++)
    if (!td_build_alloc(builder, record, bytes) || !td_build_alloc(builder, pair, PAIR_BYTES))
      return false;
  return true;
}

static bool build_records(struct td_graph_builder *builder) {
  uint64_t length = builder->spec->value[RECORDS_LENGTH];
  uint64_t fields = builder->spec->value[RECORDS_FIELDS];
  uint64_t values = builder->spec->value[RECORDS_VALUES];
  if (!alloc_records(builder)) return false;
  for (uint64_t i = 0; i < length; i++) {
    uint64_t record = values + 2 * i, pair = record + 1;
    td_build_word(builder, record, 0, i);
    for (uint64_t k = 0; k < fields; k++)
      td_build_link(builder, record, RECORD_FIELDS + k, (i * fields + k) % values);
    td_build_link(builder, pair, PAIR_RECORD, record);
    if (i > 0) td_build_link(builder, pair, PAIR_NEXT, pair - 2);
    td_build_step(builder);
    td_build_step(builder);
  }
  return td_build_root(builder, values + 2 * length - 1);
}

const struct td_graph_kind td_graph_records = {
    "records",    "a list of records that share their values, grown from its end",
    records_keys, 3,
    plan_records, build_records};
