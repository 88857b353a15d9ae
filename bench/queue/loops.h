/* SPDX-License-Identifier: MIT */
/* The loops of one queue: a template for the unit that includes this.
 *
 * Before it does, the unit includes the headers of bench/queue/kind.c.in and the queue's, and
 * defines QUEUE        struct QUEUE is the queue's shared part Q(name)      its functions, and
 * struct Q(owner) KIND, NAME   what to call the table, and the queue
 *
 * Every function here is called through a pointer, so the compiler specialises none of them. */

struct state {
  struct QUEUE queue;
  _Alignas(64) struct Q(owner) owner;
};

/* Makes the compiler forget what it knows of memory: only locals need not be read again. */
static inline void forget(void) {
  __asm__ volatile("" ::: "memory");
}

static void init(void *state, void *storage, uint32_t blocks, uint32_t entries) {
  struct state *s = state;
  Q(init)(&s->queue, &s->owner, storage, blocks, entries);
}

static void join(void *state, void *first) {
  Q(join)(&((struct state *)state)->queue, &((struct state *)first)->queue);
}

static inline void add(struct td_queue_tally *tally, uint64_t item) {
  tally->count++;
  tally->sum += item;
}

/* ---- One thread, cursor in a local ----------------------------------------------------- */

static struct td_queue_tally fill_drain_local(void *state, uint64_t rounds, uint32_t fill) {
  struct state *s = state;
  struct Q(owner) o = s->owner;
  struct td_queue_tally out = {0};
  for (uint64_t r = 0; r < rounds; r++) {
    for (uint64_t i = 1; i <= fill; i++)
      if (!Q(put)(&s->queue, &o, i)) break;
    uint64_t item;
    while ((item = Q(get)(&s->queue, &o)) != 0)
      add(&out, item);
  }
  s->owner = o;
  return out;
}

static struct td_queue_tally follow_local(void *state, uint64_t rounds,
                                          const struct td_queue_steps *steps) {
  struct state *s = state;
  struct Q(owner) o = s->owner;
  struct td_queue_tally out = {0};
  const uint8_t *children = steps->children;
  size_t count = steps->count;
  uint64_t item, next = 1;
  while (next <= steps->depth && Q(put)(&s->queue, &o, next))
    next++;
  for (uint64_t r = 0; r < rounds; r++) {
    for (size_t i = 0; i < count; i++) {
      if ((item = Q(get)(&s->queue, &o)) == 0) break;
      add(&out, item);
      for (unsigned k = children[i]; k > 0; k--)
        if (!Q(put)(&s->queue, &o, next++)) break;
    }
  }
  while ((item = Q(get)(&s->queue, &o)) != 0)
    add(&out, item);
  s->owner = o;
  return out;
}

/* ---- One thread, cursor in memory ------------------------------------------------------ */

static struct td_queue_tally fill_drain_in_memory(void *state, uint64_t rounds, uint32_t fill) {
  struct state *s = state;
  struct td_queue_tally out = {0};
  for (uint64_t r = 0; r < rounds; r++) {
    for (uint64_t i = 1; i <= fill; i++) {
      if (!Q(put)(&s->queue, &s->owner, i)) break;
      forget();
    }
    uint64_t item;
    while ((item = Q(get)(&s->queue, &s->owner)) != 0) {
      add(&out, item);
      forget();
    }
  }
  return out;
}

static struct td_queue_tally follow_in_memory(void *state, uint64_t rounds,
                                              const struct td_queue_steps *steps) {
  struct state *s = state;
  struct td_queue_tally out = {0};
  const uint8_t *children = steps->children;
  size_t count = steps->count;
  uint64_t item, next = 1;
  while (next <= steps->depth && Q(put)(&s->queue, &s->owner, next))
    next++;
  for (uint64_t r = 0; r < rounds; r++) {
    for (size_t i = 0; i < count; i++) {
      if ((item = Q(get)(&s->queue, &s->owner)) == 0) break;
      add(&out, item);
      forget();
      for (unsigned k = children[i]; k > 0; k--) {
        if (!Q(put)(&s->queue, &s->owner, next++)) break;
        forget();
      }
    }
  }
  while ((item = Q(get)(&s->queue, &s->owner)) != 0)
    add(&out, item);
  return out;
}

/* ---- Among thieves --------------------------------------------------------------------- */

static inline void publish(struct td_queue_share *share, uint64_t put) {
  /* relaxed: the number paces the thieves and orders nothing. */
  atomic_store_explicit(&share->put, put, memory_order_relaxed);
}

static void own_local(void *state, struct td_queue_share *share) {
  struct state *s = state;
  struct Q(owner) o = s->owner;
  struct td_queue_tally out = {0};
  uint64_t next = share->first_item;
  for (uint64_t r = 0; r < share->rounds; r++) {
    bool room = true;
    for (uint32_t left = share->fill; left > 0 && room; left -= TD_QUEUE_PUBLISH_ITEMS) {
      uint64_t end = next + TD_QUEUE_PUBLISH_ITEMS;
      while (next < end && (room = Q(put)(&s->queue, &o, next)))
        next++;
      publish(share, next - share->first_item);
    }
    uint64_t item;
    while ((item = Q(get)(&s->queue, &o)) != 0)
      add(&out, item);
  }
  s->owner = o;
  share->out = out;
}

static void own_in_memory(void *state, struct td_queue_share *share) {
  struct state *s = state;
  struct td_queue_tally out = {0};
  uint64_t next = share->first_item;
  for (uint64_t r = 0; r < share->rounds; r++) {
    bool room = true;
    for (uint32_t left = share->fill; left > 0 && room; left -= TD_QUEUE_PUBLISH_ITEMS) {
      uint64_t end = next + TD_QUEUE_PUBLISH_ITEMS;
      while (next < end && (room = Q(put)(&s->queue, &s->owner, next))) {
        next++;
        forget();
      }
      publish(share, next - share->first_item);
    }
    uint64_t item;
    while ((item = Q(get)(&s->queue, &s->owner)) != 0) {
      add(&out, item);
      forget();
    }
  }
  share->out = out;
}

static int32_t steal(void *state, uint64_t *out, uint32_t max) {
  return Q(steal)(&((struct state *)state)->queue, out, max);
}

static uint64_t size(const void *state) {
  return Q(size)(&((const struct state *)state)->queue);
}

static struct td_queue_tally work_off(void *state, const uint64_t *items, uint32_t count) {
  struct state *s = state;
  struct Q(owner) o = s->owner;
  struct td_queue_tally out = {0};
  uint64_t item;
  for (uint32_t i = 0; i < count; i++)
    if (!Q(put)(&s->queue, &o, items[i])) add(&out, items[i]);
  while ((item = Q(get)(&s->queue, &o)) != 0)
    add(&out, item);
  s->owner = o;
  return out;
}

#include "bench/queue/forkjoin/loops.h"

const struct td_queue_kind KIND = {
    .name = NAME,
    .storage_bytes = Q(storage_bytes),
    .state_bytes = sizeof(struct state),
    .init = init,
    .join = join,
    .fill_drain =
        {[TD_CURSOR_IN_MEMORY] = fill_drain_in_memory, [TD_CURSOR_LOCAL] = fill_drain_local},
    .follow = {[TD_CURSOR_IN_MEMORY] = follow_in_memory, [TD_CURSOR_LOCAL] = follow_local},
    .own = {[TD_CURSOR_IN_MEMORY] = own_in_memory, [TD_CURSOR_LOCAL] = own_local},
    .steal = steal,
    .size = size,
    .work_off = work_off,
    .fork_join = fork_join,
};
