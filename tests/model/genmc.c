/* SPDX-License-Identifier: MIT */
/* One scenario of one queue for GenMC, the scripts as macros of one step each:
 *
 *   genmc [--imm] -- -I. -DMODEL_QUEUE=bwos -DMODEL_HEADER='"marker/queue/bwos.h"' -DMODEL_BLOCKS=2
 *     -DMODEL_ENTRIES=2 -DMODEL_LEFT=40 -DMODEL_OWNER='PUT GET DRAIN' -DMODEL_THIEF0='STEAL(2)'
 *     -DMODEL_THIEF1= [-DMUTANT_bwos_grant='~, memory_order_relaxed'] genmc.c
 *
 * run-genmc makes such lines from cases.py. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tests/model/genmc.h"

/* What the items stand for: written before they are put. GenMC reports who reads it unordered. */
static uint64_t meaning[64];
#define MODEL_GIVE(item) ((void)(meaning[item] = (item)))
#define MODEL_TAKE(item) assert(meaning[item] == (item))

/* A mutant leaves out the locks of a pool's deques, or the one of its global queue. */
#define MODEL_LOCKS(name)                                                                          \
  (__builtin_strcmp(name, "&g->lock") == 0 ? TD_STEP(global, lock) : TD_STEP(mutex, lock))
#define pthread_mutex_lock(m) (MODEL_LOCKS(#m) ? pthread_mutex_lock(m) : 0)
#define pthread_mutex_trylock(m) (MODEL_LOCKS(#m) ? pthread_mutex_trylock(m) : 0)
#define pthread_mutex_unlock(m) (MODEL_LOCKS(#m) ? pthread_mutex_unlock(m) : 0)

#include MODEL_HEADER
#include "tests/model/scenario.h"

static struct scenario scenario;
static _Alignas(TD_CACHE_LINE) uint64_t storage[MODEL_BLOCKS * (MODEL_ENTRIES + 32)];
static atomic_int phase;

/* For the one growth of a scenario. */
static _Alignas(TD_CACHE_LINE) uint64_t more_storage[64];

static void *more(void *context, size_t bytes) {
  return bytes <= sizeof more_storage ? more_storage : NULL;
}

#define PUT (void)scenario_owner_put(&scenario);
#define PUT_IN MODEL_ASSERT(scenario_owner_put(&scenario));
#define PUT_OUT MODEL_ASSERT(!scenario_owner_put(&scenario));
#define GET (void)scenario_owner_get(&scenario);
#define DRAIN scenario_owner_drain(&scenario);
#define GRANT scenario_owner_grant(&scenario);
#define GRANT_IF_WANTED scenario_owner_grant_if_wanted(&scenario);
#define STEAL(max) (void)scenario_thief_steal(&scenario, thief, max);
#define OFFER scenario_thief_offer(&scenario, thief);
#define WANT scenario_thief_want(&scenario);
/* relaxed: phases order steps in time and synchronise nothing. */
#define BEGIN_PHASE (void)atomic_fetch_add_explicit(&phase, 1, memory_order_relaxed);
#define WAIT_FOR(n) __VERIFIER_assume(atomic_load_explicit(&phase, memory_order_relaxed) >= (n));

static void *thief0(void *unused) {
  enum { thief = 0 };
  MODEL_THIEF0
  return NULL;
}

static void *thief1(void *unused) {
  enum { thief = 1 };
  MODEL_THIEF1
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  scenario_init(&scenario, storage);
  SCENARIO_Q(_grow_from)(&scenario.queue, more, NULL);
  pthread_create(&threads[0], NULL, thief0, NULL);
  pthread_create(&threads[1], NULL, thief1, NULL);
  MODEL_OWNER
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  scenario_finish(&scenario, MODEL_LEFT);
  return 0;
}
