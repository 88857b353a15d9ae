/* SPDX-License-Identifier: MIT */
/* A small fork-join scheduler over one queue: a part of the template bench/queue/loops.h, which
 * includes this. Every queue gets the same one.
 *
 * A task lies in the frame of the one that spawned it. Its owner finds it on top of its queue, if
 * no thief has taken it; then it waits, doing whatever there is to do. If the queue is full, the
 * task is done at once. */

struct task {
  /* Written before the task is put, read by who does it. */
  unsigned depth;
  /* Who does it writes, who spawned it reads: [forkjoin.done]. */
  uint64_t count;
  _Atomic(bool) done;
};

struct worker {
  struct td_forkjoin *job;
  struct state *own;
  unsigned number;
  uint32_t random;
  uint64_t stolen, failed;
};

static uint64_t do_task(struct worker *w, unsigned depth);

static void finish(struct worker *w, struct task *t) {
  t->count = do_task(w, t->depth);
  /* release [forkjoin.done]: the count. */
  atomic_store_explicit(&t->done, true, memory_order_release);
}

static inline bool put_task(struct worker *w, struct task *t) {
  bool stored = Q(put)(&w->own->queue, &w->own->owner, (uintptr_t)t);
  if (Q(wanted)(&w->own->queue)) Q(grant)(&w->own->queue, &w->own->owner);
  return stored;
}

static inline struct task *get_task(struct worker *w) {
  uint64_t item = Q(get)(&w->own->queue, &w->own->owner);
  if (Q(wanted)(&w->own->queue)) Q(grant)(&w->own->queue, &w->own->owner);
  return (struct task *)(uintptr_t)item;
}

/* Does a task of somebody else's, or rests for a moment. */
static __attribute__((noinline)) void help(struct worker *w) {
  unsigned others = w->job->threads - 1;
  if (others == 0) return;
  w->random ^= w->random << 13;
  w->random ^= w->random >> 17;
  w->random ^= w->random << 5;
  unsigned victim = (w->number + 1 + w->random % others) % w->job->threads;
  struct QUEUE *queue = &((struct state *)w->job->states[victim])->queue;
  uint64_t item;
  int32_t taken = Q(steal)(queue, &item, 1);
  if (taken > 0) {
    w->stolen++;
    w->failed = 0;
    finish(w, (struct task *)(uintptr_t)item);
    return;
  }
  if (taken == 0) Q(want)(queue);
  for (unsigned i = 0; i < 16; i++)
    td_pause();
  if (++w->failed % 16 == 0 && w->job->is_crowded) sched_yield();
}

static inline uint64_t join_task(struct worker *w, struct task *t) {
  /* acquire [forkjoin.done]. */
  while (!atomic_load_explicit(&t->done, memory_order_acquire)) {
    struct task *next = get_task(w);
    if (next)
      finish(w, next);
    else
      help(w);
  }
  return t->count;
}

static __attribute__((noinline)) uint64_t fork_and_join(struct worker *w, unsigned depth) {
  struct task tasks[TD_TREE_DEPTH_MAX];
  uint64_t count = 1;
  for (unsigned d = depth; d-- > 0;) {
    tasks[d].depth = d;
    /* relaxed: who does the task has got it from the queue. */
    atomic_store_explicit(&tasks[d].done, false, memory_order_relaxed);
    if (!put_task(w, &tasks[d])) finish(w, &tasks[d]);
  }
  for (unsigned d = 0; d < depth; d++)
    count += join_task(w, &tasks[d]);
  return count;
}

static uint64_t do_task(struct worker *w, unsigned depth) {
  td_tree_work(w->job->steps);
  return depth == 0 ? 1 : fork_and_join(w, depth);
}

static void fork_join(struct td_forkjoin *job, unsigned thread) {
  struct worker w = {
      .job = job, .own = job->states[thread], .number = thread, .random = 2463534242u + thread};
  if (thread == 0) {
    uint64_t start = td_now_ns();
    for (uint64_t i = 0; i < job->trees; i++)
      job->done += do_task(&w, job->depth);
    job->ns = td_now_ns() - start;
    /* relaxed: see struct td_forkjoin. */
    atomic_store_explicit(&job->is_over, true, memory_order_relaxed);
  } else {
    while (!atomic_load_explicit(&job->is_over, memory_order_relaxed))
      help(&w);
  }
  /* relaxed: read after all threads have been joined. */
  atomic_fetch_add_explicit(&job->stolen, w.stolen, memory_order_relaxed);
}
