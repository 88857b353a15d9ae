#include "bench/gcbench/child/account.h"

#include <stdio.h>
#include <unistd.h>

struct gcbench_pauses gcbench_pauses;

void gcbench_pause(uint64_t pause_ns, uint64_t collect_ns, bool young) {
  struct gcbench_pauses *all = &gcbench_pauses;
  all->collect_ns += collect_ns;
  if (all->count < GCBENCH_PAUSES_MAX) all->at[all->count] = pause_ns;
  all->count++;
  (young ? all->counted.young : all->counted.full)[td_pause_bucket(pause_ns)]++;
}

void gcbench_fail(int status, const char *text) {
  /* One write: another thread may fail at the same moment, and lines must not mix. */
  char line[400];
  int length = snprintf(line, sizeof line, "error %d %s\n", status, text);
  ssize_t written = write(STDOUT_FILENO, line, (size_t)length);
  _exit(written == length ? status : 4);
}

void gcbench_out_of_memory(void) {
  gcbench_fail(4, "out of memory; is the heap limit (--heap-max) too small?");
}
