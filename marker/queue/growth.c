/* SPDX-License-Identifier: MIT */
#include "marker/queue/growth.h"

#include "marker/queue/contract.h"
#include "platform/platform.h"

struct td_growth_piece {
  _Alignas(TD_CACHE_LINE) struct td_growth_piece *before;
  size_t bytes;
};

void *td_growth_take(void *context, size_t bytes) {
  struct td_growth *growth = context;
  const size_t left = TD_GROWTH_BYTES - growth->bytes;
  if (left < sizeof(struct td_growth_piece) || bytes > left - sizeof(struct td_growth_piece))
    return NULL;
  bytes += sizeof(struct td_growth_piece);
  struct td_growth_piece *piece = td_plat_map(bytes);
  if (!piece) return NULL;
  *piece = (struct td_growth_piece){.before = growth->newest, .bytes = bytes};
  growth->newest = piece;
  growth->bytes += bytes;
  return piece + 1;
}

void td_growth_free(struct td_growth *growth) {
  while (growth->newest) {
    struct td_growth_piece *piece = growth->newest;
    growth->newest = piece->before;
    td_plat_unmap(piece, piece->bytes);
  }
  growth->bytes = 0;
}
