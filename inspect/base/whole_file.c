/* SPDX-License-Identifier: MIT */
#include "inspect/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ".", 16 digits, ".part" and the terminator. */
#define SUFFIX_BYTES 24u
#define ATTEMPTS 100

static void forget(struct td_whole_file *whole) {
  free(whole->path);
  free(whole->temporary);
  *whole = (struct td_whole_file){0};
}

static char *copy(const char *text, size_t bytes, size_t room) {
  char *fresh = malloc(bytes + room);
  if (fresh) memcpy(fresh, text, bytes);
  return fresh;
}

/* ---- The FILE: stdio's own would give up where a signal interrupts a write ---- */

static ssize_t write_all(void *cookie, const char *bytes, size_t count) {
  struct td_whole_file *whole = cookie;
  size_t done = 0;
  while (done < count) {
    ssize_t wrote = write(whole->descriptor, bytes + done, count - done);
    if (wrote >= 0) {
      done += (size_t)wrote;
    } else if (errno != EINTR) {
      if (!whole->reason) whole->reason = errno;
      break;
    }
  }
  return (ssize_t)done; /* fewer than count: stdio notes an error */
}

static int seek(void *cookie, off64_t *offset, int whence) {
  off_t at = lseek(((struct td_whole_file *)cookie)->descriptor, *offset, whence);
  if (at < 0) return -1;
  *offset = at;
  return 0;
}

static FILE *open_file(struct td_whole_file *whole) {
  return fopencookie(whole, "w", (cookie_io_functions_t){.write = write_all, .seek = seek});
}

/* ---- Its life ---- */

/* Returns a descriptor, or -1 with errno set. The mode is left to the umask: mkostemp's files are
 * private, and to learn the umask means to change it for all threads. */
static int create_exclusively(struct td_whole_file *whole, size_t length) {
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    uint64_t random;
    if (getentropy(&random, sizeof random) != 0) return -1;
    snprintf(whole->temporary + length, SUFFIX_BYTES, ".%016llx.part", (unsigned long long)random);
    int descriptor =
        open(whole->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

int td_whole_file_create(struct td_whole_file *whole, const char *path) {
  *whole = (struct td_whole_file){0};
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) return TD_NOT_A_FILE;
  size_t length = strlen(path);
  whole->path = copy(path, length + 1, 0);
  whole->temporary = copy(path, length, SUFFIX_BYTES);
  if (!whole->path || !whole->temporary) {
    forget(whole);
    return ENOMEM;
  }
  whole->descriptor = create_exclusively(whole, length);
  int reason = errno;
  if (whole->descriptor >= 0) {
    whole->file = open_file(whole);
    if (whole->file) return 0;
    reason = errno;
    close(whole->descriptor);
    unlink(whole->temporary);
  }
  forget(whole);
  return reason;
}

/* A rename is on disk only when the folder is. Some file systems do not sync folders: what is lost
 * then is only the promise for a power cut, so nothing is said about failures. */
static void sync_folder(char *path) {
  char *slash = strrchr(path, '/');
  if (slash) slash[1] = 0;
  int folder = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

/* Returns whether all of it was written. */
static bool finish(struct td_whole_file *whole) {
  bool failed = fflush(whole->file) != 0 || ferror(whole->file);
  if (!failed && fsync(whole->descriptor) != 0) {
    whole->reason = errno;
    failed = true;
  }
  fclose(whole->file); /* frees it: nothing is left to be written, or it does not matter */
  if (close(whole->descriptor) != 0 && !failed) {
    whole->reason = errno;
    failed = true;
  }
  return !failed;
}

int td_whole_file_commit(struct td_whole_file *whole) {
  bool done = finish(whole);
  int reason = whole->reason ? whole->reason : EIO;
  if (done && rename(whole->temporary, whole->path) != 0) {
    reason = errno;
    done = false;
  }
  if (done)
    sync_folder(whole->path);
  else
    unlink(whole->temporary);
  forget(whole);
  return done ? 0 : reason;
}

void td_whole_file_discard(struct td_whole_file *whole) {
  if (whole->file) {
    fclose(whole->file);
    close(whole->descriptor);
    unlink(whole->temporary);
  }
  forget(whole);
}

const char *td_whole_file_reason(int result) {
  return result == TD_NOT_A_FILE ? "not a regular file" : strerror(result);
}
