/* SPDX-License-Identifier: MIT */
#include "bench/simulate/machine/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/simulate/machine/lines.h"

td_sim_site td_sim_here;

/* By places, one for each byte of the text. Only few pages of it are touched. */
static uint64_t (*waits)[TD_SPENT_COUNT];

void td_sim_waits_book(td_sim_site site, enum td_spent what, uint64_t ps) {
  if (td_sim_idle || what == TD_SPENT_WORK || site >= td_sim_text_bytes || !waits) return;
  waits[site][what] += ps;
}

void td_sim_waits_forget(void) {
  const size_t bytes = td_sim_text_bytes * sizeof *waits;
  if (waits)
    madvise(waits, bytes, MADV_DONTNEED);
  else
    waits = td_sim_reserve(bytes);
}

struct place {
  td_sim_site site;
  enum td_spent what;
  uint64_t ps;
};

/* Puts a place among the longest `count`, of which there are `*known` so far, longest first. */
static void insert(struct place *places, unsigned count, unsigned *known, struct place place) {
  if (*known == count && place.ps <= places[count - 1].ps) return;
  unsigned at = *known < count ? (*known)++ : count - 1;
  for (; at > 0 && places[at - 1].ps < place.ps; at--)
    places[at] = places[at - 1];
  places[at] = place;
}

void td_sim_waits_print(unsigned count) {
  struct place places[TD_WAITS_MOST];
  unsigned known = 0;
  if (!waits || count == 0) return;
  for (size_t at = 0; at < td_sim_text_bytes; at++)
    for (unsigned i = 0; i < TD_SPENT_COUNT; i++)
      if (waits[at][i])
        insert(places, count, &known,
               (struct place){(td_sim_site)at, (enum td_spent)i, waits[at][i]});
  for (unsigned i = 0; i < known; i++)
    printf("wait %" PRIxPTR " %u %.0f\n", td_sim_text - td_sim_bias + places[i].site,
           (unsigned)places[i].what, (double)places[i].ps / 1000);
}
