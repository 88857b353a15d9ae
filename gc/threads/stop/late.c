/* SPDX-License-Identifier: MIT */
#include "gc/threads/stop/late.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h> /* vsnprintf */

#include "gc/threads/thread.h"

/* How many threads are named; the others are counted. */
#define NAMED_MOST 8u

struct line {
  char text[1024];
  size_t used;
};

static __attribute__((format(printf, 2, 3))) void add(struct line *line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length =
      vsnprintf(line->text + line->used, sizeof line->text - line->used, format, arguments);
  va_end(arguments);
  if (length > 0) line->used += (size_t)length;
  if (line->used >= sizeof line->text) line->used = sizeof line->text - 1;
}

static bool is_awaited(const struct tide_mutator *m, const struct tide_mutator *self) {
  /* relaxed: a mutator that answers just now may be named too. */
  return m != self && !(atomic_load_explicit(&m->state, memory_order_relaxed) & TD_SAFE);
}

void td_late_tell(const struct tide_heap *heap, const struct tide_mutator *self,
                  uint64_t waited_ns) {
  struct line line = {.used = 0};
  char name[TD_THREAD_NAME_BYTES];
  uint32_t count = 0;
  int number = 0;
  add(&line, "tidemark: heap %p: stopping has waited %" PRIu64 " s for", (const void *)heap,
      waited_ns / 1000000000u);
  for (const struct tide_mutator *m = heap->world->mutators; m; m = m->next) {
    if (!is_awaited(m, self)) continue;
    if (m->stop_signal) number = m->stop_signal;
    if (count++ >= NAMED_MOST) continue;
    add(&line, "%s thread %ld (%s, mutator %p)", count > 1 ? "," : "", m->thread_id,
        td_plat_thread_name(m->thread_id, name), (const void *)m);
  }
  if (count > NAMED_MOST) add(&line, " and %" PRIu32 " more", count - NAMED_MOST);
  if (count == 0) return; /* the last one has just answered */
  add(&line, " to allocate, to call tide_safepoint or to enter a blocking section");
  if (number) add(&line, ", or to let signal %d through, which it seems to block", number);
  td_plat_say("%s\n", line.text);
}
