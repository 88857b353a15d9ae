/* SPDX-License-Identifier: MIT */
/* Importers and the graph file when the system refuses: the n-th call of each kind fails, once and
 * for ever, for every n and every format.  An import then fails with the right kind of error and
 * leaves the output as it was, or it does without what was refused and the output is whole.  Under
 * the address sanitizer this also finds what an error leaves unfreed. */
#include "tests/fault/refuse.h"

#include "tests/unit/workloads/hprof_small.h"
#include "tests/unit/workloads/packed.h"
#include "tests/unit/workloads/thg_sample.h"

static const char before[] = "what was there before";

/* A folder with an input, an output that is there already, and what the output should become. */
struct trial {
  char folder[200], input[300], output[300];
  struct bytes data, expected;
  bool is_piped; /* the input comes through standard input */
};

static bool holds(const char *path, const void *data, size_t length) {
  SCOPED_BYTES bytes = read_whole(path);
  bool same = bytes.length == length && memcmp(bytes.data, data, length) == 0;
  return same;
}

/* The pipe's buffer holds the whole of our small inputs. */
static void feed_standard_input(const struct bytes *data) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  cr_assert_eq(write(ends[1], data->data, data->length), (ssize_t)data->length);
  close(ends[1]);
  cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  close(ends[0]);
}

/* Call number n of that kind fails, from 0, as soon as the refusal is armed. */
static void refuse(enum call call, int why, long n) {
  memset(&refusal, 0, sizeof refusal);
  refusal.call = call;
  refusal.why = why;
  refusal.countdown = n;
}

static bool import(const struct trial *trial, struct td_thg_error *error) {
  *error = (struct td_thg_error){0};
  if (trial->is_piped) feed_standard_input(&trial->data);
  refusal.is_armed = true;
  bool done =
      td_import_file(trial->is_piped ? "-" : trial->input, trial->output, NULL, NULL, error);
  refusal.is_armed = false;
  return done;
}

/* Takes the bytes over. */
static struct trial make_trial(struct bytes data, bool is_piped) {
  struct trial trial = {.data = data, .is_piped = is_piped};
  struct td_thg_error error;
  make_folder(trial.folder, sizeof trial.folder);
  setenv("TMPDIR", trial.folder, 1);
  snprintf(trial.input, sizeof trial.input, "%s/input", trial.folder);
  snprintf(trial.output, sizeof trial.output, "%s/output", trial.folder);
  write_file(trial.input, data.data, data.length);
  refuse(CALL_COUNT, 0, 0); /* none */
  cr_assert(import(&trial, &error), "%s", error.text);
  trial.expected = read_whole(trial.output);
  return trial;
}

static void remove_trial(struct trial *trial) {
  unsetenv("TMPDIR");
  remove_folder(trial->folder);
  free(trial->data.data);
  free(trial->expected.data);
}

static int count_open_files(void) {
  return count_files("/proc/self/fd");
}

/* Returns whether the import came as far as the call that was to fail. */
static bool try_once(const struct trial *trial, enum td_thg_error_kind kind) {
  struct td_thg_error error;
  write_file(trial->output, before, sizeof before);
  int open_before = count_open_files();
  bool done = import(trial, &error);
  cr_assert_eq(count_open_files(), open_before, "a file was left open");
  cr_assert_eq(count_files(trial->folder), 2, "more than the output was left behind");
  if (done) {
    cr_assert(holds(trial->output, trial->expected.data, trial->expected.length));
  } else {
    cr_assert(refusal.has_failed, "%s", error.text);
    cr_assert(holds(trial->output, before, sizeof before));
    cr_assert_eq(error.kind, kind, "%s", error.text);
    cr_assert_neq(error.text[0], '\0');
  }
  return refusal.has_failed;
}

