/* SPDX-License-Identifier: MIT */
#include "workloads/thg_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/base/whole_file.h"
#include "inspect/thg/writer.h"
#include "workloads/thg_error.h"
#include "workloads/thg_recent.h"
#include "workloads/thg_zstd.h"

struct writer {
  struct td_thg_writer out;
  const struct td_thg *graph;
  struct td_thg_error *error;
  const char *path;
};

static bool is_fine(const struct writer *w) {
  return w->out.failure == TD_THG_WRITER_FINE;
}

static void put_shapes(struct writer *w) {
  for (uint32_t s = 0; is_fine(w) && s < w->graph->shape_count; s++) {
    const struct td_thg_shape *shape = &w->graph->shapes[s];
    td_thg_put_shape(&w->out, shape->kind, shape->prefix_words, shape->bitmap, shape->bitmap_words);
  }
}

static void put_shape_of(struct writer *w) {
  for (uint32_t i = 0; is_fine(w) && i < w->graph->object_count; i++)
    td_thg_put(&w->out, w->graph->shape_of[i]);
}

static void put_sizes(struct writer *w) {
  const struct td_thg *graph = w->graph;
  uint64_t *last = calloc((size_t)graph->shape_count + 1, sizeof *last);
  if (!last) td_thg_writer_fail(&w->out, TD_THG_WRITER_MEMORY, "out of memory for its shapes");
  for (uint32_t i = 0; is_fine(w) && i < graph->object_count; i++)
    td_thg_put_size(&w->out, graph->size[i], &last[graph->shape_of[i]]);
  free(last);
}

static void put_targets(struct writer *w) {
  const struct td_thg *graph = w->graph;
  struct td_thg_memory memory;
  if (!td_thg_memory_new(&memory, graph->shapes, graph->shape_count))
    td_thg_writer_fail(&w->out, TD_THG_WRITER_MEMORY, "out of memory for its references");
  for (uint32_t i = 0; is_fine(w) && i < graph->object_count; i++) {
    struct td_thg_recent *recent = memory.recent + memory.first[graph->shape_of[i]];
    bool is_bitmap = graph->shapes[graph->shape_of[i]].kind == TD_THG_BITMAP;
    for (uint64_t r = graph->first_ref[i]; r < graph->first_ref[i + 1]; r++) {
      td_thg_put_target(&w->out, i, graph->refs[r], recent);
      recent += is_bitmap;
    }
  }
  td_thg_memory_free(&memory);
}

static void put_roots(struct writer *w) {
  uint32_t last = 0;
  for (uint32_t r = 0; is_fine(w) && r < w->graph->root_count; r++)
    td_thg_put_root(&w->out, w->graph->roots[r], &last);
}

static void put_about(struct writer *w) {
  if (w->graph->about) td_thg_put_text(&w->out, w->graph->about);
}

static void put_all(struct writer *w) {
  static void (*const puts[TD_THG_STREAM_COUNT])(struct writer *) = {
      put_shapes, put_shape_of, put_sizes, put_targets, put_roots, put_about,
  };
  const struct td_thg *graph = w->graph;
  for (unsigned s = 0; s < TD_THG_STREAM_COUNT; s++) {
    td_thg_writer_open(&w->out, (enum td_thg_stream)(s + 1));
    puts[s](w);
    td_thg_writer_close(&w->out);
  }
  w->out.header.object_count = graph->object_count;
  w->out.header.ref_count = graph->ref_count;
  w->out.header.root_count = graph->root_count;
  w->out.header.shape_count = graph->shape_count;
  td_thg_writer_end(&w->out);
}

static bool tell_failure(struct writer *w) {
  bool is_file = w->out.failure == TD_THG_WRITER_FILE;
  return td_thg_fail(w->error, TD_THG_NO_RESOURCES, 0, "%s: %s%s", w->path,
                     is_file ? "cannot write: " : "",
                     is_file ? strerror(w->out.reason) : w->out.why);
}

static bool tell_file(struct writer *w, const char *what, int result) {
  return td_thg_fail(w->error, TD_THG_NO_RESOURCES, 0, "%s: cannot %s: %s", w->path, what,
                     td_whole_file_reason(result));
}

static void tell_temporary(const struct td_thg_progress *progress, enum td_thg_temporary state,
                           const char *path) {
  if (progress && progress->temporary) progress->temporary(progress->context, state, path);
}

static bool fill_file(struct writer *w, const struct td_thg_sink *sink,
                      struct td_whole_file *whole) {
  td_thg_writer_begin(&w->out, whole->file, sink);
  put_all(w);
  td_thg_writer_free(&w->out);
  if (!is_fine(w)) {
    td_whole_file_discard(whole);
    return tell_failure(w);
  }
  int result = td_whole_file_commit(whole);
  return result == 0 || tell_file(w, "write", result);
}

static bool write_file(struct writer *w, const struct td_thg_sink *sink,
                       const struct td_thg_progress *progress) {
  struct td_whole_file whole;
  tell_temporary(progress, TD_THG_TEMPORARY_COMES, NULL);
  int result = td_whole_file_create(&whole, w->path);
  bool done = false;
  if (result == 0) {
    tell_temporary(progress, TD_THG_TEMPORARY_IS_THERE, whole.temporary);
    done = fill_file(w, sink, &whole);
  } else {
    tell_file(w, "create a file beside it", result);
  }
  tell_temporary(progress, TD_THG_TEMPORARY_IS_GONE, NULL);
  return done;
}

bool td_thg_write(const char *path, const struct td_thg *graph,
                  const struct td_thg_progress *progress, struct td_thg_error *error) {
  struct writer w = {.graph = graph, .error = error, .path = path};
  struct td_thg_zstd zstd;
  /* Progress counts bytes of numbers: about one a value, two a reference. */
  uint64_t total = (uint64_t)graph->object_count * 2 + graph->ref_count * 2 + 1;
  bool done = td_thg_zstd_new(&zstd, progress, total);
  if (done) {
    struct td_thg_sink sink = td_thg_zstd_sink(&zstd);
    done = write_file(&w, &sink, progress);
  } else {
    td_thg_fail_memory(error, path, "compressing");
  }
  td_thg_zstd_free(&zstd);
  if (done) td_thg_report(progress, "compressing", total, total);
  return done;
}
