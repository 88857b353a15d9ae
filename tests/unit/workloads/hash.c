/* SPDX-License-Identifier: MIT */
/* The keyed hash: it is SipHash-1-3, and no two tables share a key. */
#include "workloads/hash.h"

#include <criterion/criterion.h>
#include <string.h>

/* Values of CPython 3.11, whose hash of bytes is SipHash-1-3: with PYTHONHASHSEED=0 the key is
 * all zero.  python3 -c 'print(hex(hash(bytes(range(8))) & 2**64-1))' */
Test(hash, values_of_another_implementation) {
  const struct td_hash_key zero = {{0, 0}};
  uint64_t words[4];
  uint8_t bytes[sizeof words];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)i;
  memcpy(words, bytes, sizeof words);
  cr_assert_eq(td_hash(&zero, words, 1), UINT64_C(0xead411e67ebe2eea));
  cr_assert_eq(td_hash(&zero, words, 2), UINT64_C(0x8972188433a5c5b7));
  cr_assert_eq(td_hash(&zero, words, 4), UINT64_C(0x31ef8061c910629b));
}

Test(hash, every_key_is_another) {
  struct td_hash_key one = td_hash_key_new();
  struct td_hash_key other = td_hash_key_new();
  uint64_t word = 42;
  cr_assert_neq(memcmp(&one, &other, sizeof one), 0);
  cr_assert_neq(td_hash(&one, &word, 1), td_hash(&other, &word, 1));
}
