/* SPDX-License-Identifier: MIT */
/* The library's queues. Its marking engines come from this list, and with those of
 * bench/rivals/list.h the queues of `tidemark queue`, the tests and the model checks.
 *
 * TD_QUEUES(X) is X(Q, name, sharing, room, order, blocks, items, text) for each queue:
 *
 *   Q              the identifier: the queue is struct td_Q of marker/queue/Q.h
 *   name           what users call it: --engine, TIDE_ENGINE, rows of tables
 *   sharing        how thieves get at items: see enum td_queue_sharing
 *   room           what happens when it is full: see enum td_queue_room
 *   order          which item the owner gets: see enum td_queue_order
 *   blocks, items  a marker's queue is made for blocks times items, unless options say otherwise
 *   text           one line for `tidemark engines`
 *
 * The first queue is the default. CMake and the scripts of tests/model read the entries from this
 * file, so an entry begins with X(Q, "name", SHARING. */
#ifndef TD_MARKER_QUEUE_LIST_H
#define TD_MARKER_QUEUE_LIST_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define TD_QUEUES(X)                                                                               \
  X(bwos, "bwos", LOCK_FREE, FIXED, NEWEST, 16, 128,                                               \
    "LIFO BWoS: block-based work stealing with batch claims and early grant (the default)")        \
  X(abp, "abp", LOCK_FREE, FIXED, NEWEST, 32, 64,                                                  \
    "array deque of Arora, Blumofe and Plaxton, with the fences of Lê et al.")                     \
  X(chase_lev, "chase-lev", LOCK_FREE, GROWS, NEWEST, 32, 64,                                      \
    "circular deque of Chase and Lev, which grows while marking")                                  \
  X(serial, "serial", NOT_SHARED, FIXED, NEWEST, 32, 64,                                           \
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

/* The entry of queue Q is called td_queue_entry_ and Q. */
#define TD_QUEUE_DECLARE(Q, ...) extern const struct td_queue_entry td_queue_entry_##Q;
#define TD_QUEUE_DEFINE(Q, name, sharing, room, order, blocks, items, text)                        \
  const struct td_queue_entry td_queue_entry_##Q = {                                               \
      name, text, blocks, items, TD_QUEUE_##sharing, TD_QUEUE_##room, TD_QUEUE_##order};
TD_QUEUES(TD_QUEUE_DECLARE)

#endif
