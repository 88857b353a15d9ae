/* SPDX-License-Identifier: MIT */
#include "marker/base/marking.h"

#include <string.h>

#include "platform/platform.h"

static const char *const names[] = {
    [TD_MARKING_CHOSEN] = "chosen",     [TD_MARKING_FOLLOW] = "follow",
    [TD_MARKING_PLACE] = "place",       [TD_MARKING_TEST] = "test",
    [TD_MARKING_PORTABLE] = "portable", [TD_MARKING_AVX512] = "avx512",
};

const char *td_marking_name(size_t way) {
  if (way == TD_MARKING_AVX512 && td_plat_avx512() == TD_PLAT_AVX512_NONE) return NULL;
  return way < sizeof names / sizeof *names ? names[way] : NULL;
}

bool td_marking_find(const char *name, enum td_marking *way) {
  for (size_t i = 0; td_marking_name(i); i++)
    if (strcmp(name, td_marking_name(i)) == 0) {
      *way = (enum td_marking)i;
      return true;
    }
  return false;
}
