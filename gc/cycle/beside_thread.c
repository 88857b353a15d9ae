/* SPDX-License-Identifier: MIT */
#include "gc/cycle/beside_thread.h"

#include <sched.h>
#include <stdlib.h>

#include "gc/cycle/asked.h"
#include "gc/stats/stats.h"
#include "gc/when/when.h"
#include "heap/cells/pace.h"
#include "heap/memory/ahead.h"
#include "heap/memory/backing.h"
#include "heap/space/tables.h"

bool td_beside_is_wanted(struct td_beside *own) {
  pthread_mutex_lock(&own->lock);
  bool wanted = own->collector.wanted;
  pthread_mutex_unlock(&own->lock);
  return wanted;
}

/* Nothing goes on beside the program for which mutators would have to wait. */
static void end_pace(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  td_pace_end(space);
  pthread_mutex_unlock(&space->lock);
}

void td_beside_give_up(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->concurrent->lock);
  heap->concurrent->collector.wanted = false;
  end_pace(&heap->space);
  pthread_mutex_unlock(&heap->concurrent->lock);
}

/* ---- Threads ---- */

static void *serve(void *argument) {
  struct td_servant *servant = argument;
  struct td_beside *own = servant->heap->concurrent;
  pthread_mutex_lock(&own->lock);
  while (!own->quit) {
    if (!servant->wanted) {
      pthread_cond_wait(&servant->wish, &own->lock);
      continue;
    }
    pthread_mutex_unlock(&own->lock);
    servant->work(servant->heap);
    pthread_mutex_lock(&own->lock);
  }
  pthread_mutex_unlock(&own->lock);
  return NULL;
}

static void open_servant(struct td_servant *servant, struct tide_heap *heap,
                         void (*work)(struct tide_heap *heap)) {
  servant->heap = heap;
  servant->work = work;
  pthread_cond_init(&servant->wish, NULL);
}

/* Returns false if there is no thread for it. Under the lock. */
static bool call(struct td_servant *servant) {
  if (!servant->started) servant->started = td_plat_thread_start(&servant->thread, serve, servant);
  servant->wanted = servant->started;
  if (servant->started) pthread_cond_signal(&servant->wish);
  return servant->started;
}

static void stop(struct td_servant *servant, pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
  bool started = servant->started;
  pthread_cond_signal(&servant->wish);
  pthread_mutex_unlock(lock);
  if (started) td_plat_thread_join(&servant->thread);
}

/* In the child after a fork, where the thread is gone for which the old condition waits. */
static void forget(struct td_servant *servant) {
  servant->started = servant->wanted = false;
  pthread_cond_init(&servant->wish, NULL);
}

/* A mutator that waits for this CPU need not wait for the end of a time slice. */
static void grow(struct tide_heap *heap) {
  while (td_ahead_make(&heap->space))
    sched_yield();
  pthread_mutex_lock(&heap->concurrent->lock);
  heap->concurrent->grower.wanted = td_ahead_is_wanted(&heap->space);
  pthread_mutex_unlock(&heap->concurrent->lock);
}

bool td_beside_thread_open(struct tide_heap *heap, void (*collect)(struct tide_heap *heap)) {
  /* A collection writes to the first mark, before there is an object too. */
  if (heap->space.has_young && !td_tables_reach(&heap->space, 1)) return false;
  struct td_beside *own = calloc(1, sizeof *own);
  if (!own) return false;
  pthread_mutex_init(&own->lock, NULL);
  open_servant(&own->collector, heap, collect);
  open_servant(&own->grower, heap, grow);
  heap->concurrent = own;
  heap->space.grows_ahead = true;
  return true;
}

void td_beside_stop(struct tide_heap *heap) {
  struct td_beside *own = heap->concurrent;
  if (!own) return;
  pthread_mutex_lock(&own->lock);
  own->quit = true;
  pthread_mutex_unlock(&own->lock);
  stop(&own->collector, &own->lock);
  stop(&own->grower, &own->lock);
}

