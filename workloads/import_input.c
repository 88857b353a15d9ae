/* SPDX-License-Identifier: MIT */
#include "workloads/import_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_read(struct td_import_input *input, int why) {
  return td_thg_fail(input->error, TD_THG_BAD_INPUT, input->offset,
                     "%s: offset %" PRIu64 ": cannot read: %s", input->name, input->offset,
                     strerror(why));
}

/* What is not a regular file is read as a pipe. */
static bool look_at_file(struct td_import_input *input, bool may_be_pipe) {
  struct stat status;
  if (fstat(input->file, &status) != 0) return td_thg_fail_open(input->error, input->name, errno);
  if (S_ISREG(status.st_mode)) {
    off_t at = lseek(input->file, 0, SEEK_CUR);
    uint64_t bytes = (uint64_t)status.st_size;
    input->base = at > 0 ? (uint64_t)at : 0;
    input->length = input->base < bytes ? bytes - input->base : 0;
    return true;
  }
  input->is_pipe = true;
  input->length = TD_INPUT_UNKNOWN;
  return may_be_pipe ||
         td_thg_fail(input->error, TD_THG_BAD_INPUT, 0,
                     "%s: not a regular file (a pipe is read as standard input, -)", input->name);
}

bool td_input_open(struct td_import_input *input, const char *path, struct td_thg_error *error) {
  bool is_standard = strcmp(path, "-") == 0;
  *input = (struct td_import_input){
      .name = is_standard ? "standard input" : path, .error = error, .spool = -1};
  /* Without O_NONBLOCK a named pipe would make us wait until its other end is opened. */
  input->file = is_standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                            : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (input->file < 0) return td_thg_fail_open(input->error, input->name, errno);
  if (look_at_file(input, is_standard)) return true;
  td_input_close(input);
  return false;
}

void td_input_open_bytes(struct td_import_input *input, const void *bytes, uint64_t length,
                         const char *name, struct td_thg_error *error) {
  *input = (struct td_import_input){.name = name,
                                    .error = error,
                                    .memory = length ? bytes : (const uint8_t *)"",
                                    .length = length,
                                    .file = -1,
                                    .spool = -1};
}

void td_input_close(struct td_import_input *input) {
  if (input->file >= 0) close(input->file);
  if (input->spool >= 0) close(input->spool);
  input->file = input->spool = -1;
}

void td_input_rewind(struct td_import_input *input, bool is_last) {
  input->offset = 0;
  input->is_last = is_last;
}

void td_input_skip(struct td_import_input *input, uint64_t count) {
  input->offset += count;
}

/* ---- Pipes -------------------------------------------------------------------------------- */

/* /var/tmp and not /tmp: dumps are large, and /tmp is often memory. */
static bool open_spool(struct td_import_input *input) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  if (!folder || !folder[0]) folder = "/var/tmp";
  snprintf(path, sizeof path, "%s/tidemark-XXXXXX", folder);
  input->spool = mkostemp(path, O_CLOEXEC);
  if (input->spool < 0) {
    return td_thg_fail(input->error, TD_THG_NO_RESOURCES, 0,
                       "%s: cannot create a file in %s (TMPDIR) to keep it in: %s", input->name,
                       folder, strerror(errno));
  }
  unlink(path);
  return true;
}

static bool keep(struct td_import_input *input, const uint8_t *bytes, size_t count) {
  if (input->spool < 0 && !open_spool(input)) return false;
  while (count > 0) {
    ssize_t wrote = pwrite(input->spool, bytes, count, (off_t)input->kept);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      return td_thg_fail(input->error, TD_THG_NO_RESOURCES, 0,
                         "%s: cannot keep it in a temporary file (TMPDIR): %s", input->name,
                         wrote < 0 ? strerror(errno) : "nothing was written");
    }
    bytes += wrote;
    count -= (size_t)wrote;
    input->kept += (uint64_t)wrote;
  }
  return true;
}

/* The program that started us may have made standard input one that does not wait. */
static bool wait_for_bytes(struct td_import_input *input) {
  struct pollfd one = {.fd = input->file, .events = POLLIN};
  return poll(&one, 1, -1) >= 0 || errno == EINTR || fail_read(input, errno);
}

static bool read_pipe(struct td_import_input *input, uint8_t *buffer, size_t room, size_t *got) {
  ssize_t count;
  while ((count = read(input->file, buffer, room)) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return fail_read(input, errno);
    if (!wait_for_bytes(input)) return false;
  }
  *got = (size_t)count;
  if (count == 0) input->length = input->offset;
  return count == 0 || input->is_last || keep(input, buffer, *got);
}

/* ---- Reading ------------------------------------------------------------------------------ */

static bool read_file(struct td_import_input *input, int file, uint64_t at, uint8_t *buffer,
                      size_t room, size_t *got) {
  ssize_t count;
  do {
    count = pread(file, buffer, room, (off_t)at);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return fail_read(input, errno);
  if (count == 0) {
    return td_thg_fail(input->error, TD_THG_BAD_INPUT, input->offset,
                       "%s: offset %" PRIu64 ": the file became shorter", input->name,
                       input->offset);
  }
  *got = (size_t)count;
  return true;
}

bool td_input_read(struct td_import_input *input, uint8_t *buffer, size_t room, size_t *got) {
  uint64_t left = (input->offset < input->kept ? input->kept : input->length) - input->offset;
  bool done = true;
  *got = 0;
  if (left < room) room = (size_t)left;
  if (room == 0) return true;
  if (input->memory) {
    memcpy(buffer, input->memory + input->offset, room);
    *got = room;
  } else if (!input->is_pipe) {
    done = read_file(input, input->file, input->base + input->offset, buffer, room, got);
  } else if (input->offset < input->kept) {
    done = read_file(input, input->spool, input->offset, buffer, room, got);
  } else {
    done = read_pipe(input, buffer, room, got);
  }
  input->offset += *got;
  return done;
}