static const struct fault {
  enum call call;
  int why;
  enum td_thg_error_kind kind; /* of the error, if the import cannot do without */
} faults[] = {
    {CALL_ALLOC, ENOMEM, TD_THG_NO_RESOURCES},  {CALL_OPEN, EMFILE, TD_THG_NO_RESOURCES},
    {CALL_STAT, ENOMEM, TD_THG_NO_RESOURCES},   {CALL_READ, EIO, TD_THG_BAD_INPUT},
    {CALL_WRITE, ENOSPC, TD_THG_NO_RESOURCES},  {CALL_PUT, ENOSPC, TD_THG_NO_RESOURCES},
    {CALL_SYNC, EIO, TD_THG_NO_RESOURCES},      {CALL_CLOSE, EIO, TD_THG_NO_RESOURCES},
    {CALL_RENAME, EACCES, TD_THG_NO_RESOURCES},
};

static void refuse_each(struct trial *trial) {
  for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
    for (int for_ever = 0; for_ever < 2; for_ever++) {
      long n = 0;
      do {
        refuse(faults[f].call, faults[f].why, n++);
        refusal.is_for_ever = for_ever;
      } while (try_once(trial, faults[f].kind));
      cr_assert_gt(n, 1, "no call of kind %d in the whole import", faults[f].call);
    }
  }
}

/* Interrupted calls are made again, and bytes may come one at a time. */
static void disturb(struct trial *trial) {
  static const enum call calls[] = {CALL_READ, CALL_WRITE};
  struct td_thg_error error;
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
    long n = 0;
    do {
      refuse(calls[c], EINTR, n++);
      refusal.is_short = true;
      cr_assert(import(trial, &error), "%s", error.text);
      cr_assert(holds(trial->output, trial->expected.data, trial->expected.length));
    } while (refusal.has_failed && n < 40);
  }
}

static void refuse_all(struct bytes data, bool is_piped) {
  struct trial trial = make_trial(data, is_piped);
  refuse_each(&trial);
  disturb(&trial);
  remove_trial(&trial);
}

static struct bytes packed(struct bytes plain) {
  struct bytes bytes = {0};
  pack(&bytes, plain.data, plain.length);
  free(plain.data);
  return bytes;
}

static struct bytes snapshot(void) {
  struct bytes bytes = {0};
  put_text(&bytes, SNAPSHOT);
  return bytes;
}

#define REFUSED(name, data, is_piped)                                                              \
  Test(fault_import, name) {                                                                       \
    refuse_all(data, is_piped);                                                                    \
  }
REFUSED(hprof, small_dump(8, true).bytes, false)
REFUSED(hprof_packed, packed(small_dump(4, false).bytes), false)
REFUSED(hprof_through_a_pipe, small_dump(8, true).bytes, true)
REFUSED(hprof_packed_through_a_pipe, packed(small_dump(8, true).bytes), true)
REFUSED(heapsnapshot, snapshot(), false)
REFUSED(heapsnapshot_packed_through_a_pipe, packed(snapshot()), true)

Test(fault_import, graph_file) {
  SCOPED_GRAPH graph = sample_graph();
  refuse_all(file_bytes(&graph), false);
}

/* A graph file as `file:` reads it. */
Test(fault_import, graph_file_by_itself) {
  struct td_thg graph = sample_graph(), found;
  struct trial trial = make_trial(file_bytes(&graph), false);
  for (size_t f = 0; f <= CALL_READ; f++) {
    bool was_reached = true;
    for (long n = 0; was_reached; n++) {
      struct td_thg_error error = {0};
      refuse(faults[f].call, faults[f].why, n);
      refusal.is_armed = true;
      bool was_read = td_thg_read(trial.input, &found, &error);
      refusal.is_armed = false;
      was_reached = refusal.has_failed;
      cr_assert_eq(was_read, !was_reached);
      cr_assert(was_read || error.kind == faults[f].kind, "%s", error.text);
      if (was_read) assert_same_graph(&found, &graph);
      td_thg_free(&found);
    }
  }
  remove_trial(&trial);
  td_thg_free(&graph);
}
