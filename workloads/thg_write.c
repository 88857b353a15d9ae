#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "workloads/thg_error.h"
#include "workloads/thg_format.h"

#define LEVEL 19 /* slow to write, as fast to read as any; graphs are written once */
#define RAW_BYTES ((size_t)1 << 18)
#define VARINT_MAX 10u

struct writer {
  const struct td_thg *graph;
  const struct td_thg_progress *progress;
  struct td_thg_error *error;
  const char *path;
  char *temporary;
  int file;
  struct td_thg_header header;
  ZSTD_CCtx *zstd;
  XXH64_state_t *sum;
  uint8_t *raw; /* [RAW_BYTES] */
  size_t raw_used;
  uint8_t *packed;
  size_t packed_bytes;
  struct td_thg_entry *entry; /* of the stream being written */
  uint64_t done, total;       /* values, for progress */
};

static bool fail_system(struct writer *w, const char *what) {
  return td_thg_fail(w->error, TD_THG_NO_RESOURCES, 0, "%s: cannot %s: %s", w->path, what,
                     strerror(errno));
}

static bool write_all(struct writer *w, const uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t wrote = write(w->file, bytes, length);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail_system(w, "write");
    bytes += wrote;
    length -= (size_t)wrote;
  }
  return true;
}

/* Compress what has gathered; `last` ends the stream's frame. */
static bool flush(struct writer *w, bool last) {
  ZSTD_inBuffer in = {.src = w->raw, .size = w->raw_used};
  w->entry->raw_bytes += w->raw_used;
  w->done += w->raw_used;
  size_t left;
  do {
    ZSTD_outBuffer out = {.dst = w->packed, .size = w->packed_bytes};
    left = ZSTD_compressStream2(w->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) {
      return td_thg_fail(w->error, TD_THG_NO_RESOURCES, 0, "%s: cannot compress: %s", w->path,
                         ZSTD_getErrorName(left));
    }
    XXH64_update(w->sum, out.dst, out.pos);
    w->entry->stored_bytes += out.pos;
    if (!write_all(w, out.dst, out.pos)) return false;
  } while (last ? left > 0 : in.pos < in.size);
  w->raw_used = 0;
  td_thg_report(w->progress, "compressing", w->done < w->total ? w->done : w->total, w->total);
  return true;
}

