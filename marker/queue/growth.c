/* SPDX-License-Identifier: MIT */
#include "marker/queue/growth.h"

#include "platform/platform.h"

static size_t round_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

bool td_growth_open(struct td_growth *growth, size_t bytes) {
  size_t page = td_plat_page_bytes();
  char *base = td_plat_reserve(round_up(bytes, page), page);
  if (!base) return false;
  *growth = (struct td_growth){.base = base, .bytes = round_up(bytes, page)};
  return true;
}

void td_growth_close(struct td_growth *growth) {
  if (growth->base) td_plat_release(growth->base, growth->bytes);
  *growth = (struct td_growth){0};
}

void *td_growth_take(void *context, size_t bytes) {
  struct td_growth *growth = context;
  size_t left = growth->bytes - growth->used;
  if (bytes > left || round_up(bytes, TD_CACHE_LINE) > left) return NULL;
  size_t end = growth->used + round_up(bytes, TD_CACHE_LINE);
  if (end > growth->committed) {
    size_t more = round_up(end, td_plat_page_bytes()) - growth->committed;
    if (!td_plat_commit(growth->base + growth->committed, more)) return NULL;
    growth->committed += more;
  }
  void *memory = growth->base + growth->used;
  growth->used = end;
  return memory;
}

void td_growth_reset(struct td_growth *growth) {
  size_t kept = round_up(growth->used, td_plat_page_bytes());
  if (kept < growth->committed) td_plat_decommit(growth->base + kept, growth->committed - kept);
  growth->committed = kept;
  growth->used = 0;
}
