/* SPDX-License-Identifier: MIT */
#include "bench/gcbench/child/account.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct gcbench_pauses gcbench_pauses;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(struct gcbench_lengths *lengths, uint64_t ns) {
  if (lengths->count < GCBENCH_PAUSES_MAX) lengths->ns[lengths->count] = ns;
  lengths->count++;
}

void gcbench_collected(bool young, const uint64_t *stops_ns, unsigned stops) {
  struct gcbench_pauses *pauses = &gcbench_pauses;
  struct td_pauses *counted = &pauses->counted;
  pthread_mutex_lock(&lock);
  pauses->collections++;
  pauses->full += !young;
  for (unsigned i = 0; i < stops && i < TD_STOPS; i++) {
    uint64_t ns = stops_ns[i];
    pauses->collect_ns += ns;
    add(&pauses->all, ns);
    if (young) add(&pauses->young, ns);
    (young ? counted->young : counted->full)[td_pause_bucket(ns)]++;
    if (ns > counted->stop_ns[i]) counted->stop_ns[i] = ns;
  }
  pthread_mutex_unlock(&lock);
}

void gcbench_pauses_forget(void) {
  pthread_mutex_lock(&lock);
  memset(&gcbench_pauses, 0, sizeof gcbench_pauses);
  pthread_mutex_unlock(&lock);
}

void gcbench_fail(int status, const char *text) {
  /* One write: another thread may fail at the same moment, and lines must not mix. */
  char line[400];
  int length = snprintf(line, sizeof line, "error %d %s\n", status, text);
  ssize_t written = write(STDOUT_FILENO, line, (size_t)length);
  _exit(written == length ? status : 4);
}

void gcbench_out_of_memory(void) {
  gcbench_fail(4, "out of memory; is the heap limit (--heap-max, --factor) too small?");
}
