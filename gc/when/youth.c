/* SPDX-License-Identifier: MIT */
/* The young part, and whether young collections pay.
 *
 * The young part begins at twice the size of a cache. It grows while collections of it take too
 * large a part of the time, as more of what is young has died then, and what is written to twice
 * counts once: up to half of the room that a full collection left, and while they are short, or
 * shorter than the program wants them to be.
 *
 * Young collections pay if they are cheaper by the byte than full ones. If they do not, a larger
 * young part is tried, as a program may build any amount before it drops it. Full collections give
 * a part of their time for such trials. When it is used up the heap waits until it has grown again,
 * or a trial is a small part of what was allocated meanwhile. That is old from its first moment,
 * unlooked at, so that a trial begins with nothing. */
#include "gc/when/when.h"

static void set_due(struct td_youth *youth, double bytes) {
  if (bytes > (double)youth->most_bytes) bytes = (double)youth->most_bytes;
  youth->due_bytes = bytes > (double)youth->least_bytes ? (size_t)bytes : youth->least_bytes;
}

static double between(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

void td_youth_begin(struct td_youth *youth, enum tide_young kind, size_t cache_bytes,
                    unsigned goal_us) {
  const bool never = kind == TIDE_YOUNG_NEVER;
  const double goal = goal_us * 1e3;
  size_t least = cache_bytes > TD_YOUTH_LEAST ? cache_bytes : TD_YOUTH_LEAST;
  size_t logged = TD_YOUTH_LOGGED;
  if (goal > 0) {
    least = (size_t)between(goal / TD_GOAL_BYTE_NS / 2, (double)TD_GOAL_LEAST, (double)least);
    logged = (size_t)between(goal / TD_GOAL_LOGGED_NS / 2, 1, (double)logged);
  }
  *youth = (struct td_youth){.kind = kind,
                             .on = !never,
                             .due_bytes = never ? SIZE_MAX : 2 * least,
                             .least_bytes = least,
                             .most_bytes = 2 * least,
                             .goal_ns = goal,
                             .logged_due = logged};
}

static void note_costs(struct td_youth *youth, const struct td_facts *facts, double room) {
  double allocated = (double)(facts->allocated_bytes ? facts->allocated_bytes : 1);
  double worked = (double)facts->worked_ns, promoted = (double)facts->promoted_bytes;
  youth->young_cost = td_smooth(youth->young_cost, worked / allocated);
  youth->survival = td_smooth(youth->survival, promoted / allocated);
  if (promoted > allocated / 2) youth->mark_cost = td_smooth(youth->mark_cost, worked / promoted);
  /* A full collection would mark all that lives, at the same price. */
  if (!youth->had_full) youth->full_cost = youth->mark_cost * (double)facts->live_bytes / room;
}

/* What is promoted brings the next full collection nearer. */
static bool pays(const struct td_youth *youth) {
  return youth->kind == TIDE_YOUNG_ALWAYS || youth->full_cost <= 0 ||
         youth->young_cost + youth->survival * youth->full_cost < youth->full_cost;
}

void td_youth_adjust(struct td_youth *youth, const struct td_facts *facts) {
  double worked = (double)facts->worked_ns, due = (double)youth->due_bytes;
  double share = worked / (worked + (double)facts->mutator_ns + 1);
  double longest = youth->goal_ns > 0 ? youth->goal_ns : TD_PAUSE_NS;
  double is_short = youth->goal_ns > 0 ? longest / 3 : TD_SHORT_NS;
  if (worked > longest)
    set_due(youth, due * between(longest / worked, 0, 0.5));
  else if (share < TD_SHARE_LITTLE)
    set_due(youth, due / 2);
  else if (share > TD_SHARE_MUCH && worked < is_short && !facts->logged_much)
    set_due(youth, due * 2);
}

/* One marker does what all do in others, so it begins with what has turned out before. */
void td_youth_begin_beside(struct td_when *when) {
  const size_t before = when->youth_beside.due_bytes;
  when->youth_beside = when->youth;
  if (before && before < when->youth.due_bytes) when->youth_beside.due_bytes = before;
}

/* The least young part takes longer than the pause that is the goal. */
static bool misses_goal(const struct td_youth *youth, double worked) {
  return youth->goal_ns > 0 && worked > youth->goal_ns && youth->due_bytes <= youth->least_bytes;
}

/* A trial begins small, or the heap waits for it. */
static void try_or_wait(struct td_youth *youth, bool tries) {
  size_t first = 2 * youth->least_bytes;
  youth->on = tries;
  youth->young_cost = youth->survival = 0;
  youth->due_bytes = TD_TRIAL_WAIT * first;
  if (tries) set_due(youth, (double)first);
}

static void after_young(struct td_youth *youth, const struct td_facts *facts, double room) {
  double cost = (double)facts->worked_ns, credit = youth->credit_ns;
  note_costs(youth, facts, room);
  if (pays(youth) && !misses_goal(youth, cost)) {
    td_youth_adjust(youth, facts);
    return;
  }
  youth->credit_ns = credit > cost ? credit - cost : 0;
  /* A larger young part would cost as much for each byte if all survived; and come no later, if it
   * was what was logged that brought this one. */
  bool may_grow = !facts->logged_much && youth->due_bytes < youth->most_bytes &&
                  (youth->goal_ns <= 0 || TD_TRIAL_STEP * cost <= youth->goal_ns);
  if (may_grow && TD_TRIAL_STEP * cost <= credit)
    set_due(youth, TD_TRIAL_STEP * (double)youth->due_bytes);
  else
    try_or_wait(youth, false);
}

static void after_full(struct td_youth *youth, const struct td_facts *facts, double room) {
  double cost = (double)(youth->beside ? facts->worked_ns : facts->collect_ns);
  double credit = youth->credit_ns + TD_TRIAL_SHARE * cost;
  youth->full_cost = td_smooth(youth->had_full ? youth->full_cost : 0, cost / room);
  youth->had_full = true;
  youth->credit_ns = credit < TD_TRIAL_MOST_NS ? credit : TD_TRIAL_MOST_NS;
  youth->most_bytes = (size_t)room / 2;
  if (youth->on)
    set_due(youth, (double)youth->due_bytes);
  else /* can it be paid if all survives? */
    try_or_wait(youth, youth->kind == TIDE_YOUNG_ALWAYS ||
                           youth->mark_cost * 2 * (double)youth->least_bytes <= youth->credit_ns);
}

void td_youth_next(struct td_youth *youth, const struct td_facts *facts, double room) {
  if (facts->kind == TIDE_CYCLE_FULL)
    after_full(youth, facts, room + 1);
  else if (!youth->on)
    try_or_wait(youth, true);
  else if (!facts->asked)
    after_young(youth, facts, room + 1);
  if (youth->kind != TIDE_YOUNG_NEVER) return;
  youth->on = false;
  youth->due_bytes = SIZE_MAX;
}

/* ---- Which kind ---- */

struct td_wish td_when_due(const struct td_when *when, enum td_room room, size_t young_bytes) {
  bool used_up = room == TD_ROOM_OVER_BUDGET;
  bool enough = when->youth.on && young_bytes >= when->youth.due_bytes / TD_YOUTH_ENOUGH;
  if (room == TD_ROOM_YOUNG_DUE || (used_up && enough))
    return (struct td_wish){TIDE_CYCLE_YOUNG, TIDE_CAUSE_YOUNG};
  return (struct td_wish){TIDE_CYCLE_FULL, used_up ? TIDE_CAUSE_GROWTH : TIDE_CAUSE_ROOM};
}
