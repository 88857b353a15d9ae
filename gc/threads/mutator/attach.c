/* SPDX-License-Identifier: MIT */
/* Attaching and detaching threads. */
#include "gc/threads/mutator/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/check/caller/check.h"
#include "gc/object/runs.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/barrier.h"
#include "gc/threads/mutator/fiber.h"
#include "gc/threads/mutator/handles.h"
#include "gc/threads/mutator/resting.h"
#include "gc/threads/mutator/stacks.h"
#include "gc/threads/mutator/written.h"
#include "gc/threads/stop/signal.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
#include "gc/when/when.h"

/* ---- While there are heaps ---- */

static pthread_key_t exit_key;

static void detach(struct tide_mutator *mutator);

/* The thread may have ended in a finalizer or the out-of-memory hook: their frames are gone. */
static void forget_frames(struct td_self *self) {
  self->call = (struct td_open_call){0};
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next) {
    m->locals = NULL;
    m->callback = NULL;
    td_runs_show(m);
  }
}

/* Runs at a thread's end. Other destructors may still want the heap: wait for one round. */
static void thread_ends(void *round) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  static char second;
  struct td_self *self = td_self();
  if (self->worlds) {
    fprintf(stderr, "tidemark: a thread ended in %s, and the heap's other threads wait for it\n",
            self->call.at ? self->call.name : "fork, or after tide_world_stop");
    abort();
  }
  forget_frames(self);
  if (round != &second) {
    pthread_setspecific(exit_key, &second);
    return;
  }
  while (td_thread_mutators())
    detach(td_thread_mutators());
}

bool td_mutators_open(void) {
  return pthread_key_create(&exit_key, thread_ends) == 0;
}

void td_mutators_close(void) {
  td_signal_close();
  pthread_key_delete(exit_key);
}

/* ---- Attach ---- */

void tide_attach_options_init(struct tide_attach_options *options) {
  if (options) *options = (struct tide_attach_options){.struct_size = sizeof *options};
}

/* All of a thread's mutators stop it in the same way, or one signal would interrupt what another
 * heap's collector counts on. */
static bool same_stop(const struct tide_attach_options *options) {
  const struct tide_mutator *other = td_thread_mutators();
  return !other || (other->stop_signal != 0) == (options->stop == TIDE_STOP_SIGNAL);
}

/* Returns what is wrong with the call, or NULL. */
static const char *objection(const struct tide_heap *heap,
                             const struct tide_attach_options *options) {
  const bool is_precise = options->stack == TIDE_STACK_PRECISE;
  if (!heap) return "heap is NULL";
  if (!is_precise && options->stack != TIDE_STACK_CONSERVATIVE) return "no such kind of stack";
  if (options->stop != TIDE_STOP_POLL && options->stop != TIDE_STOP_SIGNAL)
    return "no such way to stop";
  if (options->stop == TIDE_STOP_SIGNAL && is_precise)
    return "a thread with a precise stack cannot be stopped by a signal: it may hold references "
           "that no handle knows";
  if ((uintptr_t)options->own_high % 8 || (options->own_high && is_precise))
    return "no conservative stack begins at own_high";
  return NULL;
}

/* Detached mutators that are kept, at least. */
#define QUARANTINE 64u

/* A structure that was detached long ago, or a new one. Under the world's lock. */
static struct tide_mutator *take_mutator(struct tide_heap *heap) {
  if (heap->retired->count <= QUARANTINE)
    return aligned_alloc(TD_CACHE_LINE, sizeof(struct tide_mutator));
  struct tide_mutator *mutator = heap->retired->first;
  heap->retired->first = mutator->next;
  heap->retired->count--;
  return mutator;
}

/* A detached structure stays readable for a while, so that its use is told instead of corrupting
 * another mutator's. Under the world's lock. */
static void put_mutator(struct tide_heap *heap, struct tide_mutator *mutator) {
  mutator->next = NULL;
  if (heap->retired->count++ == 0)
    heap->retired->first = mutator;
  else
    heap->retired->last->next = mutator;
  heap->retired->last = mutator;
}

static enum tide_status build(struct tide_heap *heap, const struct tide_attach_options *options,
                              int stop_signal, struct tide_mutator **built) {
  struct tide_mutator *mutator = take_mutator(heap);
  if (!mutator) return TIDE_ERROR_MEMORY;
  memset(mutator, 0, sizeof *mutator);
  mutator->stack_kind = options->stack;
  mutator->stop_signal = stop_signal;
  mutator->own.high = 1; /* a precise mutator's stack is never looked at */
  mutator->current = mutator->running = &mutator->own;
  mutator->thread = td_self();
  mutator->thread_id = td_plat_thread_id();
  (void)td_thread_stack(); /* of precise mutators it is good to know, but not necessary */
  if (options->stack == TIDE_STACK_CONSERVATIVE && !td_fibers_open(mutator)) {
    put_mutator(heap, mutator);
    return TIDE_ERROR_SYSTEM;
  }
  if (options->own_high) (void)td_fibers_move_own(mutator, 0, (uintptr_t)options->own_high);
  if (!td_runs_open(heap, mutator)) {
    put_mutator(heap, mutator);
    return TIDE_ERROR_MEMORY;
  }
  /* Last, because what is set here stays. */
  if (pthread_setspecific(exit_key, mutator->thread) != 0) {
    td_runs_close(heap, mutator);
    put_mutator(heap, mutator);
    return TIDE_ERROR_MEMORY;
  }
  mutator->heap = heap;
  if (options->stack != TIDE_STACK_PRECISE) td_resting_add(heap, &mutator->own);
  /* relaxed: changed by those that hold the world's lock, or told once more. */
  mutator->fast.due = atomic_load_explicit(&heap->when->owed, memory_order_relaxed) != 0;
  td_barrier_open(mutator);
  *built = mutator;
  return TIDE_OK;
}

