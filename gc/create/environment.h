/* SPDX-License-Identifier: MIT */
/* What the environment says: the variables TIDE_…. */
#ifndef TD_GC_CREATE_ENVIRONMENT_H
#define TD_GC_CREATE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "marker/base/marking.h"
#include "tide/tide.h"

#define TD_HEAP_MAX_LEAST ((size_t)1 << 20)

/* 0, NULL or false where a variable is not set or empty. */
struct td_environment {
  unsigned markers;        /* TIDE_MARKERS: 1 to TIDE_MARKERS_MAX */
  unsigned cpus;           /* TIDE_CPUS: no more markers take part at once */
  size_t heap_max_bytes;   /* TIDE_HEAP_MAX: bytes; K, M, G and T multiply by powers of 1024 */
  const char *engine;      /* TIDE_ENGINE */
  const char *policy;      /* TIDE_POLICY */
  enum td_marking marking; /* TIDE_MARKING */
  bool verify;             /* TIDE_VERIFY: 0 or 1 */
  uint64_t stress;         /* TIDE_STRESS: allocations between two collections */
  bool small_pages;        /* TIDE_HUGE_PAGES: 0 (or 1) */
  bool no_young;           /* TIDE_YOUNG: 0 (or 1) */
  bool concurrent;         /* TIDE_CONCURRENT: 0 or 1, */
  bool concurrent_given;   /* if it is set */
  unsigned pause_goal_us;  /* TIDE_PAUSE_GOAL_US */
  bool log;                /* TIDE_LOG: 0 or 1, a line on stderr per collection */
};

/* false: a value means nothing; the error names variable and value. */
bool td_environment_read(struct td_environment *environment, struct tide_error *error);

#endif