static inline bool put(struct writer *w, uint64_t value) {
  if (w->raw_used + VARINT_MAX > RAW_BYTES && !flush(w, false)) return false;
  while (value >= 0x80) {
    w->raw[w->raw_used++] = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  w->raw[w->raw_used++] = (uint8_t)value;
  return true;
}

static bool put_shapes(struct writer *w) {
  for (uint32_t s = 0; s < w->graph->shape_count; s++) {
    const struct td_thg_shape *shape = &w->graph->shapes[s];
    if (!put(w, shape->kind)) return false;
    if (shape->kind == TD_THG_PREFIX && !put(w, shape->prefix_words)) return false;
    if (shape->kind == TD_THG_BITMAP && !put(w, shape->bitmap_words)) return false;
    for (uint32_t b = 0; b < shape->bitmap_words; b++) {
      if (!put(w, shape->bitmap[b])) return false;
    }
    if (w->entry->raw_bytes + w->raw_used > TD_THG_SHAPES_BYTES_MAX) {
      return td_thg_fail(w->error, TD_THG_NO_RESOURCES, 0,
                         "%s: the graph has more shapes than the format holds", w->path);
    }
  }
  return true;
}

static bool put_shape_of(struct writer *w) {
  for (uint32_t i = 0; i < w->graph->object_count; i++) {
    if (!put(w, w->graph->shape_of[i])) return false;
  }
  return true;
}

/* Relative to the last object of the same shape: 0 for every object of a class but the first. */
static bool put_sizes(struct writer *w) {
  const struct td_thg *graph = w->graph;
  uint64_t *last = calloc((size_t)graph->shape_count + 1, sizeof *last);
  if (!last) return td_thg_fail_memory(w->error, w->path, "its shapes");
  bool done = true;
  for (uint32_t i = 0; done && i < graph->object_count; i++) {
    uint64_t *before = &last[graph->shape_of[i]];
    done = put(w, td_thg_zigzag((int64_t)(graph->size[i] - *before)));
    *before = graph->size[i];
  }
  free(last);
  return done;
}

static bool put_target(struct writer *w, uint32_t source, uint32_t target,
                       struct td_thg_recent *recent) {
  uint64_t code;
  if (target == TD_THG_NULL) return put(w, TD_THG_CODE_NULL);
  if (target == recent->latest) {
    code = TD_THG_CODE_LATEST;
  } else if (target == recent->before) {
    code = TD_THG_CODE_BEFORE;
  } else {
    uint64_t near_source = td_thg_zigzag((int64_t)target - (int64_t)source);
    uint64_t near_latest = td_thg_zigzag((int64_t)target - (int64_t)recent->latest);
    /* Both kinds mixed compress worse than one, so the second must be much shorter. */
    bool use_latest = near_latest < near_source / 16;
    code = TD_THG_CODE_DELTA + (use_latest ? near_latest * 2 + 1 : near_source * 2);
  }
  td_thg_remember(recent, target);
  return put(w, code);
}

static bool put_targets(struct writer *w) {
  const struct td_thg *graph = w->graph;
  struct td_thg_memory memory;
  bool done = td_thg_memory_new(&memory, graph->shapes, graph->shape_count);
  if (!done) td_thg_fail_memory(w->error, w->path, "its references");
  for (uint32_t i = 0; done && i < graph->object_count; i++) {
    struct td_thg_recent *recent = memory.recent + memory.first[graph->shape_of[i]];
    bool is_bitmap = graph->shapes[graph->shape_of[i]].kind == TD_THG_BITMAP;
    for (uint64_t r = graph->first_ref[i]; done && r < graph->first_ref[i + 1]; r++) {
      done = put_target(w, i, graph->refs[r], recent);
      recent += is_bitmap;
    }
  }
  td_thg_memory_free(&memory);
  return done;
}

static bool put_roots(struct writer *w) {
  uint32_t before = 0;
  for (uint32_t r = 0; r < w->graph->root_count; r++) {
    if (!put(w, td_thg_zigzag((int64_t)w->graph->roots[r] - (int64_t)before))) return false;
    before = w->graph->roots[r];
  }
  return true;
}

static bool put_about(struct writer *w) {
  size_t length = w->graph->about ? strlen(w->graph->about) : 0;
  if (length > TD_THG_ABOUT_MAX) length = TD_THG_ABOUT_MAX;
  if (length) memcpy(w->raw, w->graph->about, length);
  w->raw_used = length;
  return true;
}

static bool write_streams(struct writer *w) {
  static bool (*const puts[TD_THG_STREAM_COUNT])(struct writer *) = {
      put_shapes, put_shape_of, put_sizes, put_targets, put_roots, put_about,
  };
  uint64_t offset = td_thg_header_bytes(TD_THG_STREAM_COUNT);
  if (lseek(w->file, (off_t)offset, SEEK_SET) < 0) return fail_system(w, "seek");
  for (uint32_t s = 0; s < TD_THG_STREAM_COUNT; s++) {
    w->entry = &w->header.entries[s];
    w->entry->stream = s + 1;
    XXH64_reset(w->sum, 0);
    if (!puts[s](w) || !flush(w, true)) return false;
    w->entry->sum = XXH64_digest(w->sum);
    offset += w->entry->stored_bytes;
  }
  w->header.file_bytes = offset;
  return true;
}

static bool write_header(struct writer *w) {
  uint8_t bytes[TD_THG_FIXED_BYTES + TD_THG_STREAM_COUNT * TD_THG_ENTRY_BYTES + TD_THG_SUM_BYTES];
  td_thg_header_encode(&w->header, bytes);
  if (lseek(w->file, 0, SEEK_SET) < 0) return fail_system(w, "seek");
  return write_all(w, bytes, sizeof bytes);
}

/* Beside the file itself, so that the rename stays within one file system. */
static bool open_temporary(struct writer *w) {
  struct stat status;
  if (stat(w->path, &status) == 0 && !S_ISREG(status.st_mode)) {
    return td_thg_fail(w->error, TD_THG_NO_RESOURCES, 0,
                       "%s: there is something that is not a file", w->path);
  }
  size_t capacity = strlen(w->path) + 40;
  w->temporary = malloc(capacity);
  if (!w->temporary) return td_thg_fail_memory(w->error, w->path, "its name");
  for (int attempt = 0; attempt < 100; attempt++) {
    snprintf(w->temporary, capacity, "%s.%ld-%d.part", w->path, (long)getpid(), attempt);
    w->file = open(w->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (w->file >= 0 || errno != EEXIST) break;
  }
  if (w->file >= 0) return true;
  fail_system(w, "create a file beside it");
  free(w->temporary);
  w->temporary = NULL;
  return false;
}

/* A rename is on disk only when the folder is.  Some file systems do not sync folders: what is
 * lost then is only the promise for a power cut. */
static void sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  char *folder = slash ? strndup(path, length) : strdup(".");
  if (!folder) return;
  int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(folder);
  if (file < 0) return;
  fsync(file);
  close(file);
}

static bool settle(struct writer *w) {
  if (fsync(w->file) != 0) return fail_system(w, "sync");
  int file = w->file;
  w->file = -1;
  if (close(file) != 0) return fail_system(w, "close");
  if (rename(w->temporary, w->path) != 0) return fail_system(w, "rename");
  free(w->temporary);
  w->temporary = NULL;
  sync_folder(w->path);
  return true;
}

static bool prepare(struct writer *w) {
  w->zstd = ZSTD_createCCtx();
  w->sum = XXH64_createState();
  w->raw = malloc(RAW_BYTES);
  w->packed_bytes = ZSTD_CStreamOutSize();
  w->packed = malloc(w->packed_bytes);
  if (!w->zstd || !w->sum || !w->raw || !w->packed) {
    return td_thg_fail_memory(w->error, w->path, "compressing");
  }
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
  const struct td_thg *graph = w->graph;
  w->header = (struct td_thg_header){
      .version = TD_THG_VERSION,
      .stream_count = TD_THG_STREAM_COUNT,
      .object_count = graph->object_count,
      .ref_count = graph->ref_count,
      .root_count = graph->root_count,
      .shape_count = graph->shape_count,
  };
  /* Progress counts raw bytes: about one a value, two a reference. */
  w->total = (uint64_t)graph->object_count * 2 + graph->ref_count * 2 + 1;
  return true;
}

bool td_thg_write(const char *path, const struct td_thg *graph,
                  const struct td_thg_progress *progress, struct td_thg_error *error) {
  struct writer w = {
      .graph = graph, .progress = progress, .error = error, .path = path, .file = -1};
  bool done =
      prepare(&w) && open_temporary(&w) && write_streams(&w) && write_header(&w) && settle(&w);
  if (w.file >= 0) close(w.file);
  if (w.temporary) {
    unlink(w.temporary);
    free(w.temporary);
  }
  ZSTD_freeCCtx(w.zstd);
  XXH64_freeState(w.sum);
  free(w.raw);
  free(w.packed);
  if (done) td_thg_report(progress, "compressing", w.total, w.total);
  return done;
}
