/* SPDX-License-Identifier: MIT */
#include "marker/base/marking.h"

#include <string.h>

static const char *const names[] = {
    [TD_MARKING_CHOSEN] = "chosen",
    [TD_MARKING_FOLLOW] = "follow",
    [TD_MARKING_TEST] = "test",
    [TD_MARKING_PLACE] = "place",
};

const char *td_marking_name(size_t way) {
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
