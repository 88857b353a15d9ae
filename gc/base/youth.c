#include "gc/base/youth.h"

/* Weight of the newest observation. */
#define SMOOTHING 0.5
#define LEAST_BYTES ((size_t)1 << 20)
/* The part of the time that young collections may take before the young part grows, and from which
 * on it shrinks again. */
#define SHARE_MUCH 0.06
#define SHARE_LITTLE 0.015
/* Young collections that cost so many times what full ones would are given up at once. */
#define HOPELESS 4
#define RESTS_FIRST 4u
#define RESTS_MOST 64u

static double smooth(double old, double fresh) {
  return old > 0 ? old + SMOOTHING * (fresh - old) : fresh;
}

void td_youth_begin(struct td_youth *youth, size_t cache_bytes) {
  size_t least = cache_bytes > LEAST_BYTES ? cache_bytes : LEAST_BYTES;
  *youth = (struct td_youth){.on = true,
                             .due_bytes = 2 * least,
                             .least_bytes = least,
                             .most_bytes = 2 * least,
                             .rest = RESTS_FIRST};
}

/* What is promoted brings the next full collection nearer. */
static bool pays(const struct td_youth *youth) {
  return youth->full_cost <= 0 ||
         youth->young_cost + youth->survival * youth->full_cost < youth->full_cost;
}

static bool is_hopeless(const struct td_youth *youth) {
  return youth->young_cost > HOPELESS * youth->full_cost;
}

static void give_up(struct td_youth *youth) {
  youth->on = false;
  youth->rests = youth->rest;
  youth->rest = youth->rest < RESTS_MOST ? youth->rest * 2 : RESTS_MOST;
}

void td_youth_after_young(struct td_youth *youth, const struct td_youth_facts *facts) {
  double allocated = (double)(facts->allocated_bytes ? facts->allocated_bytes : 1);
  double share = (double)facts->collect_ns / (double)(facts->collect_ns + facts->mutator_ns + 1);
  youth->young_cost = smooth(youth->young_cost, (double)facts->collect_ns / allocated);
  youth->survival = smooth(youth->survival, (double)facts->promoted_bytes / allocated);
  if (pays(youth)) {
    youth->rest = RESTS_FIRST;
  } else if (youth->due_bytes >= youth->most_bytes || is_hopeless(youth)) {
    give_up(youth);
    return;
  }
  if (share > SHARE_MUCH)
    youth->due_bytes *= pays(youth) ? 2 : 4;
  else if (share < SHARE_LITTLE)
    youth->due_bytes /= 2;
  if (youth->due_bytes > youth->most_bytes) youth->due_bytes = youth->most_bytes;
  if (youth->due_bytes < youth->least_bytes) youth->due_bytes = youth->least_bytes;
}

void td_youth_after_full(struct td_youth *youth, uint64_t collect_ns, uint64_t room_bytes) {
  double room = (double)(room_bytes ? room_bytes : 1);
  youth->full_cost = smooth(youth->full_cost, (double)collect_ns / room);
  youth->most_bytes = room_bytes / 2 > youth->least_bytes ? room_bytes / 2 : youth->least_bytes;
  if (youth->due_bytes > youth->most_bytes) youth->due_bytes = youth->most_bytes;
  if (youth->on || --youth->rests > 0) return;
  youth->on = true;
  youth->due_bytes = 2 * youth->least_bytes;
  youth->young_cost = youth->survival = 0;
}
