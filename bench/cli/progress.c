/* SPDX-License-Identifier: MIT */
#include "bench/cli/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "bench/cli/cleanup.h"
#include "bench/cli/clock.h"
#include "bench/cli/utf8.h"

#define SHOW_AFTER_NS UINT64_C(1000000000)
#define REDRAW_NS UINT64_C(100000000)
#define BAR_COLUMNS 24u

static struct {
  bool enabled;
  bool shown;
  uint64_t begun_ns;
  uint64_t drawn_ns;
  /* The watcher thread. The main thread writes these before it starts the thread, and joins it
   * before it reads them again. */
  pthread_t watcher;
  bool watching;
  char what[80];
  _Atomic(bool) stop; /* main writes, the watcher polls; relaxed: pthread_join orders the rest */
} state;

void td_progress_setup(bool quiet) {
  state.enabled = !quiet && isatty(STDERR_FILENO);
  td_progress_begin();
}

void td_progress_begin(void) {
  state.begun_ns = td_now_ns();
}

void td_progress_at_once(void) {
  state.begun_ns = 0;
}

/* Prints the first columns of a text that may name a file or a graph. */
static void put_start(const char *text, unsigned columns) {
  uint32_t c;
  while (columns-- > 0 && (c = td_utf8_next(&text)) != 0)
    td_utf8_put(td_utf8_is_plain(c) ? c : TD_UTF8_REPLACEMENT, stderr);
}

static void draw(const char *what, uint64_t done, uint64_t total) {
  char bar[BAR_COLUMNS + 1] = "";
  fputc('\r', stderr);
  if (total == 0) {
    put_start(what, 78);
    fputs("\033[K", stderr);
    return;
  }
  double share = done >= total ? 1.0 : (double)done / (double)total;
  unsigned full = (unsigned)(share * BAR_COLUMNS);
  for (unsigned i = 0; i < BAR_COLUMNS; i++)
    bar[i] = i < full ? '#' : '.';
  fprintf(stderr, "[%s] %3.0f %% ", bar, share * 100.0);
  put_start(what, 46);
  fputs("\033[K", stderr);
}

void td_progress(const char *what, uint64_t done, uint64_t total) {
  if (!state.enabled) return;
  uint64_t now = td_now_ns();
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

static void *watch(void *unused) {
  (void)unused;
  while (!atomic_load_explicit(&state.stop, memory_order_relaxed)) {
    struct timespec nap = {.tv_nsec = 50000000};
    nanosleep(&nap, NULL);
    uint64_t seconds = (td_now_ns() - state.begun_ns) / UINT64_C(1000000000);
    char text[112];
    snprintf(text, sizeof text, "%s (%u s)", state.what, (unsigned)seconds);
    td_progress(text, 0, 0);
  }
  return NULL;
}

void td_progress_watch(const char *what) {
  td_progress_begin();
  if (!state.enabled || state.watching) return;
  snprintf(state.what, sizeof state.what, "%s", what);
  atomic_store_explicit(&state.stop, false, memory_order_relaxed); /* pthread_create orders it */
  sigset_t before;
  td_cleanup_hold(&before);
  state.watching = pthread_create(&state.watcher, NULL, watch, NULL) == 0;
  td_cleanup_release(&before);
}

void td_progress_unwatch(void) {
  if (state.watching) {
    atomic_store_explicit(&state.stop, true,
                          memory_order_relaxed); /* pthread_join orders the rest */
    pthread_join(state.watcher, NULL);
    state.watching = false;
  }
  td_progress_end();
}
