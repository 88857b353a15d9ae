/* XXH64 with seed 0. */
#include "inspect/xxh64.h"

#include <string.h>

#define PRIME_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME_3 UINT64_C(0x165667B19E3779F9)
#define PRIME_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME_5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t rotate(uint64_t value, unsigned by) {
  return value << by | value >> (64 - by);
}

static uint64_t load(const uint8_t *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static uint64_t mix(uint64_t lane, uint64_t input) {
  return rotate(lane + input * PRIME_2, 31) * PRIME_1;
}

static void stripe(struct td_xxh64 *sum, const uint8_t *at) {
  for (unsigned i = 0; i < 4; i++)
    sum->lanes[i] = mix(sum->lanes[i], load(at + 8 * i, 8));
}

void td_xxh64_begin(struct td_xxh64 *sum) {
  *sum = (struct td_xxh64){.lanes = {PRIME_1 + PRIME_2, PRIME_2, 0, 0 - PRIME_1}};
}

void td_xxh64_add(struct td_xxh64 *sum, const void *data, size_t bytes) {
  const uint8_t *at = data;
  size_t held = sum->bytes % TD_XXH64_STRIPE;
  sum->bytes += bytes;
  if (held) {
    size_t more = TD_XXH64_STRIPE - held;
    if (more > bytes) more = bytes;
    memcpy(sum->rest + held, at, more);
    if (held + more < TD_XXH64_STRIPE) return;
    stripe(sum, sum->rest);
    at += more;
    bytes -= more;
  }
  for (; bytes >= TD_XXH64_STRIPE; at += TD_XXH64_STRIPE, bytes -= TD_XXH64_STRIPE)
    stripe(sum, at);
  if (bytes) memcpy(sum->rest, at, bytes);
}

static uint64_t join_lanes(const struct td_xxh64 *sum) {
  const uint64_t *lanes = sum->lanes;
  uint64_t value = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12);
  value += rotate(lanes[3], 18);
  for (unsigned i = 0; i < 4; i++)
    value = (value ^ mix(0, lanes[i])) * PRIME_1 + PRIME_4;
  return value;
}

uint64_t td_xxh64_value(const struct td_xxh64 *sum) {
  uint64_t value = sum->bytes >= TD_XXH64_STRIPE ? join_lanes(sum) : PRIME_5;
  value += sum->bytes;
  const uint8_t *at = sum->rest, *end = at + sum->bytes % TD_XXH64_STRIPE;
  for (; end - at >= 8; at += 8)
    value = rotate(value ^ mix(0, load(at, 8)), 27) * PRIME_1 + PRIME_4;
  if (end - at >= 4) {
    value = rotate(value ^ load(at, 4) * PRIME_1, 23) * PRIME_2 + PRIME_3;
    at += 4;
  }
  for (; at < end; at++)
    value = rotate(value ^ *at * PRIME_5, 11) * PRIME_1;
  value = (value ^ value >> 33) * PRIME_2;
  value = (value ^ value >> 29) * PRIME_3;
  return value ^ value >> 32;
}
