/* SPDX-License-Identifier: MIT */
/* The options that a heap is created with. */
#ifndef TD_GC_CREATE_OPTIONS_H
#define TD_GC_CREATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "marker/base/marking.h"
#include "tide/advanced.h"
#include "tide/tide.h"

/* What the variables TIDE_… say: the default where one is not set or empty. */
struct td_environment {
  uint64_t markers;        /* TIDE_MARKERS: 1 to TIDE_MARKERS_MAX; 0: not set */
  uint64_t cpus;           /* TIDE_CPUS: no more markers take part at once; 0: not set */
  uint64_t heap_max_bytes; /* TIDE_HEAP_MAX: K, M, G and T multiply by powers of 1024; 0: not set */
  uint64_t pause_goal_us;  /* TIDE_PAUSE_GOAL_US; 0: not set */
  uint64_t stress;         /* TIDE_STRESS: allocations between two collections; 0: none */
  const char *engine;      /* TIDE_ENGINE, or NULL */
  const char *policy;      /* TIDE_POLICY, or NULL */
  enum td_marking marking; /* TIDE_MARKING */
  bool verify;             /* TIDE_VERIFY: 0 or 1 */
  bool huge_pages;         /* TIDE_HUGE_PAGES: 1 or 0 */
  bool young;              /* TIDE_YOUNG: 1 or 0 */
  bool concurrent;         /* TIDE_CONCURRENT: 0 or 1, */
  bool concurrent_given;   /* if it is set */
  bool log;                /* TIDE_LOG: 0 or 1, a line on stderr per collection */
};

/* false: a value means nothing; the error names variable and value. */
bool td_environment_read(struct td_environment *environment, struct tide_error *error);

/* Fills in *o, *advanced and *environment from the options given (may be NULL), the environment,
 * and defaults, in this order of precedence. o->advanced is `advanced`, whose names are those of an
 * engine and a policy that exist. Returns false and fills in the error if anything given
 * means nothing. */
bool td_options_read(const struct tide_options *given, struct tide_options *o,
                     struct tide_advanced_options *advanced, struct td_environment *environment,
                     struct tide_error *error);

#endif
