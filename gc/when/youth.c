#include "gc/when/youth.h"

/* Weight of the newest observation. */
#define SMOOTHING 0.5
#define LEAST_BYTES ((size_t)1 << 20)
/* The part of the time that young collections may take before the young part grows, and from which
 * on it shrinks again. */
#define SHARE_MUCH 0.01
#define SHARE_LITTLE 0.002
/* A young collection should take no longer: programs notice longer pauses. */
#define PAUSE_NS 3000000.0
/* And as long as they are no longer than this, the young part may grow. */
#define SHORT_NS 1000000.0
/* What marking from logged objects should take of it. Fewer than LOGGED_TELLING say nothing of the
 * price. LOGGED_LEAST and LOGGED_MOST bound what is logged until a collection comes: it costs
 * something by itself, and the price may change. */
#define LOGGED_NS 2000000.0
#define LOGGED_TELLING 1024u
#define LOGGED_LEAST ((size_t)4 << 10)
#define LOGGED_MOST ((size_t)64 << 10)
/* What a trial may take if everything survives. */
#define TRIAL_NS 8000000.0
/* One pause may have been the fault of other programs. */
#define SLOW_MOST 2u
/* Young collections that cost HOPELESS times what full ones would are given up at once, and so are
 * those where SURVIVAL_HOPELESS of the objects survive. */
#define HOPELESS 4
#define SURVIVAL_HOPELESS 0.9
/* What a larger young part on trial may take of the time of a full collection. */
#define TRIAL_SHARE 0.1
/* What trials in vain may take of the time of full collections, and the shortest wait in multiples
 * of the young part at the beginning. */
#define WASTE_SHARE 0.1
#define WAIT_LEAST 16u
/* The longest one: what is young then is gone through in a pause. */
#define WAIT_MOST 48u
/* How much of what full collections give for large trials is kept. */
#define CREDIT_MOST (2 * TRIAL_NS)

static double smooth(double old, double fresh) {
  return old > 0 ? old + SMOOTHING * (fresh - old) : fresh;
}

static size_t first_bytes(const struct td_youth *youth) {
  return 2 * youth->least_bytes;
}

void td_youth_begin(struct td_youth *youth, size_t cache_bytes) {
  size_t least = cache_bytes > LEAST_BYTES ? cache_bytes : LEAST_BYTES;
  *youth = (struct td_youth){.on = true,
                             .due_bytes = 2 * least,
                             .least_bytes = least,
                             .most_bytes = 2 * least,
                             .trial_bytes = 8 * least,
                             .logged_due = TD_YOUTH_LOGGED_FIRST};
}

