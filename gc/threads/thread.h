/* SPDX-License-Identifier: MIT */
/* The calling thread: its mutators, the worlds it holds, and the embedder's function it is in. And
 * the world of a heap: its mutators, the lock of stoppers, and the stop under way. */
#ifndef TD_GC_THREADS_THREAD_H
#define TD_GC_THREADS_THREAD_H

#include "gc/state/mutator.h"

struct td_call;

/* The innermost call of a thread. A copy of what must be known when the frame is gone. */
struct td_open_call {
  struct td_call *at;  /* NULL: there is none */
  const char *name;    /* of what was called, for the message */
  uintptr_t low, high; /* the stack that *at lies on; both 0 if that is not known */
};

/* What is known of a thread. Only the thread itself uses it; its address stands for the thread for
 * as long as that lives. */
struct td_self {
  struct tide_mutator *mutators; /* of all heaps, linked by thread_next */
  struct td_open_call call;
  uint32_t worlds;              /* how many worlds' locks it holds */
  bool tells;                   /* of an event, without such a lock */
  struct td_stack_bounds stack; /* its own; high is 0 until it is asked for */
  /* For threads that a signal may stop; the thread and its signal handler: gc/threads/inside.h. */
  _Atomic(uint32_t) inside;             /* scopes that hold stops off */
  volatile bool at_doors;               /* a fork waits: gc/threads/stop/signal.h */
  volatile bool waits_at_door;          /* it is noticed already */
  volatile bool put_off;                /* the handler came while the thread was inside */
  void (*answer)(struct td_self *self); /* what to do then, or NULL if no signal stops it */
};
/* At a fixed distance from the thread's pointer, in a shared library too: nearly every function of
 * the interface asks for it. It is small enough for what the loader keeps for libraries that are
 * opened late. */
extern _Thread_local struct td_self td_self_here __attribute__((tls_model("initial-exec")));
static inline struct td_self *td_self(void) {
  return &td_self_here;
}

/* The calling thread's mutators of all heaps, linked by thread_next. */
static inline struct tide_mutator *td_thread_mutators(void) {
  return td_self()->mutators;
}

/* Returns the bounds of the thread's own stack, or NULL with errno set if the system does not tell
 * them. */
const struct td_stack_bounds *td_thread_stack(void);

struct td_world {
  pthread_mutex_t lock;
  struct tide_mutator *mutators;
  _Atomic(uint32_t) count; /* changed under the lock */
  int cancel_state;        /* of the thread that holds the lock, from before; under the lock */
  bool stands_still;       /* under the lock, as the next */
  bool beside;             /* a collection goes on beside the program; under the lock */
  unsigned after_end;      /* threads that wait for its end; under the lock */
  pthread_cond_t ended;    /* it has ended, or the last of those has had its turn */
  bool for_program;        /* by tide_world_stop, until tide_world_resume */
  /* Identity of the thread that holds the lock, NULL if none does. */
  _Atomic(const void *) holder;
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) awaited; /* mutators that have not stopped yet */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) gate;    /* bit 0: someone sleeps; rest: resumes */
};

#endif
