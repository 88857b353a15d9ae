/* SPDX-License-Identifier: MIT */
/* Fork. Before it, the worlds of all heaps are stopped and all locks taken, so that the child
 * finds every structure whole: no other mutator is in the middle of an allocation. The child
 * keeps the mutators of the thread that forked, and forgets the other threads: their handles and
 * stacks are no roots any more, and the markers start new threads when they need them. */
#include "gc/create/fork.h"

#include <stdio.h>
#include <stdlib.h>

#include "gc/check/caller/check.h"
#include "gc/check/describe.h"
#include "gc/cycle/beside_thread.h"
#include "gc/roots/gather.h"
#include "gc/stats/stats.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/attach.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/safe.h"
#include "gc/threads/stop/signal.h"
#include "gc/threads/stop/world.h"
#include "heap/reclaim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tide_heap *heaps; /* under the lock */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;
static int cancel_state; /* under the lock: of the thread that forks, before it did */

/* There is no way to tell fork's caller, and waiting would be for ever. */
static void refuse(void) {
  const struct td_self *self = td_self();
  fprintf(stderr, "tidemark: fork in %s; it would wait for itself\n",
          self->call.at ? self->call.name : "a callback, or after tide_world_stop");
  abort();
}

static void lock_worlds(void) {
  pthread_mutex_lock(&lock);
  for (struct tide_heap *heap = heaps; heap; heap = heap->next)
    td_world_lock_safe(heap);
}

static void unlock_worlds(void) {
  for (struct tide_heap *heap = heaps; heap; heap = heap->next)
    td_world_unlock_safe(heap);
  pthread_mutex_unlock(&lock);
}

/* All worlds' locks before the first stop: a thread that waits for one counts as standing still in
 * every heap, so no thread that holds one can wait for us. */
static void lock_worlds_safely(void) {
  struct tide_mutator *suspended;
  td_thread_enter_safe(NULL);
  lock_worlds();
  while ((suspended = td_thread_try_leave_safe(NULL)) != NULL) {
    unlock_worlds(); /* the thread that lets this one go on needs one */
    td_world_wait_at_gate(suspended);
    lock_worlds();
  }
}

static void stop_all(void *before) {
  if (td_in_callback()) refuse();
  lock_worlds_safely();
  cancel_state = *(const int *)before;
  for (struct tide_heap *heap = heaps; heap; heap = heap->next)
    td_world_stop_mutators(heap, tide_current(heap));
  /* All other locks after the last stop: a thread that we wait for may use heaps that it is not
   * attached to, and does not stand still while it waits for such a lock. */
  for (struct tide_heap *heap = heaps; heap; heap = heap->next) {
    td_roots_lock(heap);
    td_beside_hold(heap);
    pthread_mutex_lock(&heap->space.lock);
    pthread_mutex_lock(&heap->stats->lock);
  }
  td_signal_hold();
}

/* To wait for the end of a collection beside the program is a point of cancellation. */
static void before_fork(void) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  (void)td_inside_begin(); /* until it is over */
  td_stack_call(stop_all, &before);
}

static void unlock_heap(struct tide_heap *heap, bool child) {
  pthread_mutex_unlock(&heap->stats->lock);
  pthread_mutex_unlock(&heap->space.lock);
  td_beside_let_go(heap, child);
  td_roots_unlock(heap);
}

static void go_on(void) {
  struct td_self *inside = td_self();
  int before = cancel_state, disabled;
  pthread_mutex_unlock(&lock);
  td_inside_end(&inside);
  pthread_setcancelstate(before, &disabled);
}

static void after_fork_in_parent(void) {
  td_signal_let_go();
  for (struct tide_heap *heap = heaps; heap; heap = heap->next) {
    unlock_heap(heap, false);
    td_world_resume_mutators(heap, tide_current(heap));
    td_world_unlock_safe(heap);
  }
  go_on();
}

static void after_fork_in_child(void) {
  td_signal_let_go();
  for (struct tide_heap *heap = heaps; heap; heap = heap->next) {
    unlock_heap(heap, true);
    struct tide_mutator *self = tide_current(heap);
    td_reclaim_after_fork(&heap->space);
    if (self) self->thread_id = td_plat_thread_id();
    td_mutators_drop_others(heap, self);
    td_world_resume_mutators(heap, self);
    td_markers_after_fork(heap->markers);
    td_world_after_fork(heap->world);
    td_world_unlock_safe(heap);
  }
  go_on();
}

/* A thread that waits for the lock stands still meanwhile: a fork that has it waits for this thread
 * in other heaps. The lock is not kept while the thread waits to go on, because it may have been
 * suspended. */
static void wait_for_heaps(void *unused) {
  (void)unused;
  td_thread_enter_safe(NULL);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  td_thread_leave_safe(NULL);
}

static void lock_heaps(void) {
  while (pthread_mutex_trylock(&lock) != 0)
    td_stack_call(wait_for_heaps, NULL);
}

/* A malloc with handlers registers them at its first call. They must be older than ours: their
 * locks are taken last. */
static void register_handlers(void) {
  void *volatile first = malloc(1);
  free(first);
  ready = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

/* Before the program registers its own: those run before ours then, and in the parent and the child
 * after them, so they may allocate. A heap may still be created earlier, by another constructor. */
__attribute__((constructor(101))) static void register_first(void) {
  pthread_once(&once, register_handlers);
}

const char *td_heaps_add(struct tide_heap *heap) {
  register_first();
  if (!ready) return "cannot register fork handlers";
  lock_heaps();
  bool good = heaps || td_mutators_open();
  if (good) {
    heap->next = heaps;
    heaps = heap;
    if (heap->verify) td_describe_faults(&heaps);
  }
  pthread_mutex_unlock(&lock);
  return good ? NULL : "no thread key left";
}

void td_heaps_remove(struct tide_heap *heap) {
  lock_heaps();
  struct tide_heap **link = &heaps;
  while (*link != heap)
    link = &(*link)->next;
  *link = heap->next;
  if (heap->verify) td_describe_faults(&heaps);
  if (!heaps) td_mutators_close();
  pthread_mutex_unlock(&lock);
}
