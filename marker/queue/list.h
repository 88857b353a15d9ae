/* The one list of queues. The marking engines, the queues of `tidemark queue`, the tests and the
 * model checks all come from it.
 *
 * TD_QUEUES(X) is X(Q, name, sharing, room, edition, order, blocks, items, text) for each queue:
 *
 *   Q              the identifier: the queue is struct td_Q of marker/queue/Q.h
 *   name           what users call it: --engine, TIDE_ENGINE, rows of tables
 *   sharing        how thieves get at items: see enum td_queue_sharing
 *   room           what happens when it is full: see enum td_queue_room
 *   edition        ALWAYS: the single-file edition has this engine; EXTRA: only if it is
 *                  compiled with TIDE_ALL_ENGINES, because each takes a second to compile
 *   order          which item the owner gets: see enum td_queue_order
 *   blocks, items  a marker's queue is made for blocks times items, unless options say otherwise
 *   text           one line for `tidemark engines`
 *
 * The first queue is the default. CMake and the scripts of tests/model read the entries from this
 * file, so an entry begins with X(Q, "name", SHARING, ROOM, EDITION. */
#ifndef TD_MARKER_QUEUE_LIST_H
#define TD_MARKER_QUEUE_LIST_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define TD_QUEUES(X)                                                                               \
  X(bwos, "bwos", LOCK_FREE, FIXED, ALWAYS, NEWEST, 16, 128,                                       \
    "LIFO BWoS: block-based work stealing with batch claims and early grant (the default)")        \
  X(bwos_paper, "bwos-paper", LOCK_FREE, FIXED, EXTRA, NEWEST, 32, 64,                             \
    "LIFO BWoS as published: Wang et al., OSDI 2023")                                              \
  X(bwos_fifo, "bwos-fifo", LOCK_FREE, FIXED, EXTRA, OLDEST, 32, 64,                               \
    "FIFO BWoS of the same paper: marks breadth first")                                            \
  X(abp, "abp", LOCK_FREE, FIXED, EXTRA, NEWEST, 32, 64,                                           \
    "array deque of Arora, Blumofe and Plaxton, with the fences of Lê et al.")                     \
  X(abp_sc, "abp-sc", LOCK_FREE, FIXED, EXTRA, NEWEST, 32, 64,                                     \
    "the same deque, every access sequentially consistent")                                        \
  X(chase_lev, "chase-lev", LOCK_FREE, GROWS, EXTRA, NEWEST, 32, 64,                               \
    "circular deque of Chase and Lev, which grows while marking")                                  \
  X(ring, "ring", LOCK_FREE, FIXED, EXTRA, NEWEST, 32, 64,                                         \
    "fixed ring of Job System 2.0: the deque of abp, its get an exchange")                         \
  X(eigen, "eigen", LOCK_FREE, FIXED, EXTRA, NEWEST, 32, 64,                                       \
    "Eigen's RunQueue: the owner at the front, one thief at the back takes half")                  \
  X(bbq, "bbq", LOCK_FREE, FIXED, EXTRA, OLDEST, 32, 64,                                           \
    "FIFO block-based bounded queue: Wang et al., USENIX ATC 2022")                                \
  X(tokio, "tokio", LOCK_FREE, FIXED, EXTRA, OLDEST, 32, 64,                                       \
    "FIFO of Tokio's workers: two heads in one word, thieves take half")                           \
  X(go, "go", LOCK_FREE, FIXED, EXTRA, NEXT, 32, 64,                                               \
    "FIFO of the Go scheduler: a slot for the newest, thieves take half")                          \
  X(kotlin, "kotlin", LOCK_FREE, FIXED, EXTRA, NEXT, 32, 64,                                       \
    "FIFO of Kotlin's coroutines: a slot for the newest, thieves take one")                        \
  X(mutex, "mutex", LOCKED, FIXED, EXTRA, NEWEST, 32, 64,                                          \
    "array deque behind a lock")                                                                   \
  X(pool, "pool", LOCKED, FIXED, EXTRA, NEWEST, 32, 64,                                            \
    "a locked deque each, and a locked queue for work from outside")                               \
  X(pool_bwos, "pool-bwos", LOCKED, FIXED, EXTRA, NEWEST, 16, 128,                                 \
    "the same pool with LIFO BWoS for the deques")                                                 \
  X(serial, "serial", NOT_SHARED, FIXED, ALWAYS, NEWEST, 32, 64,                                   \
    "array stack for one marker: the ceiling")
/* clang-format on */

enum td_queue_sharing {
  TD_QUEUE_LOCK_FREE,  /* by atomic operations, which tests/model checks */
  TD_QUEUE_LOCKED,     /* under a lock */
  TD_QUEUE_NOT_SHARED, /* not at all: the queue is for one marker */
};

enum td_queue_room {
  TD_QUEUE_FIXED, /* it refuses items */
  TD_QUEUE_GROWS, /* it gets larger, as long as there is memory */
};

enum td_queue_order {
  TD_QUEUE_NEWEST, /* last in, first out */
  TD_QUEUE_OLDEST, /* first in, first out */
  TD_QUEUE_NEXT,   /* the one put last, if it was put after the last get, and else the oldest */
};

struct td_queue_entry {
  const char *name;
  const char *text;
  uint32_t blocks, items;
  enum td_queue_sharing sharing;
  enum td_queue_room room;
  enum td_queue_order order;
};

/* TD_QUEUE_NUMBER_Q is the number of queue Q, from 0. */
#define TD_QUEUE_NUMBER(Q, ...) TD_QUEUE_NUMBER_##Q,
enum td_queue_number { TD_QUEUES(TD_QUEUE_NUMBER) TD_QUEUE_COUNT };

extern const struct td_queue_entry td_queue_entries[TD_QUEUE_COUNT];

/* Returns the number of the queue of that name, or TD_QUEUE_COUNT if there is none. */
enum td_queue_number td_queue_find(const char *name);

#endif
