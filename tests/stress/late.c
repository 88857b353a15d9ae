/* SPDX-License-Identifier: MIT */
/* A thread that does not answer a stop is named, on stderr and by an event; it goes on as soon as
 * that has happened. The same for a fork, without an event.
 *
 * Usage: stress_late */
#include <sys/syscall.h>

#include "tests/stress/driver.h"

static struct tide_heap *heap;
static _Atomic(bool) stands, may_go_on;
static _Atomic(int) events;
static long culprit;

static void *spin(void *unused) {
  struct tide_mutator *m = ATTACH(heap);
  pthread_setname_np(pthread_self(), "the culprit");
  culprit = syscall(SYS_gettid);
  stands = true;
  while (!may_go_on)
    continue; /* attached, and neither a safepoint nor a blocking section */
  tide_detach(m);
  return unused;
}

static void on_event(struct tide_heap *of, enum tide_event event, uint64_t now, void *context) {
  if (event != TIDE_EVENT_STOP_LATE) return;
  CHECK(of == heap && tide_collect_pause(heap) == TIDE_ERROR_STATE);
  events++;
  may_go_on = true;
}

/* What arrives on stderr; lets the culprit go when it has been named. */
static int pipes[2], real_stderr;
static char said[4096];

static void *listen(void *unused) {
  size_t used = 0;
  ssize_t bytes;
  while ((bytes = read(pipes[0], said + used, sizeof said - 1 - used)) > 0) {
    used += (size_t)bytes;
    if (strstr(said, "the culprit")) may_go_on = true;
  }
  return unused;
}

static void expect_told(void (*stop)(struct tide_mutator *), struct tide_mutator *m) {
  memset(said, 0, sizeof said);
  stands = may_go_on = false;
  CHECK(pipe(pipes) == 0);
  pthread_t thread = thread_new(spin, NULL);
  while (!stands)
    tide_safepoint(m);
  real_stderr = dup(STDERR_FILENO);
  CHECK(dup2(pipes[1], STDERR_FILENO) >= 0 && close(pipes[1]) == 0);
  pthread_t listener = thread_new(listen, NULL);
  stop(m);
  dup2(real_stderr, STDERR_FILENO); /* closes the pipe's last end */
  close(real_stderr);
  thread_end(NULL, listener);
  close(pipes[0]);
  thread_end(m, thread);
  char number[32];
  snprintf(number, sizeof number, "thread %ld ", culprit);
  if (!strstr(said, "waited 1 s") || !strstr(said, number) || !strstr(said, "(the culprit, "))
    fprintf(stderr, "said: %s\n", said);
  CHECK(strstr(said, number) && strstr(said, "(the culprit, "));
  CHECK(strchr(said, '\n') == strrchr(said, '\n'));
}

static void collect(struct tide_mutator *m) {
  CHECK(tide_collect(m) == TIDE_OK);
}

static void fork_once(struct tide_mutator *m) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  expect_child(child);
}

int main(void) {
  heap = HEAP();
  struct tide_mutator *m = ATTACH(heap);
  tide_heap_on_event(heap, on_event, NULL);
  expect_told(collect, m);
  CHECK(events == 1);
  expect_told(fork_once, m);
  CHECK(events == 1);
  heap_end(heap, m);
  return 0;
}
