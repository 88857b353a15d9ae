/* Reading the variables GC_…. */
#include "bdwgc/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "tide/tide.h"

/* Reads a number from 1 to `most`, or one of bytes with an optional k, m or g behind it. Returns 0
 * if the variable is not set. */
static size_t read_number(const char *name, size_t most, bool bytes) {
  const char *text = getenv(name);
  if (!text || !*text) return 0;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  const char *suffixes = "kmg", *suffix = bytes && *end ? strchr(suffixes, *end | 0x20) : NULL;
  unsigned shift = suffix ? 10u * (unsigned)(suffix - suffixes + 1) : 0;
  bool is_number = !errno && end > text && *text != '-' && !end[suffix != NULL];
  if (bytes && (!is_number || value > most >> shift))
    td_bdwgc_die("%s: '%.40s' is no number of bytes (with k, m or g behind it)", name, text);
  if (!bytes && (!is_number || value > most || value == 0))
    td_bdwgc_die("%s: '%.40s' is no number from 1 to %zu", name, text, most);
  return (size_t)value << shift;
}

void td_bdwgc_environment(void) {
  struct td_bdwgc_settings *set = &td_bdwgc_settings;
  size_t initial_bytes = read_number("GC_INITIAL_HEAP_SIZE", SIZE_MAX, true);
  size_t max_bytes = read_number("GC_MAXIMUM_HEAP_SIZE", SIZE_MAX, true);
  unsigned markers = (unsigned)read_number("GC_MARKERS", TIDE_MARKERS_MAX, false);
  size_t divisor = read_number("GC_FREE_SPACE_DIVISOR", 1000, false);
  if (initial_bytes) set->initial_heap_bytes = initial_bytes;
  if (max_bytes) set->max_heap_bytes = max_bytes;
  if (markers) set->markers = markers;
  if (divisor) GC_free_space_divisor = divisor;
  set->print_stats = getenv("GC_PRINT_STATS") || getenv("GC_PRINT_VERBOSE_STATS");
  if (getenv("GC_DONT_GC")) GC_dont_gc = 1;
  if (getenv("GC_FIND_LEAK")) GC_find_leak = 1;
}
