/* SPDX-License-Identifier: MIT */
/* A queue as `tidemark queue` sees it: its loops, compiled in a unit of their own.
 *
 * The loops are hot, and how a compiler lays out one queue must not depend on another. So each
 * queue is compiled with bench/queue/loops.h in a file of its own, which CMake makes from
 * bench/queue/kind.c.in. It is called through this table a few times per run. */
#ifndef TD_BENCH_QUEUE_KIND_H
#define TD_BENCH_QUEUE_KIND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_forkjoin;

/* Items after which an owner publishes how many it has put; a power of two. */
#define TD_QUEUE_PUBLISH_ITEMS 256u

/* The number of items that went in or came out, and their sum. A lost or doubled item shows. */
struct td_queue_tally {
  uint64_t count, sum;
};

/* The number of children that each object of a pattern has. */
struct td_queue_steps {
  const uint8_t *children;
  size_t count;
  uint32_t depth; /* items in the queue at the start, and again after all steps */
};

/* What an owner does while others steal, and how far it has come. */
struct td_queue_share {
  uint64_t rounds;
  uint32_t fill;       /* a multiple of TD_QUEUE_PUBLISH_ITEMS */
  uint64_t first_item; /* its items are first_item, first_item + 1, … */
  /* How many items it has put. The owner writes, thieves read; relaxed: the number only paces them.
   */
  _Alignas(64) _Atomic(uint64_t) put;
  /* The owner's only, until it has ended. */
  _Alignas(64) struct td_queue_tally out;
};

/* Returns what has gone in. To be called when the owner has ended. */
static inline struct td_queue_tally td_queue_share_in(const struct td_queue_share *share) {
  /* relaxed: the owner has ended. */
  uint64_t n = atomic_load_explicit(&share->put, memory_order_relaxed);
  uint64_t below = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
  return (struct td_queue_tally){.count = n, .sum = n * share->first_item + below};
}

/* `state` has state_bytes, is aligned to 64 and was set up by init. The loops return what came out
 * of the queue and leave it empty. */
struct td_queue_kind {
  const char *name;
  size_t (*storage_bytes)(uint32_t blocks, uint32_t entries);
  size_t state_bytes;
  void (*init)(void *state, void *storage, uint32_t blocks, uint32_t entries);
  /* Makes them queues of one set, of which `first` is the first. */
  void (*join)(void *state, void *first);
  /* Puts 1 … fill and then gets until the queue is empty, `rounds` times. */
  struct td_queue_tally (*fill_drain[2])(void *state, uint64_t rounds, uint32_t fill);
  /* Gets an item and puts its children, through all steps, `rounds` times. Items are 1, 2, … */
  struct td_queue_tally (*follow[2])(void *state, uint64_t rounds,
                                     const struct td_queue_steps *steps);
  /* fill_drain while others steal. */
  void (*own[2])(void *state, struct td_queue_share *share);
  int32_t (*steal)(void *state, uint64_t *out, uint32_t max);
  uint64_t (*size)(const void *state);
  /* The owner puts the items and then gets until the queue is empty. */
  struct td_queue_tally (*work_off)(void *state, const uint64_t *items, uint32_t count);
  /* What thread number `thread` does in a run of trees of tasks. */
  void (*fork_join)(struct td_forkjoin *job, unsigned thread);
};

/* Indexes of fill_drain, follow and own. */
enum td_queue_cursor {
  TD_CURSOR_IN_MEMORY, /* each operation reads the owner's state and writes it back */
  TD_CURSOR_LOCAL,     /* the state is a local variable of the loop, so it may live in registers */
};

/* Returns NULL past the last. */
const struct td_queue_kind *td_queue_kind_at(size_t index);
const struct td_queue_kind *td_queue_kind_find(const char *name);
/* Returns the ceiling: a plain array, from which nothing can be stolen. */
const struct td_queue_kind *td_queue_kind_ceiling(void);

#endif
