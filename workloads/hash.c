/* SPDX-License-Identifier: MIT */
#include "workloads/hash.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

struct td_hash_key td_hash_key_new(void) {
  struct td_hash_key key;
  ssize_t got;
  do {
    got = getrandom(&key, sizeof key, 0);
  } while (got < 0 && errno == EINTR);
  /* A kernel or sandbox without the call: the kernel gave every process 16 random bytes. */
  if (got != (ssize_t)sizeof key) memcpy(&key, (const void *)getauxval(AT_RANDOM), sizeof key);
  return key;
}

static inline uint64_t rotate(uint64_t word, unsigned bits) {
  return word << bits | word >> (64 - bits);
}

static inline void mix(uint64_t v[4]) {
  v[0] += v[1];
  v[2] += v[3];
  v[1] = rotate(v[1], 13) ^ v[0];
  v[3] = rotate(v[3], 16) ^ v[2];
  v[0] = rotate(v[0], 32);
  v[2] += v[1];
  v[0] += v[3];
  v[1] = rotate(v[1], 17) ^ v[2];
  v[3] = rotate(v[3], 21) ^ v[0];
  v[2] = rotate(v[2], 32);
}

static inline void absorb(uint64_t v[4], uint64_t word) {
  v[3] ^= word;
  mix(v);
  v[0] ^= word;
}

uint64_t td_hash(const struct td_hash_key *key, const uint64_t *words, size_t count) {
  /* The constants of the paper spell "somepseudorandomlygeneratedbytes". */
  uint64_t v[4] = {
      key->words[0] ^ UINT64_C(0x736f6d6570736575),
      key->words[1] ^ UINT64_C(0x646f72616e646f6d),
      key->words[0] ^ UINT64_C(0x6c7967656e657261),
      key->words[1] ^ UINT64_C(0x7465646279746573),
  };
  for (size_t w = 0; w < count; w++)
    absorb(v, words[w]);
  absorb(v, (uint64_t)(count * sizeof *words) << 56); /* the last block: the length alone */
  v[2] ^= 0xff;
  for (int round = 0; round < 3; round++)
    mix(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
