/* Reading the variables GC_…. */
#include "bdwgc/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bdwgc/state.h"

/* A number of bytes with an optional k, m or g behind it. */
static size_t read_bytes(const char *name) {
  const char *text = getenv(name);
  if (!text || !*text) return 0;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  const char *suffixes = "kmg", *suffix = *end ? strchr(suffixes, *end | 0x20) : NULL;
  unsigned shift = suffix ? 10u * (unsigned)(suffix - suffixes + 1) : 0;
  if (errno || end == text || *text == '-' || (*end && (!suffix || end[1])) ||
      value > (SIZE_MAX >> shift))
    td_bdwgc_die("%s: '%.40s' is no number of bytes (with k, m or g behind it)", name, text);
  return (size_t)value << shift;
}

static unsigned long read_count(const char *name, unsigned long most) {
  const char *text = getenv(name);
  if (!text || !*text) return 0;
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (errno || *end || *text == '-' || value == 0 || value > most)
    td_bdwgc_die("%s: '%.40s' is no number from 1 to %lu", name, text, most);
  return value;
}

void td_bdwgc_environment(struct td_bdwgc_environment *read) {
  *read = (struct td_bdwgc_environment){
      .initial_bytes = read_bytes("GC_INITIAL_HEAP_SIZE"),
      .maximum_bytes = read_bytes("GC_MAXIMUM_HEAP_SIZE"),
      .markers = (unsigned)read_count("GC_MARKERS", TIDE_MARKERS_MAX),
      .free_space_divisor = read_count("GC_FREE_SPACE_DIVISOR", 1000),
      .print_stats = getenv("GC_PRINT_STATS") || getenv("GC_PRINT_VERBOSE_STATS"),
      .dont_gc = getenv("GC_DONT_GC"),
  };
}
