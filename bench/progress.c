#include "bench/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SHOW_AFTER_NS UINT64_C(1000000000)
#define REDRAW_NS UINT64_C(100000000)
#define BAR_COLUMNS 24u

static struct {
  bool enabled;
  bool shown;
  uint64_t begun_ns;
  uint64_t drawn_ns;
} state;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void td_progress_setup(bool quiet) {
  state.enabled = !quiet && isatty(STDERR_FILENO);
  td_progress_begin();
}

void td_progress_begin(void) {
  state.begun_ns = now_ns();
}

static void draw(const char *what, uint64_t done, uint64_t total) {
  char bar[BAR_COLUMNS + 1] = "";
  if (total == 0) {
    fprintf(stderr, "\r%.70s\033[K", what);
    return;
  }
  double share = done >= total ? 1.0 : (double)done / (double)total;
  unsigned full = (unsigned)(share * BAR_COLUMNS);
  for (unsigned i = 0; i < BAR_COLUMNS; i++)
    bar[i] = i < full ? '#' : '.';
  fprintf(stderr, "\r[%s] %3.0f %% %.70s\033[K", bar, share * 100.0, what);
}

void td_progress(const char *what, uint64_t done, uint64_t total) {
  if (!state.enabled) return;
  uint64_t now = now_ns();
  if (now - state.begun_ns < SHOW_AFTER_NS || now - state.drawn_ns < REDRAW_NS) return;
  state.drawn_ns = now;
  state.shown = true;
  draw(what, done, total);
  fflush(stderr);
}

void td_progress_end(void) {
  if (!state.shown) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  state.shown = false;
}

void td_progress_report(void *context, const char *phase, uint64_t done, uint64_t total) {
  (void)context;
  td_progress(phase, done, total);
}
