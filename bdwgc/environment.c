/* Reading the variables GC_…. */
#include "bdwgc/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "tide/tide.h"

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

void td_bdwgc_environment(void) {
  struct td_bdwgc_settings *set = &td_bdwgc_settings;
  size_t initial_bytes = read_bytes("GC_INITIAL_HEAP_SIZE");
  size_t max_bytes = read_bytes("GC_MAXIMUM_HEAP_SIZE");
  unsigned markers = (unsigned)read_count("GC_MARKERS", TIDE_MARKERS_MAX);
  unsigned long divisor = read_count("GC_FREE_SPACE_DIVISOR", 1000);
  if (initial_bytes) set->initial_heap_bytes = initial_bytes;
  if (max_bytes) set->max_heap_bytes = max_bytes;
  if (markers) set->markers = markers;
  if (divisor) GC_free_space_divisor = divisor;
  set->print_stats = getenv("GC_PRINT_STATS") || getenv("GC_PRINT_VERBOSE_STATS");
  if (getenv("GC_DONT_GC")) GC_dont_gc = 1;
  if (getenv("GC_FIND_LEAK")) GC_find_leak = 1;
}
