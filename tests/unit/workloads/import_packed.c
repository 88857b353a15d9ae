/* SPDX-License-Identifier: MIT */
/* Dumps that are packed with gzip, and dumps that come through standard input. */
#include <fcntl.h>
#include <sys/wait.h>

#include "tests/unit/workloads/hprof_small.h"
#include "tests/unit/workloads/packed.h"

static void assert_imports_as(const struct bytes *b, const struct td_thg *expected) {
  SCOPED_GRAPH graph = import_good(b, NULL);
  assert_same_graph(&graph, expected);
}

Test(import_packed, same_as_unpacked) {
  for (unsigned id = 4; id <= 8; id += 4) {
    SCOPED_DUMP d = small_dump(id, id == 8);
    SCOPED_BYTES packed = {0};
    SCOPED_GRAPH expected = import_good(&d.bytes, NULL);
    pack(&packed, d.bytes.data, d.bytes.length);
    assert_imports_as(&packed, &expected);
    /* In two members, as gzip a b > ab writes them, and in three with an empty one. */
    packed.length = 0;
    pack(&packed, d.bytes.data, 40);
    pack(&packed, "", 0);
    pack(&packed, d.bytes.data + 40, d.bytes.length - 40);
    assert_imports_as(&packed, &expected);
  }
}

/* As gzip takes it: what a tape's last block or a disk image has behind the file. */
Test(import_packed, zeros_behind_the_last_member) {
  SCOPED_DUMP d = small_dump(8, true);
  SCOPED_BYTES packed = {0};
  SCOPED_GRAPH expected = import_good(&d.bytes, NULL);
  static const uint8_t zeros[3000];
  pack(&packed, d.bytes.data, d.bytes.length);
  for (size_t count = 1; count < sizeof zeros; count *= 7) {
    size_t length = packed.length;
    put_bytes(&packed, zeros, count);
    assert_imports_as(&packed, &expected);
    packed.length = length;
  }
  put_bytes(&packed, zeros, 9);
  put_bytes(&packed, "x", 1);
  assert_refused(&packed, "", 0);
}

static void put_segment(struct bytes *b, size_t length) {
  put_big(b, 0x1c, 1);
  put_big(b, 0, 4);
  put_big(b, length, 4);
}

/* Android's runtime begins a new segment where its buffer is full. Straight from memory, and
 * through a buffer. */
Test(import_packed, sub_records_in_two_segments) {
  for (unsigned id = 4; id <= 8; id += 4) {
    SCOPED_DUMP d = small_dump(id, true);
    SCOPED_GRAPH expected = import_good(&d.bytes, NULL);
    size_t heap = 0, end = 0;
    for (size_t at = 31; at < d.bytes.length; at += 9 + end) {
      end = (size_t)d.bytes.data[at + 5] << 24 | (size_t)d.bytes.data[at + 6] << 16 |
            (size_t)d.bytes.data[at + 7] << 8 | d.bytes.data[at + 8];
      if (d.bytes.data[at] != 0x1c || heap) continue;
      heap = at + 9;
      for (size_t cut = 1; cut + 1 < end; cut++) {
        SCOPED_BYTES split = {0}, packed = {0};
        put_bytes(&split, d.bytes.data, heap - 4);
        put_big(&split, cut, 4);
        put_bytes(&split, d.bytes.data + heap, cut);
        put_segment(&split, 1); /* and a segment of one byte */
        put_bytes(&split, d.bytes.data + heap + cut, 1);
        put_segment(&split, end - cut - 1);
        put_bytes(&split, d.bytes.data + heap + cut + 1, d.bytes.length - heap - cut - 1);
        pack(&packed, split.data, split.length);
        assert_imports_as(&split, &expected);
        assert_imports_as(&packed, &expected);
      }
    }
    cr_assert_gt(heap, 0);
  }
}

static bool is_cut_short(const struct bytes *b) {
  if (b->length >= 2) assert_refused(b, "cut short", 0); /* with less it is not gzip's */
  return true;
}

Test(import_packed, damaged) {
  SCOPED_DUMP d = small_dump(8, true);
  SCOPED_BYTES packed = {0};
  pack(&packed, d.bytes.data, d.bytes.length);
  cut_at_every_byte(&packed, packed.length, is_cut_short);
  flip_every_bit(&packed, is_refused); /* the time and the system in the header may be anything */
  packed.data[packed.length - 8] ^= 1;
  assert_refused(&packed, "gzip: incorrect data check", 0);
  packed.data[packed.length - 8] ^= 1;
  put_bytes(&packed, "more", 4);
  assert_refused(&packed, "gzip: incorrect header check", 0);
}

Test(import_packed, what_is_no_dump) {
  static const char *const cases[][2] = {{"noise", "neither an HPROF dump"},
                                         {"", "empty"},
                                         {"\x89THG\r\n\x1a\n", "unpack it with gunzip first"}};
  SCOPED_BYTES packed = {0};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    packed.length = 0;
    pack(&packed, cases[c][0], strlen(cases[c][0]));
    assert_refused(&packed, cases[c][1], 0);
  }
}

/* ---- Standard input ----------------------------------------------------------------------- */

