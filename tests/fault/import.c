/* SPDX-License-Identifier: MIT */
/* Importers and the graph file when the system refuses: the n-th call of each kind fails, once and
 * for ever, for every n and every format.  An import then fails with the right kind of error and
 * leaves the output as it was, or it does without what was refused and the output is whole.  Under
 * the address sanitizer this also finds what an error leaves unfreed. */
#include "tests/fault/refuse.h"

#include <zlib.h>

#include "tests/unit/workloads/hprof_small.h"
#include "tests/unit/workloads/thg_sample.h"

static const char before[] = "what was there before";

/* A folder with an input, an output that is there already, and what the output should become. */
struct place {
  char folder[200], input[300], output[300];
  struct bytes data, expected;
  bool is_piped; /* the input comes through standard input */
};

static struct bytes read_whole(const char *path) {
  struct bytes bytes = {0};
  uint8_t piece[4096];
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s", path);
  for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
    put_bytes(&bytes, piece, got);
  fclose(file);
  return bytes;
}

static bool holds(const char *path, const void *data, size_t length) {
  struct bytes bytes = read_whole(path);
  bool same = bytes.length == length && memcmp(bytes.data, data, length) == 0;
  free(bytes.data);
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

static bool import(const struct place *place, struct td_thg_error *error) {
  *error = (struct td_thg_error){0};
  if (place->is_piped) feed_standard_input(&place->data);
  refusal.is_armed = true;
  bool done =
      td_import_file(place->is_piped ? "-" : place->input, place->output, NULL, NULL, error);
  refusal.is_armed = false;
  return done;
}

/* Takes the bytes over. */
static struct place make_place(struct bytes data, bool is_piped) {
  struct place place = {.data = data, .is_piped = is_piped};
  struct td_thg_error error;
  make_folder(place.folder, sizeof place.folder);
  setenv("TMPDIR", place.folder, 1);
  snprintf(place.input, sizeof place.input, "%s/input", place.folder);
  snprintf(place.output, sizeof place.output, "%s/output", place.folder);
  write_file(place.input, data.data, data.length);
  memset(&refusal, 0, sizeof refusal);
  refusal.call = CALL_COUNT;
  cr_assert(import(&place, &error), "%s", error.text);
  place.expected = read_whole(place.output);
  return place;
}

static void remove_place(struct place *place) {
  unsetenv("TMPDIR");
  remove_folder(place->folder);
  free(place->data.data);
  free(place->expected.data);
}

static int count_open_files(void) {
  return count_files("/proc/self/fd");
}

/* Returns whether the import came as far as the call that was to fail. */
static bool try_once(const struct place *place, enum td_thg_error_kind kind) {
  struct td_thg_error error;
  write_file(place->output, before, sizeof before);
  int open_before = count_open_files();
  bool done = import(place, &error);
  cr_assert_eq(count_open_files(), open_before, "a file was left open");
  cr_assert_eq(count_files(place->folder), 2, "more than the output was left behind");
  if (done) {
    cr_assert(holds(place->output, place->expected.data, place->expected.length));
  } else {
    cr_assert(refusal.has_failed, "%s", error.text);
    cr_assert(holds(place->output, before, sizeof before));
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

static void refuse_each(struct place *place) {
  for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
    for (int for_ever = 0; for_ever < 2; for_ever++) {
      long n = 0;
      do {
        memset(&refusal, 0, sizeof refusal);
        refusal.call = faults[f].call;
        refusal.why = faults[f].why;
        refusal.countdown = n++;
        refusal.is_for_ever = for_ever;
      } while (try_once(place, faults[f].kind));
      cr_assert_gt(n, 1, "no call of kind %d in the whole import", faults[f].call);
    }
  }
}

/* Interrupted calls are made again, and bytes may come one at a time. */
static void disturb(struct place *place) {
  static const enum call calls[] = {CALL_READ, CALL_WRITE};
  struct td_thg_error error;
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
    long n = 0;
    do {
      memset(&refusal, 0, sizeof refusal);
      refusal.call = calls[c];
      refusal.why = EINTR;
      refusal.countdown = n++;
      refusal.is_short = true;
      cr_assert(import(place, &error), "%s", error.text);
      cr_assert(holds(place->output, place->expected.data, place->expected.length));
    } while (refusal.has_failed && n < 40);
  }
}

static void refuse_all(struct bytes data, bool is_piped) {
  struct place place = make_place(data, is_piped);
  refuse_each(&place);
  disturb(&place);
  remove_place(&place);
}

static struct bytes pack(struct bytes plain) {
  struct bytes packed = {0};
  uint8_t room[4096];
  z_stream z = {.next_in = plain.data, .avail_in = (uInt)plain.length};
  z.next_out = room;
  z.avail_out = sizeof room;
  cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
  put_bytes(&packed, room, sizeof room - z.avail_out);
  deflateEnd(&z);
  free(plain.data);
  return packed;
}

static struct bytes snapshot(void) {
  static const char text[] =
      "{\"snapshot\":{\"meta\":{\"node_fields\":[\"id\",\"self_size\",\"edge_count\"],"
      "\"edge_fields\":[\"type\",\"to_node\"]}},\"nodes\":[1,8,1],\"edges\":[0,0]}";
  struct bytes bytes = {0};
  put_bytes(&bytes, text, sizeof text - 1);
  return bytes;
}

Test(fault_import, hprof) {
  refuse_all(small_dump(8, true).bytes, false);
}

Test(fault_import, hprof_packed) {
  refuse_all(pack(small_dump(4, false).bytes), false);
}

Test(fault_import, hprof_through_a_pipe) {
  refuse_all(small_dump(8, true).bytes, true);
}

Test(fault_import, hprof_packed_through_a_pipe) {
  refuse_all(pack(small_dump(8, true).bytes), true);
}

Test(fault_import, heapsnapshot) {
  refuse_all(snapshot(), false);
}

Test(fault_import, heapsnapshot_packed_through_a_pipe) {
  refuse_all(pack(snapshot()), true);
}

Test(fault_import, graph_file) {
  struct td_thg graph = sample_graph();
  refuse_all(file_bytes(&graph), false);
  td_thg_free(&graph);
}

/* A graph file as `file:` reads it. */
Test(fault_import, graph_file_by_itself) {
  struct td_thg graph = sample_graph(), found;
  struct place place = make_place(file_bytes(&graph), false);
  for (size_t f = 0; f <= CALL_READ; f++) {
    bool was_reached = true;
    for (long n = 0; was_reached; n++) {
      struct td_thg_error error = {0};
      memset(&refusal, 0, sizeof refusal);
      refusal.call = faults[f].call;
      refusal.why = faults[f].why;
      refusal.countdown = n;
      refusal.is_armed = true;
      bool was_read = td_thg_read(place.input, &found, &error);
      refusal.is_armed = false;
      was_reached = refusal.has_failed;
      cr_assert_eq(was_read, !was_reached);
      cr_assert(was_read || error.kind == faults[f].kind, "%s", error.text);
      if (was_read) assert_same_graph(&found, &graph);
      td_thg_free(&found);
    }
  }
  remove_place(&place);
  td_thg_free(&graph);
}
