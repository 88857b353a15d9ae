/* SPDX-License-Identifier: MIT */
/* What the drivers share: the headers that most of them need, checks that name themselves, a seeded
 * generator, numbers from the command line. A driver's exit status is 0, or 1 when a check failed.
 */
#ifndef TD_TESTS_STRESS_DRIVER_H
#define TD_TESTS_STRESS_DRIVER_H

#include <inttypes.h>
#include <pthread.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/random.h"
#include "tide/stats.h"
#include "tide/tide.h"

#define CHECK(condition)                                                                           \
  ((condition)                                                                                     \
       ? (void)0                                                                                   \
       : (fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition), exit(1)))

/* Argument number `index`, or the default. */
static inline uint64_t argument(int count, char **arguments, int index, uint64_t otherwise) {
  if (index >= count) return otherwise;
  char *end;
  uint64_t value = strtoull(arguments[index], &end, 10);
  if (*end || end == arguments[index]) {
    fprintf(stderr, "%s: %s is no number\n", arguments[0], arguments[index]);
    exit(2);
  }
  return value;
}

#endif
