#include "gc/when/youth.h"

#include "gc/when/sizing.h"

#define LEAST_BYTES ((size_t)1 << 20)
/* The part of the time that young collections may take before the young part grows, and from which
 * on it shrinks again. */
#define SHARE_MUCH 0.01
#define SHARE_LITTLE 0.002
/* A young collection should take no longer: programs notice longer pauses. */
#define PAUSE_NS 3000000.0
/* And as long as they are no longer than this, the young part may grow. */
#define SHORT_NS 1000000.0
/* One pause may have been the fault of other programs. */
#define SLOW_MOST 2u
/* Young collections that cost HOPELESS times what full ones would are given up at once, and so are
 * those where SURVIVAL_HOPELESS of the objects survive. */
#define HOPELESS 4
#define SURVIVAL_HOPELESS 0.9
/* How many times larger the young part is in the next step of a trial. */
#define TRIAL_STEP 4
/* What trials in vain may take of the time of full collections, and the shortest wait in multiples
 * of the young part at the beginning. */
#define WASTE_SHARE 0.1
#define WAIT_LEAST 16u
/* The longest one: what is young then is gone through in a pause. */
#define WAIT_MOST 48u
/* How much is kept of what full collections give for trials, each of which is a pause. */
#define CREDIT_MOST 16000000.0

static size_t first_bytes(const struct td_youth *youth) {
  return 2 * youth->least_bytes;
}

void td_youth_begin(struct td_youth *youth, size_t cache_bytes) {
  size_t least = cache_bytes > LEAST_BYTES ? cache_bytes : LEAST_BYTES;
  *youth = (struct td_youth){
      .on = true, .due_bytes = 2 * least, .least_bytes = least, .most_bytes = 2 * least};
}

static void keep_in_bounds(struct td_youth *youth) {
  if (youth->due_bytes > youth->most_bytes) youth->due_bytes = youth->most_bytes;
  if (youth->due_bytes < youth->least_bytes) youth->due_bytes = youth->least_bytes;
}

/* What young collections leave behind takes from the room. The young part shrinks with it, but not
 * so far that it is no better than a full collection. */
static void set_most(struct td_youth *youth, uint64_t room_bytes, size_t least) {
  size_t half = room_bytes / 2;
  if (half < youth->least_bytes) half = youth->least_bytes;
  youth->most_bytes = half > least ? half : least;
}

/* What is promoted brings the next full collection nearer. */
static bool pays(const struct td_youth *youth) {
  return youth->full_cost <= 0 ||
         youth->young_cost + youth->survival * youth->full_cost < youth->full_cost;
}

/* Returns what the smallest trial costs if everything survives. */
static double trial_cost(const struct td_youth *youth) {
  return youth->mark_cost * (double)first_bytes(youth);
}

/* The wait lasts until a small trial is WASTE_SHARE of what full collections cost meanwhile. But
 * for no more than a part of the room: what a full one costs changes with what is alive. */
static void begin_wait(struct td_youth *youth) {
  double bytes = trial_cost(youth) / (WASTE_SHARE * youth->full_cost);
  size_t least = WAIT_LEAST * first_bytes(youth), most = youth->most_bytes / 2;
  if (most > WAIT_MOST * first_bytes(youth)) most = WAIT_MOST * first_bytes(youth);
  youth->on = false;
  youth->due_bytes = bytes < (double)most ? (size_t)bytes : most;
  if (youth->due_bytes < least) youth->due_bytes = least;
}

void td_youth_resume(struct td_youth *youth) {
  youth->on = true;
  youth->due_bytes = first_bytes(youth);
  youth->young_cost = youth->survival = 0;
  youth->slow_count = 0;
  keep_in_bounds(youth);
}

/* Is there no hope that a larger young part makes them pay, or would it take more than full
 * collections have given? Where much is logged the collection would come no later. */
static bool is_hopeless(const struct td_youth *youth, const struct td_youth_facts *facts) {
  return youth->due_bytes >= youth->most_bytes || facts->logged_much ||
         youth->young_cost > HOPELESS * youth->full_cost || youth->survival > SURVIVAL_HOPELESS ||
         TRIAL_STEP * (double)facts->worked_ns > youth->credit_ns;
}

/* While there was no full collection, its cost is what marking has cost so far, for all that is
 * alive. */
static void guess_full_cost(struct td_youth *youth, const struct td_youth_facts *facts) {
  double room = (double)(facts->room_bytes ? facts->room_bytes : 1);
  youth->full_cost = youth->mark_cost * (double)facts->live_bytes / room;
}

/* They pay: how large should the young part be? */
static void adjust(struct td_youth *youth, const struct td_youth_facts *facts) {
  double pause = (double)facts->worked_ns;
  double share = pause / (pause + (double)facts->mutator_ns + 1);
  youth->slow_count = pause > PAUSE_NS ? youth->slow_count + 1 : 0;
  if (youth->slow_count >= SLOW_MOST || share < SHARE_LITTLE) {
    youth->due_bytes /= 2;
    youth->slow_count = 0;
  } else if (share > SHARE_MUCH && pause < SHORT_NS && !facts->logged_much) {
    youth->due_bytes *= 2;
  }
}

void td_youth_after_young(struct td_youth *youth, const struct td_youth_facts *facts) {
  double allocated = (double)(facts->allocated_bytes ? facts->allocated_bytes : 1);
  youth->young_cost = td_smooth(youth->young_cost, (double)facts->worked_ns / allocated);
  youth->survival = td_smooth(youth->survival, (double)facts->promoted_bytes / allocated);
  if (facts->promoted_bytes > facts->allocated_bytes / 2)
    youth->mark_cost =
        td_smooth(youth->mark_cost, (double)facts->worked_ns / (double)facts->promoted_bytes);
  set_most(youth, facts->room_bytes, youth->full_most_bytes / 4);
  if (!youth->had_full) guess_full_cost(youth, facts);
  if (pays(youth)) {
    adjust(youth, facts);
    keep_in_bounds(youth);
    return;
  }
  bool hopeless = is_hopeless(youth, facts);
  youth->credit_ns -= (double)facts->worked_ns;
  youth->due_bytes *= TRIAL_STEP;
  if (hopeless)
    begin_wait(youth);
  else
    keep_in_bounds(youth);
}

void td_youth_after_full(struct td_youth *youth, const struct td_youth_facts *facts) {
  double room = (double)(facts->room_bytes ? facts->room_bytes : 1);
  if (!youth->had_full) youth->full_cost = 0; /* it was a guess */
  youth->had_full = true;
  youth->full_cost = td_smooth(youth->full_cost, (double)facts->collect_ns / room);
  set_most(youth, facts->room_bytes, 0);
  youth->full_most_bytes = youth->most_bytes;
  youth->credit_ns += WASTE_SHARE * (double)facts->collect_ns;
  if (youth->credit_ns > CREDIT_MOST) youth->credit_ns = CREDIT_MOST;
  if (youth->on)
    keep_in_bounds(youth);
  else if (youth->credit_ns >= trial_cost(youth))
    td_youth_resume(youth); /* nothing is young: a trial at another time has to bring that about */
  else
    begin_wait(youth);
}
