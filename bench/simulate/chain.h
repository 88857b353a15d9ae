/* SPDX-License-Identifier: MIT */
/* A chain of loads: lines that name the next one, in random order, so that nobody can foretell it.
 */
#ifndef TD_BENCH_SIMULATE_CHAIN_H
#define TD_BENCH_SIMULATE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#define TD_CHAIN_LINE 64u

static inline size_t td_chain_next(const char *at, size_t line) {
  return *(const volatile size_t *)(const void *)(at + line * TD_CHAIN_LINE);
}

/* Links the lines of [at, at + bytes) to one circle (Sattolo): a line's first word is the number of
 * the next one. */
static inline void td_chain_link(char *at, size_t bytes) {
  uint64_t random = UINT64_C(88172645463325252);
  size_t lines = bytes / TD_CHAIN_LINE;
  for (size_t i = 0; i < lines; i++)
    *(size_t *)(void *)(at + i * TD_CHAIN_LINE) = i;
  for (size_t i = lines - 1; i > 0; i--) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    size_t *one = (size_t *)(void *)(at + i * TD_CHAIN_LINE);
    size_t *other = (size_t *)(void *)(at + random % i * TD_CHAIN_LINE), kept = *one;
    *one = *other;
    *other = kept;
  }
}

#endif
