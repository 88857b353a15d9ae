#include "bench/gcbench/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/child.h"
#include "bench/cli/complain.h"
#include "bench/cli/place.h"
#include "bench/cli/progress.h"

static bool find_program(char path[TD_PLACE_BYTES], const char *collector) {
  char beside[64], relative[96], installed[512];
  snprintf(beside, sizeof beside, "tidemark-gcbench-%s", collector);
  snprintf(relative, sizeof relative, "../libexec/tidemark/%s", beside);
  snprintf(installed, sizeof installed, "%s/%s", TD_INSTALLED_LIBEXEC, beside);
  return td_place_find(path, beside, relative, installed, NULL);
}

bool td_gcbench_is_there(const char *collector) {
  char path[TD_PLACE_BYTES];
  return find_program(path, collector);
}

/* Starts the program with its standard output in a pipe. *out is the end to read from. */
static int spawn(const char *program, const struct td_gcbench_task *task, pid_t *child, int *out) {
  char workload[32], mutators[16], depth[16], operations[24], heap[24], markers[16], parent[24];
  char path[TD_PLACE_BYTES];
  snprintf(path, sizeof path, "%s", program);
  snprintf(workload, sizeof workload, "%s", task->workload);
  snprintf(mutators, sizeof mutators, "%u", task->mutators);
  snprintf(depth, sizeof depth, "%u", task->depth);
  snprintf(operations, sizeof operations, "%" PRIu64, task->operations);
  snprintf(heap, sizeof heap, "%" PRIu64, task->heap_max_bytes);
  snprintf(markers, sizeof markers, "%u", task->markers);
  /* The child compares this with its parent's number: we might have died before the child could ask
   * the kernel to die with us. */
  snprintf(parent, sizeof parent, "%lld", (long long)getpid());
  char live[24];
  snprintf(live, sizeof live, "%" PRIu64, task->live_bytes);
  char young[2] = {task->young ? '1' : '0', 0};
  char *arguments[] = {path,    workload, mutators, depth,  operations, heap,
                       markers, young,    live,     parent, NULL};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return td_complain(TD_EXIT_RESOURCES, "cannot make a pipe: %s", strerror(errno));
  const struct td_child_start start = {
      .arguments = arguments, .in = -1, .out = ends[1], .errors = -1};
  int error = td_child_start(&start, child);
  close(ends[1]);
  *out = ends[0];
  if (error == 0) return TD_EXIT_OK;
  close(ends[0]);
  return td_complain(TD_EXIT_RESOURCES, "cannot start '%s': %s", path, strerror(error));
}

/* Reads all that the child says until it closes its end. The answer is the first line. */
static void read_all(int from, char *text, size_t bytes) {
  size_t length = 0;
  ssize_t got;
  while ((got = read(from, text + length, bytes - 1 - length)) > 0 || (got < 0 && errno == EINTR))
    length += got > 0 ? (size_t)got : 0;
  text[length] = '\0';
  text[strcspn(text, "\n")] = '\0';
  close(from);
}

static int explain(const struct td_gcbench_task *task, const char *answer, int ended) {
  char name[96];
  snprintf(name, sizeof name, "gcbench: %s on %s", task->workload, task->collector);
  int status, at;
  td_progress_end();
  if (sscanf(answer, "error %d %n", &status, &at) == 1)
    return td_complain(status, "%s: %s", name, answer + at);
  if (ended != 0) return td_child_complain(name, ended);
  return td_complain(TD_EXIT_RESOURCES, "%s: its process answers '%s', which means nothing here",
                     name, answer);
}

/* Reads the counts that follow the other figures. Returns false if they are too few. */
static bool read_pauses(const char *text, struct td_pauses *pauses) {
  for (unsigned i = 0; i < 2 * TD_PAUSE_BUCKETS; i++) {
    char *end;
    uint64_t count = strtoull(text, &end, 10);
    if (end == text) return false;
    text = end;
    if (i < TD_PAUSE_BUCKETS)
      pauses->young[i] = count;
    else
      pauses->full[i - TD_PAUSE_BUCKETS] = count;
  }
  return true;
}

int td_gcbench_run(const struct td_gcbench_task *task, struct td_gcbench_result *result) {
  char program[TD_PLACE_BYTES];
  if (!find_program(program, task->collector))
    return td_complain(
        TD_EXIT_RESOURCES,
        "gcbench: the program tidemark-gcbench-%s was not built, or is not beside this one",
        task->collector);
  pid_t child;
  int out = -1;
  int status = spawn(program, task, &child, &out);
  if (status != TD_EXIT_OK) return status;
  char answer[1024];
  read_all(out, answer, sizeof answer);
  int ended = td_child_wait(child);
  int at = 0;
  if (sscanf(answer,
             "ran %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
             " %" SCNu64 " %" SCNu64 "%n",
             &result->total_ns, &result->collect_ns, &result->pause_p50_ns, &result->pause_p99_ns,
             &result->pause_max_ns, &result->peak_bytes, &result->collections,
             &result->full_collections, &result->sum, &at) == 9 &&
      read_pauses(answer + at, &result->pauses) && ended == 0)
    return TD_EXIT_OK;
  return explain(task, answer, ended);
}
