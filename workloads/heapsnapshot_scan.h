/* SPDX-License-Identifier: MIT */
/* A streaming scanner for the JSON that V8 writes: a few names, then very long arrays of numbers.
 *
 * A pull scanner over a td_import_source: nothing is built, nothing recurses.  After any failure
 * `failed` is set, the source's error says where, and further calls do nothing.
 * Threads: one reader. */
#ifndef TD_WORKLOADS_HEAPSNAPSHOT_SCAN_H
#define TD_WORKLOADS_HEAPSNAPSHOT_SCAN_H

#include "workloads/import_source.h"

struct td_scan {
  struct td_import_source *source;
  bool failed;
};

/* Passes over white space.  Returns the next byte without taking it, or -1 at the end or after a
 * failure. */
int td_scan_peek(struct td_scan *scan);

/* Takes `opening`, a brace or bracket, or fails. */
bool td_scan_open(struct td_scan *scan, char opening);

/* Between elements, takes the comma, or the closing brace or bracket.  *first is true before the
 * first call and false after it.  Returns whether another element follows; also false after a
 * failure. */
bool td_scan_more(struct td_scan *scan, char closing, bool *first);

/* Takes a string into buffer, of which capacity may be 0.  What does not fit is dropped, and so
 * are escapes: the names that matter have none. */
bool td_scan_string(struct td_scan *scan, char *buffer, size_t capacity);

/* Takes a name and its colon. */
bool td_scan_name(struct td_scan *scan, char *buffer, size_t capacity);

/* Takes a whole number from 0 up to 10^18 - 1. */
bool td_scan_integer(struct td_scan *scan, uint64_t *value);

/* Takes up to `capacity` elements of an array of such numbers, td_scan_more's comma or bracket
 * included.  Returns how many; fewer than `capacity` means the array has ended or failed. */
size_t td_scan_integers(struct td_scan *scan, uint64_t *values, size_t capacity, bool *first);

/* Passes over one value of any kind. */
bool td_scan_skip(struct td_scan *scan);

/* Sees that nothing but white space is left, or fails. */
bool td_scan_end(struct td_scan *scan);

#endif
