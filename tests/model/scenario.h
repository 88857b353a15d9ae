/* SPDX-License-Identifier: MIT */
/* A scenario: what one owner and two thieves do to a queue, and what must hold afterwards.
 *
 * Written in what C and C++ share, so that every checker runs the same lines.  A checker defines,
 * before it includes this file,
 *   MODEL_QUEUE            which queue
 *   MODEL_ASSERT(c)        report a violation unless c
 *   MODEL_BLOCKS, MODEL_ENTRIES
 *   MODEL_GIVE(item), MODEL_TAKE(item)   (may be left out) write what the item stands for before it
 *                          is put, and read it by whoever has got or stolen the item
 * and calls scenario_init, then from three threads scenario_owner_* and scenario_thief_* in some
 * sequence, then, alone again, scenario_finish.
 *
 * Checked: an item got or stolen was put; nobody gets one twice; in the end none is missing; one
 * steal takes in the order of putting; what was written before a put can be read after the steal
 * (where the checker watches for that); after a get that found nothing there is nothing for
 * thieves; and when everybody has stopped, what was granted can still be stolen: at most `left_max`
 * items are the owner's alone. */
#ifndef TD_TESTS_MODEL_SCENARIO_H
#define TD_TESTS_MODEL_SCENARIO_H

#define SCENARIO_NAME2(queue, name) td_##queue##name
#define SCENARIO_NAME1(queue, name) SCENARIO_NAME2(queue, name)
#define SCENARIO_Q(name) SCENARIO_NAME1(MODEL_QUEUE, name)

/* The most items a scenario puts; they are numbered from 1 in the order of putting. */
#define SCENARIO_ITEMS 40
#define SCENARIO_BATCH 4

#ifndef MODEL_GIVE
#define MODEL_GIVE(item) ((void)0)
#define MODEL_TAKE(item) ((void)0)
#endif

struct scenario {
  struct SCENARIO_Q() queue;
  /* Owner's. */
  struct SCENARIO_Q(_owner) owner;
  uint64_t put;
  uint64_t got; /* bit i: item i */
  bool empty;   /* get has found nothing, and nothing was put since */
  /* Each thief's own. */
  uint64_t stolen[2];
  uint64_t offered[2]; /* as stolen: what it gave to the pool */
};

static inline void scenario_init(struct scenario *s, void *storage) {
  SCENARIO_Q(_init)(&s->queue, &s->owner, storage, MODEL_BLOCKS, MODEL_ENTRIES);
  s->put = 0;
  s->empty = false;
  s->got = s->stolen[0] = s->stolen[1] = 0;
  s->offered[0] = s->offered[1] = 0;
}

static inline void scenario_note(uint64_t *set, uint64_t item) {
  MODEL_ASSERT(item >= 1 && item <= SCENARIO_ITEMS);
  MODEL_ASSERT((*set >> item & 1) == 0);
  *set |= UINT64_C(1) << item;
  MODEL_TAKE(item);
}

/* The owner works on a copy of its state and writes it back, as the tracing loop does. */
static inline bool scenario_owner_put(struct scenario *s) {
  bool stored;
  MODEL_GIVE(s->put + 1);
  TD_ON_COPY(struct SCENARIO_Q(_owner), &s->owner, owner,
             stored = SCENARIO_Q(_put)(&s->queue, owner, s->put + 1));
  if (stored) {
    s->put++;
    s->empty = false;
  }
  return stored;
}

static inline bool scenario_owner_get(struct scenario *s) {
  uint64_t item;
  TD_ON_COPY(struct SCENARIO_Q(_owner), &s->owner, owner,
             item = SCENARIO_Q(_get)(&s->queue, owner));
  if (item != 0) scenario_note(&s->got, item);
  s->empty = item == 0;
  return item != 0;
}

static inline void scenario_owner_drain(struct scenario *s) {
  while (scenario_owner_get(s)) {
  }
}

static inline void scenario_owner_grant(struct scenario *s) {
  SCENARIO_Q(_grant)(&s->queue, &s->owner);
}

static inline void scenario_owner_grant_if_wanted(struct scenario *s) {
  if (SCENARIO_Q(_wanted)(&s->queue)) SCENARIO_Q(_grant)(&s->queue, &s->owner);
}

static inline int32_t scenario_thief_steal(struct scenario *s, int thief, uint32_t max) {
  uint64_t out[SCENARIO_BATCH];
  for (int i = 0; i < SCENARIO_BATCH; i++)
    out[i] = 0;
  int32_t taken = SCENARIO_Q(_steal)(&s->queue, out, max);
  MODEL_ASSERT(taken >= -1 && taken <= (int32_t)max);
  for (int32_t i = 0; i < taken; i++) {
    scenario_note(&s->stolen[thief], out[i]);
    MODEL_ASSERT(i == 0 || out[i] > out[i - 1]);
  }
  return taken;
}

static inline void scenario_thief_want(struct scenario *s) {
  SCENARIO_Q(_want)(&s->queue);
}

/* Work from outside, for a pool: one item of each thief at most, beyond the numbers of the owner's.
 */
static inline void scenario_thief_offer(struct scenario *s, int thief) {
  uint64_t item = SCENARIO_ITEMS - (uint64_t)thief;
  MODEL_GIVE(item);
  if (SCENARIO_Q(_offer)(&s->queue, item)) s->offered[thief] = UINT64_C(1) << item;
}

/* Everybody has stopped.  Steal what can be stolen, then get the rest. */
static inline void scenario_finish(struct scenario *s, uint32_t left_max) {
  int tries = 0;
  int32_t taken;
  uint64_t offered = s->offered[0] | s->offered[1];
  while ((taken = scenario_thief_steal(s, 0, SCENARIO_BATCH)) != 0) {
    /* Alone a thief loses no race; one look may go to moving on from a dead block. */
    MODEL_ASSERT(taken < 0 || !s->empty || offered != 0);
    tries = taken > 0 ? 0 : tries + 1;
    MODEL_ASSERT(tries <= MODEL_BLOCKS + 1);
  }
  uint32_t left = 0;
  while (scenario_owner_get(s))
    left++;
  MODEL_ASSERT(left <= left_max);
  MODEL_ASSERT((s->got & s->stolen[0]) == 0 && (s->got & s->stolen[1]) == 0);
  MODEL_ASSERT((s->stolen[0] & s->stolen[1]) == 0);
  uint64_t all = s->got | s->stolen[0] | s->stolen[1];
  MODEL_ASSERT(all == (((UINT64_C(1) << (s->put + 1)) - 2) | offered));
}

#endif
