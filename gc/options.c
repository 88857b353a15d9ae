/* Options of a heap: as given, then as the environment says, then defaults. */
#include "gc/options.h"

#include <string.h>

#include "gc/base/error.h"
#include "gc/base/state.h"
#include "marker/engine/list.h"

#define RESERVE_DEFAULT_LEAST ((size_t)1 << 30)

void tide_options_init(struct tide_options *options) {
  if (options) *options = (struct tide_options){.struct_size = sizeof *options};
}

static bool power_of_two_or_zero(uint32_t value) {
  return value == 0 || (value >= 2 && (value & (value - 1)) == 0);
}

/* What is wrong with the options, or NULL. */
static const char *objection(const struct tide_options *o) {
  if (o->heap_max_bytes && o->heap_max_bytes < TD_HEAP_MAX_LEAST)
    return "heap_max_bytes is under 1 MiB";
  if (o->heap_max_bytes > PTRDIFF_MAX || o->reserve_bytes > PTRDIFF_MAX)
    return "heap_max_bytes or reserve_bytes is over half of the address space";
  if (o->heap_max_bytes && o->heap_initial_bytes > o->heap_max_bytes)
    return "heap_initial_bytes is over heap_max_bytes";
  if (o->reserve_bytes && o->reserve_bytes < o->heap_max_bytes)
    return "reserve_bytes is under heap_max_bytes";
  if (o->markers > TIDE_MARKERS_MAX) return "markers is over TIDE_MARKERS_MAX";
  if (o->engine && !td_engine_find(o->engine)) return "no engine has this name";
  if (!power_of_two_or_zero(o->queue_blocks) || !power_of_two_or_zero(o->queue_block_items))
    return "queue_blocks and queue_block_items must be powers of two, at least 2";
  if ((int)o->sizing < 0 || o->sizing > TIDE_SIZING_ADAPTIVE) return "no such sizing";
  if (o->growth_factor != 0 && !(o->growth_factor > 1 && o->growth_factor <= TD_GROWTH_MOST))
    return "growth_factor is not over 1";
  if (o->adaptive_cost != 0 && !(o->adaptive_cost > 0 && o->adaptive_cost <= 1e12))
    return "adaptive_cost is not over 0";
  return NULL;
}

/* A structure of an older header is shorter. What a newer one has behind ours must not be set. */
static bool copy_options(struct tide_options *o, const struct tide_options *given,
                         struct tide_error *error) {
  const unsigned char *bytes = (const unsigned char *)given;
  if (given->struct_size < sizeof(size_t) || given->struct_size > 4096) {
    td_fail(error, TIDE_ERROR_ARGUMENT,
            "tide_heap_create: options without tide_options_init (struct_size %zu)",
            given->struct_size);
    return false;
  }
  for (size_t i = sizeof *o; i < given->struct_size; i++) {
    if (bytes[i] == 0) continue;
    td_fail(error, TIDE_ERROR_ARGUMENT,
            "tide_heap_create: an option of a newer header is set (byte %zu), unknown to %s", i,
            tide_version());
    return false;
  }
  memcpy(o, given, given->struct_size < sizeof *o ? given->struct_size : sizeof *o);
  return true;
}

bool td_options_read(const struct tide_options *given, struct tide_options *o,
                     struct td_environment *environment, struct tide_error *error) {
  tide_options_init(o);
  if (given && !copy_options(o, given, error)) return false;
  if (!td_environment_read(environment, error)) return false;
  const char *wrong = objection(o);
  if (wrong) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_create: %s%s%.64s", wrong,
            o->engine && !td_engine_find(o->engine) ? ": " : "",
            o->engine && !td_engine_find(o->engine) ? o->engine : "");
    return false;
  }
  if (!o->heap_max_bytes) o->heap_max_bytes = environment->heap_max_bytes;
  if (!o->heap_max_bytes) o->heap_max_bytes = td_plat_memory_bytes();
  if (o->heap_max_bytes < TD_HEAP_MAX_LEAST) o->heap_max_bytes = TD_HEAP_MAX_LEAST;
  if (!o->markers) o->markers = environment->markers;
  if (!o->markers) o->markers = td_plat_cpus_allowed();
  if (o->markers > TIDE_MARKERS_MAX) o->markers = TIDE_MARKERS_MAX;
  if (!o->engine) o->engine = environment->engine;
  if (environment->small_pages) o->small_pages = true;
  /* Twice the limit, so that large objects find room between others. */
  if (!o->reserve_bytes && o->heap_max_bytes <= PTRDIFF_MAX / 2)
    o->reserve_bytes = o->heap_max_bytes * 2;
  if (o->reserve_bytes < RESERVE_DEFAULT_LEAST && !(given && given->reserve_bytes))
    o->reserve_bytes = RESERVE_DEFAULT_LEAST;
  if (!o->heap_initial_bytes) o->heap_initial_bytes = TD_INITIAL_DEFAULT;
  return true;
}