/* With more mutators than this each keeps less: heap/cells/refill.c. */
#define CROWD 16u

/* Under the world's lock. */
static void count(struct tide_heap *heap, int change) {
  /* relaxed, all: changed under the lock only, and a hint. */
  uint32_t mutators = atomic_load_explicit(&heap->world->count, memory_order_relaxed);
  mutators += (uint32_t)change;
  atomic_store_explicit(&heap->world->count, mutators, memory_order_relaxed);
  __atomic_store_n(&heap->space.crowded, mutators > CROWD, __ATOMIC_RELAXED);
}

static void enlist(struct tide_heap *heap, struct tide_mutator *mutator) {
  mutator->next = heap->world->mutators;
  mutator->link = &heap->world->mutators;
  if (mutator->next) mutator->next->link = &mutator->next;
  heap->world->mutators = mutator;
  count(heap, 1);
  struct td_self *self = td_self();
  mutator->thread_next = self->mutators;
  self->mutators = mutator;
  if (mutator->stop_signal) td_signal_bind_thread();
}

/* Returns why the thread cannot be attached now, or NULL. */
static const char *obstacle(struct tide_heap *heap, const struct tide_attach_options *options) {
  if (tide_current(heap)) return "this thread is attached to the heap already";
  if (td_in_callback()) return "in a trace function, root callback or event";
  if (!same_stop(options))
    return "a thread is stopped by a signal in all heaps that it is attached to, or in none";
  return NULL;
}

struct tide_mutator *tide_attach(struct tide_heap *heap, const struct tide_attach_options *options,
                                 struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_attach_options read;
  struct tide_mutator *mutator = NULL;
  tide_attach_options_init(&read);
  if (options &&
      !td_sized_copy(&read, sizeof read, options, "tide_attach", "tide_attach_options_init", error))
    return NULL;
  const char *wrong = objection(heap, &read), *now = wrong ? NULL : obstacle(heap, &read);
  if (wrong || now) {
    td_fail(error, wrong ? TIDE_ERROR_ARGUMENT : TIDE_ERROR_STATE, "tide_attach: %s",
            wrong ? wrong : now);
    return NULL;
  }
  int stop_signal = read.stop == TIDE_STOP_SIGNAL ? td_signal_enroll("tide_attach", error) : 0;
  if (read.stop == TIDE_STOP_SIGNAL && !stop_signal) return NULL;
  if (stop_signal) /* marking beside the program: no stop may come in the middle of a barrier */
    td_world_lock(heap);
  else
    td_world_lock_beside(heap);
  enum tide_status status = build(heap, &read, stop_signal, &mutator);
  if (status == TIDE_OK) enlist(heap, mutator);
  td_world_unlock(heap);
  if (stop_signal && status != TIDE_OK) td_signal_leave();
  if (status != TIDE_OK)
    td_fail(error, status, "tide_attach: %s",
            status == TIDE_ERROR_SYSTEM ? "the system does not tell this thread's stack bounds"
                                        : "out of memory for a mutator");
  else
    td_succeed(error);
  return mutator;
}

/* ---- Detach ---- */

/* Takes a mutator apart. Under the world's lock, no stop under way or the stopper calling. */
static void dismantle(struct tide_heap *heap, struct tide_mutator *mutator) {
  td_runs_drop(mutator);
  td_written_leave(mutator);
  *mutator->link = mutator->next;
  if (mutator->next) mutator->next->link = mutator->link;
  count(heap, -1);
  if (mutator->stop_signal) td_signal_leave();
  td_fibers_close(mutator);
  td_stacks_close(mutator);
  td_handles_close(mutator);
  td_runs_close(heap, mutator);
  mutator->fast.stop = 0;
  td_barrier_close(mutator);
  mutator->heap = NULL;
  mutator->alloc_status = TIDE_ERROR_STATE;
  put_mutator(heap, mutator);
}

static void detach(struct tide_mutator *mutator) {
  struct tide_heap *heap = mutator->heap;
  td_world_lock_beside(heap);
  struct tide_mutator **link = &td_self()->mutators;
  while (*link != mutator)
    link = &(*link)->thread_next;
  *link = mutator->thread_next;
  /* Without any mutator, nothing of ours is to be called at the thread's end: the library may be
   * gone by then. Under the lock, so that the heap's end, and with the last heap the key's, wait.
   */
  if (!td_thread_mutators()) pthread_setspecific(exit_key, NULL);
  dismantle(heap, mutator);
  td_world_unlock(heap);
}

enum tide_status tide_detach(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!mutator) return TIDE_OK;
  if (!td_mutator_may_wait(mutator, "tide_detach") || mutator->scope) return TIDE_ERROR_STATE;
  /* Local roots: a finalizer or the out-of-memory hook runs, and wants the mutator back. */
  if (mutator->locals) return TIDE_ERROR_STATE;
  detach(mutator);
  return TIDE_OK;
}

void td_mutators_drop_others(struct tide_heap *heap, struct tide_mutator *keep) {
  for (struct tide_mutator *m = heap->world->mutators, *next; m; m = next) {
    next = m->next;
    if (m != keep) dismantle(heap, m);
  }
}

void td_mutators_free_pools(struct tide_heap *heap) {
  while (heap->retired->first) {
    struct tide_mutator *next = heap->retired->first->next;
    free(heap->retired->first);
    heap->retired->first = next;
  }
  td_runs_free_pool(heap);
}
