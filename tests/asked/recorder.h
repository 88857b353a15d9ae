/* SPDX-License-Identifier: MIT */
/* Which cache lines are loaded without having been asked for. A processor with a deep enough window
 * of instructions hides that; the others wait for each.
 *
 * The recorder remembers the lines that were touched or prefetched last, as many as a small
 * first-level cache holds. A line that is accessed and not among them is cold. A cold line beside
 * one that was accessed is the processor's own prefetcher's: it follows streams. One thread. */
#ifndef TD_TESTS_ASKED_RECORDER_H
#define TD_TESTS_ASKED_RECORDER_H

#include <stddef.h>
#include <stdint.h>

enum recorder_kind {
  RECORDED_MARKS,
  RECORDED_ENTRIES, /* of blocks */
  RECORDED_OBJECTS,
  RECORDED_KINDS
};

struct recorder_range {
  enum recorder_kind kind;
  uintptr_t start;
  size_t bytes;
};

/* Lines, each time they were accessed while they were not warm. */
struct recorded {
  uint64_t asked;   /* a prefetch had been there, */
  uint64_t late;    /* of these, a moment before */
  uint64_t next;    /* not asked for; the line beside was warm */
  uint64_t unasked; /* neither */
};

/* Forgets everything and records until recorder_end. The ranges stay the caller's. */
void recorder_begin(const struct recorder_range *ranges, size_t count);
/* `found` has room for RECORDED_KINDS. */
void recorder_end(struct recorded *found);

#endif
