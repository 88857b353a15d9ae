/* SPDX-License-Identifier: MIT */
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

/* More than a number of up to 20 digits and one of up to 4 for each bucket. */
#define ANSWER_BYTES (1024u + TD_LATENCY_BUCKETS * 27u)

static bool find_program(char path[TD_PLACE_BYTES], const char *program) {
  char beside[64], relative[96], installed[512];
  snprintf(beside, sizeof beside, "tidemark-gcbench-%s", program);
  snprintf(relative, sizeof relative, "../libexec/tidemark/%s", beside);
  snprintf(installed, sizeof installed, "%s/%s", TD_INSTALLED_LIBEXEC, beside);
  return td_place_find(path, beside, relative, installed, NULL);
}

bool td_gcbench_is_there(const char *program) {
  char path[TD_PLACE_BYTES];
  return find_program(path, program);
}

/* Starts the program with its standard output in a pipe. *out is the end to read from. */
static int spawn(const char *program, const struct td_gcbench_task *task, pid_t *child, int *out) {
  /* The child compares the last with its parent's number: we might have died before the child could
   * ask the kernel to die with us. */
  const uint64_t numbers[] = {task->mutators, task->depth, task->operations,  task->heap_max_bytes,
                              task->markers,  task->young, task->concurrent,  task->live_bytes,
                              task->run_ns,   task->rate,  (uint64_t)getpid()};
  enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
  char path[TD_PLACE_BYTES], workload[32], texts[NUMBERS][24];
  snprintf(path, sizeof path, "%s", program);
  snprintf(workload, sizeof workload, "%s", task->workload);
  char *arguments[NUMBERS + 3] = {path, workload};
  for (size_t i = 0; i < NUMBERS; i++) {
    snprintf(texts[i], sizeof texts[i], "%" PRIu64, numbers[i]);
    arguments[i + 2] = texts[i];
  }
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

/* Reads `count` numbers. Returns what follows them, or NULL if they are too few. */
static const char *read_numbers(const char *text, uint64_t *numbers, size_t count) {
  for (size_t i = 0; text && i < count; i++) {
    char *end;
    numbers[i] = strtoull(text, &end, 10);
    text = end == text ? NULL : end;
  }
  return text;
}

static const char *read_lengths(const char *text, struct td_pause_lengths *lengths) {
  uint64_t ns[3] = {0};
  text = read_numbers(text, ns, 3);
  *lengths = (struct td_pause_lengths){ns[0], ns[1], ns[2]};
  return text;
}

/* Every bucket that is not empty. */
static const char *read_latency(const char *text, struct td_latency *latency) {
  uint64_t head[3] = {0}, bucket[2] = {0};
  text = read_numbers(text, head, 3);
  *latency = (struct td_latency){.max_ns = head[0], .own_max_ns = head[1]};
  for (uint64_t i = 0; text && i < head[2]; i++) {
    text = read_numbers(text, bucket, 2);
    if (bucket[0] >= TD_LATENCY_BUCKETS) return NULL;
    latency->count[bucket[0]] = bucket[1];
  }
  return text;
}

/* Returns false if the answer means nothing. */
static bool read_answer(const char *answer, struct td_gcbench_result *result) {
  uint64_t figures[6] = {0}, measured[4] = {0};
  if (strncmp(answer, "ran ", 4) != 0) return false;
  const char *at = read_numbers(answer + 4, figures, 6);
  result->total_ns = figures[0];
  result->collect_ns = figures[1];
  result->peak_bytes = figures[2];
  result->collections = figures[3];
  result->full_collections = figures[4];
  result->sum = figures[5];
  at = read_lengths(at, &result->all);
  at = read_lengths(at, &result->young);
  at = read_numbers(at, result->pauses.young, TD_PAUSE_BUCKETS);
  at = read_numbers(at, result->pauses.full, TD_PAUSE_BUCKETS);
  at = read_numbers(at, result->pauses.stop_ns, TD_STOPS);
  at = read_numbers(at, measured, 4);
  result->operations = measured[0];
  result->run_ns = measured[1];
  result->cpu_ns = measured[2];
  result->degenerate = measured[3];
  return read_latency(at, &result->latency) != NULL;
}

int td_gcbench_run(const struct td_gcbench_task *task, struct td_gcbench_result *result) {
  char program[TD_PLACE_BYTES];
  if (!find_program(program, task->program))
    return td_complain(
        TD_EXIT_RESOURCES,
        "gcbench: the program tidemark-gcbench-%s was not built, or is not beside this one",
        task->program);
  pid_t child;
  int out = -1;
  int status = spawn(program, task, &child, &out);
  if (status != TD_EXIT_OK) return status;
  static char answer[ANSWER_BYTES];
  read_all(out, answer, sizeof answer);
  int ended = td_child_wait(child);
  if (read_answer(answer, result) && ended == 0) return TD_EXIT_OK;
  return explain(task, answer, ended);
}
