/* SPDX-License-Identifier: MIT */
#include "gc/cycle/beside_thread.h"

#include <stdlib.h>

#include "gc/cycle/asked.h"
#include "gc/stats/stats.h"
#include "gc/when/when.h"
#include "heap/cells/pace.h"
#include "heap/memory/backing.h"

bool td_beside_is_wanted(struct td_beside *own) {
  pthread_mutex_lock(&own->lock);
  bool wanted = own->wanted;
  pthread_mutex_unlock(&own->lock);
  return wanted;
}

void td_beside_give_up(struct td_beside *own) {
  pthread_mutex_lock(&own->lock);
  own->wanted = false;
  pthread_mutex_unlock(&own->lock);
}

static void *serve(void *argument) {
  struct tide_heap *heap = argument;
  struct td_beside *own = heap->concurrent;
  pthread_mutex_lock(&own->lock);
  while (!own->quit) {
    if (!own->wanted) {
      pthread_cond_wait(&own->wish, &own->lock);
      continue;
    }
    pthread_mutex_unlock(&own->lock);
    own->collect(heap);
    pthread_mutex_lock(&own->lock);
  }
  pthread_mutex_unlock(&own->lock);
  return NULL;
}

bool td_beside_thread_open(struct tide_heap *heap, void (*collect)(struct tide_heap *heap)) {
  struct td_beside *own = calloc(1, sizeof *own);
  if (!own) return false;
  pthread_mutex_init(&own->lock, NULL);
  pthread_cond_init(&own->wish, NULL);
  own->collect = collect;
  heap->concurrent = own;
  return true;
}

void td_beside_stop(struct tide_heap *heap) {
  struct td_beside *own = heap->concurrent;
  if (!own) return;
  pthread_mutex_lock(&own->lock);
  bool started = own->started;
  own->quit = true;
  pthread_cond_signal(&own->wish);
  pthread_mutex_unlock(&own->lock);
  if (started) td_plat_thread_join(&own->thread);
}

void td_beside_close(struct tide_heap *heap) {
  struct td_beside *own = heap->concurrent;
  if (!own) return;
  td_snapshot_deinit(&own->snapshot);
  pthread_mutex_destroy(&own->lock);
  pthread_cond_destroy(&own->wish);
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
    own->started = own->wanted = false;
    pthread_cond_init(&own->wish, NULL); /* the old one waits for a thread that is gone */
  }
  pthread_mutex_unlock(&own->lock);
}

/* Returns false if there is no thread for it. Under the lock. */
static bool call_thread(struct tide_heap *heap) {
  struct td_beside *own = heap->concurrent;
  if (!own->started) own->started = td_plat_thread_start(&own->thread, serve, heap);
  own->wanted = own->started;
  if (own->started) pthread_cond_signal(&own->wish);
  return own->started;
}

static void use_all_room(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  space->budget_blocks = td_backing_most(space);
  space->ahead = 0;
  td_pace_begin(space);
  __atomic_store_n(&space->runs_short, false, __ATOMIC_RELAXED); /* relaxed: a hint */
  pthread_mutex_unlock(&space->lock);
}

bool td_beside_begin(struct tide_heap *heap) {
  if (td_asked_is_paused(heap->asked)) return false;
  pthread_mutex_lock(&heap->concurrent->lock);
  bool begun = call_thread(heap);
  if (begun) use_all_room(&heap->space);
  pthread_mutex_unlock(&heap->concurrent->lock);
  return begun;
}

bool td_beside_wish(struct tide_heap *heap) {
  if (!td_beside_begin(heap)) return false;
  pthread_mutex_lock(&heap->space.lock);
  bool room = heap->space.used_blocks < heap->space.budget_blocks;
  pthread_mutex_unlock(&heap->space.lock);
  return room;
}

void td_beside_note_awaited(struct tide_heap *heap) {
  if (!heap->concurrent) return;
  pthread_mutex_lock(&heap->concurrent->lock);
  heap->concurrent->awaited |= heap->concurrent->wanted;
  pthread_mutex_unlock(&heap->concurrent->lock);
}

void td_beside_note_stopped(struct tide_heap *heap) {
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
  space->used_after = space->used_blocks;
  td_pace_end(space);
  __atomic_store_n(&space->runs_short, false, __ATOMIC_RELAXED); /* relaxed: a hint */
  pthread_mutex_unlock(&space->lock);
  own->wanted = own->awaited = false;
  pthread_mutex_unlock(&own->lock);
}