void td_beside_close(struct tide_heap *heap) {
  struct td_beside *own = heap->concurrent;
  if (!own) return;
  td_snapshot_deinit(&own->snapshot);
  pthread_mutex_destroy(&own->lock);
  pthread_cond_destroy(&own->collector.wish);
  pthread_cond_destroy(&own->grower.wish);
  free(own);
  heap->concurrent = NULL;
}

void td_beside_hold(struct tide_heap *heap) {
  if (heap->concurrent) pthread_mutex_lock(&heap->concurrent->lock);
}

void td_beside_let_go(struct tide_heap *heap, bool child) {
  struct td_beside *own = heap->concurrent;
  if (!own) return;
  if (child) {
    forget(&own->collector);
    forget(&own->grower);
    td_ahead_forget(&heap->space);
    end_pace(&heap->space);
  }
  pthread_mutex_unlock(&own->lock);
}

/* ---- Calls ---- */

void td_beside_grow(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->concurrent->lock);
  (void)call(&heap->concurrent->grower); /* without it, mutators touch memory themselves */
  pthread_mutex_unlock(&heap->concurrent->lock);
}

static void use_all_room(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  td_pace_begin(space);
  __atomic_store_n(&space->runs_short, false, __ATOMIC_RELAXED); /* relaxed: a hint */
  pthread_mutex_unlock(&space->lock);
}

bool td_beside_begin(struct tide_heap *heap) {
  if (td_asked_is_paused(heap->asked)) return false;
  pthread_mutex_lock(&heap->concurrent->lock);
  bool begun = call(&heap->concurrent->collector);
  if (begun) use_all_room(&heap->space);
  pthread_mutex_unlock(&heap->concurrent->lock);
  return begun;
}

bool td_beside_wish(struct tide_heap *heap) {
  if (!td_beside_begin(heap)) return false;
  pthread_mutex_lock(&heap->space.lock);
  bool room = heap->space.used_blocks < td_backing_bound(&heap->space);
  pthread_mutex_unlock(&heap->space.lock);
  return room;
}

void td_beside_note_awaited(struct tide_heap *heap) {
  if (!heap->concurrent) return;
  pthread_mutex_lock(&heap->concurrent->lock);
  heap->concurrent->awaited |= heap->concurrent->collector.wanted;
  pthread_mutex_unlock(&heap->concurrent->lock);
}

void td_beside_note_stopped(struct tide_heap *heap) {
  struct td_beside *own = heap->concurrent;
  pthread_mutex_lock(&own->lock);
  heap->stats->building->all.stopped_because =
      own->collector.started ? "there was no room left" : "there was no thread for it";
  pthread_mutex_unlock(&own->lock);
  /* relaxed: a figure. */
  atomic_fetch_add_explicit(&heap->stats->degenerate, 1, memory_order_relaxed);
}

bool td_beside_was_awaited(struct td_beside *own) {
  pthread_mutex_lock(&own->lock);
  bool awaited = own->awaited;
  pthread_mutex_unlock(&own->lock);
  return awaited;
}

void td_beside_set_pace(struct tide_heap *heap) {
  struct td_beside *own = heap->concurrent;
  struct td_space *space = &heap->space;
  if (!own) return;
  pthread_mutex_lock(&own->lock);
  pthread_mutex_lock(&space->lock);
  /* What no list has blocks for needs some, too, and must not wait for the end. */
  uint32_t most = td_backing_most(space);
  most -= most / TD_BESIDE_RESERVE;
  if (space->budget_blocks > most) space->budget_blocks = most;
  space->ahead = TD_BESIDE_AHEAD * (own->taken > 0 ? own->taken : TD_BESIDE_FIRST);
  td_pace_end(space);
  __atomic_store_n(&space->runs_short, false, __ATOMIC_RELAXED); /* relaxed: a hint */
  pthread_mutex_unlock(&space->lock);
  own->collector.wanted = own->awaited = false;
  pthread_mutex_unlock(&own->lock);
}
