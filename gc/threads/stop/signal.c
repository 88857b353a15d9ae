/* SPDX-License-Identifier: MIT */
#include "gc/threads/stop/signal.h"

#include <stdlib.h>

#include "gc/object/runs.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/safe.h"

/* How long a thread at the door sleeps before it looks again whether a fork is over, which is short
 * and rare. */
#define DOOR_NS 1000000u

/* ---- On the thread that is stopped ---- */

static bool allocates(const struct td_self *self) {
  for (const struct tide_mutator *m = self->mutators; m; m = m->thread_next)
    if (__atomic_load_n(&m->fast.inside, __ATOMIC_RELAXED)) return true; /* relaxed: own thread's */
  return false;
}

static bool anyone_awaited(const struct td_self *self) {
  const struct tide_mutator *m = self->mutators;
  while (m && !td_world_awaits(m))
    m = m->thread_next;
  return m != NULL;
}

/* A mutator in a blocking section was safe before, and a collection may be at work on its runs: it
 * is about to take a cell from none of them. */
static void set_interrupted(const struct td_self *self, bool interrupted) {
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next)
    if (!m->section_safe) m->interrupted = interrupted;
}

/* Inlined code finds no runs. */
static void note_doors(struct td_self *self) {
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next) {
    if (!td_world_is_forking(m)) continue;
    self->at_doors = true;
    m->fast.bump = td_runs_none(m->heap);
  }
}

/* Answers every fork that waits. Returns whether one did. */
static bool close_doors(struct td_self *self) {
  bool closed = false;
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next)
    if (td_world_awaits(m) && td_world_answer_fork(m)) closed = true;
  if (closed) note_doors(self);
  return closed;
}

static void on_signal(void) {
  struct td_self *self = td_self();
  if (td_inside_depth(self) || allocates(self)) {
    self->put_off = true;
    if (self->waits_at_door) close_doors(self);
    return;
  }
  if (!anyone_awaited(self) || close_doors(self)) return;
  /* A point of cancellation may lie below, in which the thread may be cancelled at any time. Its
   * end would count it once more. */
  int before, deferred;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
  set_interrupted(self, true);
  td_stack_call(td_thread_stand_still, NULL);
  set_interrupted(self, false);
  note_doors(self);
  pthread_setcanceltype(before, &deferred);
}

/* Does a fork wait for this thread to answer? */
static bool is_asked_to_fork(const struct td_self *self) {
  const struct tide_mutator *m = self->mutators;
  while (m && !td_world_awaits_for_fork(m))
    m = m->thread_next;
  return m != NULL;
}

/* From here on the handler answers forks. One whose signal has come since the thread is inside was
 * put off, and is answered here: it may be the same fork, which stops one heap after the other. The
 * handler does not answer meanwhile, or both would count. */
static void begin_to_wait(struct td_self *self) {
  do {
    self->waits_at_door = false;
    atomic_signal_fence(memory_order_seq_cst);
    close_doors(self);
    atomic_signal_fence(memory_order_seq_cst);
    self->waits_at_door = true;
    atomic_signal_fence(memory_order_seq_cst);
  } while (is_asked_to_fork(self));
}

static void wait_at_doors(struct td_self *self) {
  begin_to_wait(self);
  self->at_doors = false;
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next)
    while (td_world_is_forking(m))
      td_world_doze(m->heap, DOOR_NS);
  atomic_signal_fence(memory_order_seq_cst);
  self->waits_at_door = false;
  td_runs_show_all(self);
}

/* A signal that comes while the thread becomes safe, or ceases to, is put off: its handler would
 * make the thread safe once more, and those heaps that count it already would count it twice. One
 * that has come before may have closed the door. */
static void answer_outside(struct td_self *self) {
  do {
    td_inside_set(self, 1);
    self->put_off = false;
    atomic_signal_fence(memory_order_seq_cst);
    while (self->at_doors)
      wait_at_doors(self);
    if (anyone_awaited(self)) td_stack_call(td_thread_stand_still, NULL);
    td_inside_set(self, 0);
  } while (self->put_off);
}

/* The thread has come into Tidemark or has left it. */
static void answer(struct td_self *self) {
  if (!td_inside_depth(self) && !allocates(self)) {
    answer_outside(self);
    return;
  }
  while (self->at_doors)
    wait_at_doors(self);
}

/* ---- The process's signal ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int chosen;      /* by tide_stop_signal_set; 0: the default. Under the lock, as the next */
static int taken;       /* the signal whose handler is ours, or 0 */
static uint32_t joined; /* mutators that are stopped by it */

static int from_environment(struct tide_error *error) {
  const char *value = getenv("TIDE_STOP_SIGNAL");
  if (!value || !*value) return td_plat_signal_default();
  char *end;
  long number = strtol(value, &end, 10);
  if (*end == 0 && number > 0 && number < 4096 && td_plat_signal_usable((int)number))
    return (int)number;
  td_fail(
      error, TIDE_ERROR_ENVIRONMENT,
      "environment: TIDE_STOP_SIGNAL=%.32s: the number of a signal that a program can handle is "
      "needed",
      value);
  return 0;
}

static bool take(int number, const char *function, struct tide_error *error) {
  if (td_plat_signal_is_ours(number)) return true;
  if (td_plat_signal_take(number, on_signal)) return true;
  td_fail(error, TIDE_ERROR_STATE,
          "%s: the program handles signal %d itself, by which threads are stopped; "
          "TIDE_STOP_SIGNAL=NUMBER chooses another",
          function, number);
  return false;
}

static int join(const char *function, struct tide_error *error) {
  int number = taken ? taken : chosen ? chosen : from_environment(error);
  if (number == 0 || !take(number, function, error)) return 0;
  taken = number;
  joined++;
  return number;
}

int td_signal_enroll(const char *function, struct tide_error *error) {
  pthread_mutex_lock(&lock);
  int number = join(function, error);
  pthread_mutex_unlock(&lock);
  if (number) td_plat_signal_unblock(number);
  return number;
}

void td_signal_leave(void) {
  pthread_mutex_lock(&lock);
  joined--;
  pthread_mutex_unlock(&lock);
}

void td_signal_close(void) {
  pthread_mutex_lock(&lock);
  if (taken && joined == 0) {
    td_plat_signal_give(taken);
    taken = 0;
  }
  pthread_mutex_unlock(&lock);
}

void td_signal_hold(void) {
  pthread_mutex_lock(&lock);
}

void td_signal_let_go(void) {
  pthread_mutex_unlock(&lock);
}

void td_signal_bind_thread(void) {
  struct td_self *self = td_self();
  self->answer = answer;
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next)
    m->signalled = self;
}

static enum tide_status choose(int number, struct tide_error *error) {
  if (joined)
    return td_fail(error, TIDE_ERROR_STATE,
                   "tide_stop_signal_set: threads are attached that signal %d stops", taken);
  if (taken && taken != number) {
    td_plat_signal_give(taken);
    taken = 0;
  }
  chosen = number;
  return td_succeed(error);
}

enum tide_status tide_stop_signal_set(int number, struct tide_error *error) {
  if (number && !td_plat_signal_usable(number))
    return td_fail(error, TIDE_ERROR_ARGUMENT,
                   "tide_stop_signal_set: no program can handle signal %d", number);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&lock);
  enum tide_status status = choose(number, error);
  pthread_mutex_unlock(&lock);
  return status;
}

int tide_stop_signal(void) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&lock);
  int number = taken ? taken : chosen;
  pthread_mutex_unlock(&lock);
  return number;
}
