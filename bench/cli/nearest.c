/* SPDX-License-Identifier: MIT */
#include "bench/cli/nearest.h"

#include <stdio.h>
#include <string.h>

#define LENGTH_MOST 31u

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Returns how many letters have to be put in, taken out, replaced or swapped with the next one. */
static size_t distance_of(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t row[3][LENGTH_MOST + 1];
  for (size_t j = 0; j <= b_length; j++)
    row[0][j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t *now = row[i % 3], *before = row[(i - 1) % 3], *earlier = row[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      now[j] = least(least(now[j - 1], before[j]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = least(now[j], earlier[j - 2] + 1);
    }
  }
  return row[a_length % 3][b_length];
}

/* Of a word of four letters one may be wrong, of a longer one two; a part of a name counts too. */
void td_nearest_offer(struct td_nearest *nearest, const char *name) {
  size_t word_length = strlen(nearest->word), name_length = strlen(name);
  if (word_length > LENGTH_MOST || name_length > LENGTH_MOST || word_length < 2) return;
  size_t distance = distance_of(nearest->word, word_length, name, name_length);
  if (strncmp(nearest->word, name, word_length) == 0) distance = 1;
  if (distance > (word_length < 5 ? 1u : 2u)) return;
  if (nearest->name && distance >= nearest->distance) return;
  nearest->name = name;
  nearest->distance = distance;
}

const char *td_nearest_question(const struct td_nearest *nearest) {
  static char text[LENGTH_MOST + 32];
  if (!nearest->name) return "";
  snprintf(text, sizeof text, " (did you mean '%s'?)", nearest->name);
  return text;
}
