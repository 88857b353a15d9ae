/* SPDX-License-Identifier: MIT */
/* What a round of the soak does to the heap it is about, and to the rest of the library. */
#ifndef TD_TESTS_SOAK_WORK_H
#define TD_TESTS_SOAK_WORK_H

#include <stdint.h>

#include "tide/tide.h"

/* The heap of the soak, and a table of objects in it that each round replaces a part of. */
struct soak {
  struct tide_heap *heap;
  struct tide_mutator *mutator; /* of the main thread */
  tide_layout node;
  void **objects; /* an object of the heap: what is kept alive */
  uint32_t seed;
  uint64_t round;
  const char *folder; /* for files that are written and removed again */
};

/* Makes the heap and fills the table. */
void soak_begin(struct soak *soak, const char *folder);
/* One round: threads that come and go, a fork, a short-lived heap with its files, another engine.
 * Everybody is back when it returns, and the heap has just been collected. */
void soak_round(struct soak *soak);
/* Checks every object of the table and gives everything back. */
void soak_end(struct soak *soak);

#endif