void td_youth_note_logged(struct td_youth *youth, uint64_t count, uint64_t worked_ns) {
  youth->logged_much = count >= youth->logged_due;
  if (count < LOGGED_TELLING) return;
  youth->logged_cost = smooth(youth->logged_cost, (double)worked_ns / (double)count);
  double due = LOGGED_NS / youth->logged_cost;
  youth->logged_due = due < (double)LOGGED_MOST ? (size_t)due : LOGGED_MOST;
  if (youth->logged_due < LOGGED_LEAST) youth->logged_due = LOGGED_LEAST;
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

/* Returns what a trial costs if everything survives. */
static double trial_cost(const struct td_youth *youth, size_t bytes) {
  return youth->mark_cost * (double)bytes;
}

/* The wait lasts until a small trial is WASTE_SHARE of what full collections cost meanwhile. But
 * for no more than a part of the room: what a full one costs changes with what is alive. */
static void begin_wait(struct td_youth *youth) {
  double bytes = trial_cost(youth, first_bytes(youth)) / (WASTE_SHARE * youth->full_cost);
  size_t least = WAIT_LEAST * first_bytes(youth), most = youth->most_bytes / 2;
  if (most > WAIT_MOST * first_bytes(youth)) most = WAIT_MOST * first_bytes(youth);
  youth->on = false;
  youth->due_bytes = bytes < (double)most ? (size_t)bytes : most;
  if (youth->due_bytes < least) youth->due_bytes = least;
}

/* Returns the size of the next large trial, within its bounds. */
static size_t large_trial(const struct td_youth *youth) {
  size_t most = youth->full_most_bytes;
  double dearest = youth->mark_cost > 0 ? TRIAL_NS / youth->mark_cost : (double)most;
  if (dearest < (double)most) most = (size_t)dearest;
  if (most < first_bytes(youth)) most = first_bytes(youth);
  return youth->trial_bytes < most ? youth->trial_bytes : most;
}

/* A trial was in vain. After a large one the next is larger still, or the smallest of them. */
static void note_failure(struct td_youth *youth, uint64_t worked_ns) {
  size_t large = large_trial(youth);
  youth->credit_ns -= (double)worked_ns;
  if (youth->due_bytes < large) return;
  bool was_largest = youth->trial_bytes > large || large >= youth->full_most_bytes;
  youth->trial_bytes = was_largest ? 4 * first_bytes(youth) : 4 * large;
}

static void begin_trial(struct td_youth *youth, size_t bytes) {
  youth->on = true;
  youth->due_bytes = bytes;
  youth->young_cost = youth->survival = 0;
  youth->slow_count = 0;
  keep_in_bounds(youth);
}

/* Is there no hope that a larger young part makes them pay, or is it too dear to find out? Where
 * much is logged the collection would come no later. */
static bool is_hopeless(const struct td_youth *youth, uint64_t collect_ns) {
  return youth->due_bytes >= youth->most_bytes || youth->logged_much ||
         youth->young_cost > HOPELESS * youth->full_cost || youth->survival > SURVIVAL_HOPELESS ||
         4 * (double)collect_ns > TRIAL_SHARE * (double)youth->full_ns;
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
  } else if (share > SHARE_MUCH && pause < SHORT_NS && !youth->logged_much) {
    youth->due_bytes *= 2;
  }
}

void td_youth_after_young(struct td_youth *youth, const struct td_youth_facts *facts) {
  double allocated = (double)(facts->allocated_bytes ? facts->allocated_bytes : 1);
  youth->young_cost = smooth(youth->young_cost, (double)facts->worked_ns / allocated);
  youth->survival = smooth(youth->survival, (double)facts->promoted_bytes / allocated);
  if (facts->promoted_bytes > facts->allocated_bytes / 2)
    youth->mark_cost =
        smooth(youth->mark_cost, (double)facts->worked_ns / (double)facts->promoted_bytes);
  set_most(youth, facts->room_bytes, youth->full_most_bytes / 4);
  if (youth->full_ns == 0) guess_full_cost(youth, facts);
  if (pays(youth)) {
    adjust(youth, facts);
    keep_in_bounds(youth);
    youth->trial_bytes = youth->due_bytes;
    return;
  }
  if (is_hopeless(youth, facts->worked_ns)) {
    note_failure(youth, facts->worked_ns);
    begin_wait(youth);
  } else {
    youth->credit_ns -= (double)facts->worked_ns;
    youth->due_bytes *= 4;
    keep_in_bounds(youth);
  }
}

void td_youth_after_full(struct td_youth *youth, const struct td_youth_facts *facts) {
  double room = (double)(facts->room_bytes ? facts->room_bytes : 1);
  if (youth->full_ns == 0) youth->full_cost = 0; /* it was a guess */
  youth->full_ns = facts->collect_ns;
  youth->full_cost = smooth(youth->full_cost, (double)facts->collect_ns / room);
  set_most(youth, facts->room_bytes, 0);
  youth->full_most_bytes = youth->most_bytes;
  youth->credit_ns += WASTE_SHARE * (double)facts->collect_ns;
  if (youth->credit_ns > CREDIT_MOST) youth->credit_ns = CREDIT_MOST;
  if (youth->on) {
    keep_in_bounds(youth);
    return;
  }
  /* Nothing is young, which before another trial has to be brought about. */
  if (youth->credit_ns >= trial_cost(youth, large_trial(youth)))
    begin_trial(youth, large_trial(youth));
  else if (youth->credit_ns >= trial_cost(youth, first_bytes(youth)))
    begin_trial(youth, first_bytes(youth));
  else
    begin_wait(youth);
}

void td_youth_resume(struct td_youth *youth) {
  begin_trial(youth, first_bytes(youth));
}