/* Lets a child write the bytes, a few at a time, into a pipe that is standard input from now on. */
static pid_t pipe_in(const struct bytes *b, size_t piece) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) {
    close(ends[0]);
    for (size_t at = 0; at < b->length; at += piece) {
      size_t count = b->length - at < piece ? b->length - at : piece;
      if (write(ends[1], b->data + at, count) != (ssize_t)count) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  close(ends[0]);
  return child;
}

static void assert_piped(const struct bytes *b, size_t piece, const struct td_thg *expected) {
  struct td_import_summary summary;
  struct td_thg_error error = {0};
  SCOPED_GRAPH graph;
  pid_t child = pipe_in(b, piece);
  cr_assert(td_import_graph("-", NULL, &graph, &summary, &error), "%s", error.text);
  cr_assert_eq(waitpid(child, NULL, 0), child);
  cr_assert_eq(summary.input_bytes, b->length);
  assert_same_graph(&graph, expected);
}

Test(import_packed, through_a_pipe) {
  SCOPED_DUMP d = small_dump(8, true);
  SCOPED_BYTES packed = {0}, json = {0};
  char folder[200];
  make_folder(folder, sizeof folder);
  setenv("TMPDIR", folder, 1);
  pack(&packed, d.bytes.data, d.bytes.length);
  put_text(&json, SNAPSHOT);
  struct td_thg expected = import_good(&d.bytes, NULL);
  for (size_t piece = 1; piece < 10000; piece *= 13) {
    assert_piped(&d.bytes, piece, &expected);
    assert_piped(&packed, piece, &expected);
  }
  td_thg_free(&expected);
  expected = import_good(&json, NULL);
  assert_piped(&json, 7, &expected);
  td_thg_free(&expected);
  cr_assert_eq(count_files(folder), 0, "what was kept of the pipe has no name");
  remove_folder(folder);
}

/* A regular file as standard input is read from where it stands. */
Test(import_packed, through_redirection) {
  SCOPED_DUMP d = small_dump(4, false);
  SCOPED_GRAPH expected = import_good(&d.bytes, NULL);
  struct td_thg_error error = {0};
  struct td_thg graph;
  SCOPED_PLACE place = make_place("dump");
  SCOPED_BYTES file = {0};
  put_text(&file, "skipped");
  put_bytes(&file, d.bytes.data, d.bytes.length);
  write_file(place.path, file.data, file.length);
  int opened = open(place.path, O_RDONLY);
  cr_assert_eq(dup2(opened, STDIN_FILENO), STDIN_FILENO);
  lseek(STDIN_FILENO, 7, SEEK_SET);
  cr_assert(td_import_graph("-", NULL, &graph, NULL, &error), "%s", error.text);
  assert_same_graph(&graph, &expected);
  td_thg_free(&graph);
  /* And never onto itself. */
  cr_assert_not(td_import_file("-", place.path, NULL, NULL, &error));
  cr_assert(strstr(error.text, "would be overwritten"), "%s", error.text);
  close(opened);
}

Test(import_packed, a_pipe_with_nowhere_to_keep_it) {
  SCOPED_DUMP d = small_dump(8, true);
  struct td_thg_error error = {0};
  struct td_thg graph;
  setenv("TMPDIR", "/no/such/folder", 1);
  pid_t child = pipe_in(&d.bytes, 100);
  cr_assert_not(td_import_graph("-", NULL, &graph, NULL, &error));
  cr_assert_eq(error.kind, TD_THG_NO_RESOURCES);
  cr_assert(strstr(error.text, "/no/such/folder"), "%s", error.text);
  waitpid(child, NULL, 0);
}

/* ---- The name of the graph ---------------------------------------------------------------- */

Test(import_packed, names) {
  static const char *const names[][2] = {
      {"a.hprof", "a.thg"},
      {"b.heapsnapshot", "b.thg"},
      {"c.hprof.gz", "c.thg"},
      {"d.heapsnapshot.gz", "d.thg"},
      {"e.gz", "e.thg"},
      {"f.bin", "f.bin.thg"},
      {"g", "g.thg"},
      {"dir.hprof/h", "dir.hprof/h.thg"},
      {"dir/.hprof", "dir/.hprof.thg"},
      {".gz", ".gz.thg"},
      {"i.thg", "i.thg"},
  };
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
    FREED char *name = td_import_output_name(names[n][0]);
    cr_expect_str_eq(name, names[n][1]);
  }
}

struct seen {
  unsigned reports;
  bool has_total, is_wrong;
  char last[100];
};

static void see(void *context, const char *phase, uint64_t done, uint64_t total) {
  struct seen *seen = context;
  seen->reports++;
  seen->has_total |= total != 0;
  seen->is_wrong |= total != 0 && done > total;
  snprintf(seen->last, sizeof seen->last, "%s", phase);
}

Test(import_packed, progress) {
  SCOPED_DUMP d = small_dump(8, true);
  struct seen seen = {0};
  const struct td_thg_progress progress = {.report = see, .context = &seen};
  SCOPED_GRAPH graph;
  pid_t child = pipe_in(&d.bytes, 100);
  cr_assert(td_import_graph("-", &progress, &graph, NULL, NULL));
  waitpid(child, NULL, 0);
  cr_assert_gt(seen.reports, 3);
  cr_assert_not(seen.is_wrong);
  cr_assert(strstr(seen.last, "reading references, 0.0"), "%s", seen.last);
}
