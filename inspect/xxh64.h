/* XXH64 with seed 0, the checksum of the graph file: fast, not cryptographic. The algorithm is
 * described in doc/xxhash_spec.md of https://github.com/Cyan4973/xxHash. */
#ifndef TD_INSPECT_XXH64_H
#define TD_INSPECT_XXH64_H

#include <stddef.h>
#include <stdint.h>

#define TD_XXH64_STRIPE 32u

struct td_xxh64 {
  uint64_t lanes[4];
  uint64_t bytes;
  uint8_t rest[TD_XXH64_STRIPE]; /* the last bytes % 32 ones */
};

void td_xxh64_begin(struct td_xxh64 *sum);
void td_xxh64_add(struct td_xxh64 *sum, const void *data, size_t bytes);
/* Of all that was added so far; more may follow. */
uint64_t td_xxh64_value(const struct td_xxh64 *sum);

#endif
