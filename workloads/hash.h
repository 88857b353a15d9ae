/* SPDX-License-Identifier: MIT */
/* A keyed hash of 64-bit words, for tables whose keys come from a file.
 *
 * A person who knows the hash can write a file whose keys all meet in one place of the table, which
 * then takes quadratic time.  So each table draws a key of its own, and the hash is one made for
 * this: SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). */
#ifndef TD_WORKLOADS_HASH_H
#define TD_WORKLOADS_HASH_H

#include <stddef.h>
#include <stdint.h>

struct td_hash_key {
  uint64_t words[2];
};

/* Draws a key from the system's random numbers. */
struct td_hash_key td_hash_key_new(void);

/* Returns the hash of `count` words: SipHash-1-3 of their bytes, the lowest of each word first. */
uint64_t td_hash(const struct td_hash_key *key, const uint64_t *words, size_t count);

#endif
