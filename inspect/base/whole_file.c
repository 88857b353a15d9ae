#include "inspect/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
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
  int descriptor = create_exclusively(whole, length), reason = errno;
  if (descriptor >= 0) {
    whole->file = fdopen(descriptor, "w");
    if (whole->file) return 0;
    reason = errno;
    close(descriptor);
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

int td_whole_file_commit(struct td_whole_file *whole) {
  int reason = 0;
  if (ferror(whole->file)) reason = EIO; /* whoever wrote it knows better */
  if (!reason && fflush(whole->file) != 0) reason = errno;
  if (!reason && fsync(fileno(whole->file)) != 0) reason = errno;
  if (fclose(whole->file) != 0 && !reason) reason = errno;
  if (!reason && rename(whole->temporary, whole->path) != 0) reason = errno;
  if (reason)
    unlink(whole->temporary);
  else
    sync_folder(whole->path);
  forget(whole);
  return reason;
}

void td_whole_file_discard(struct td_whole_file *whole) {
  if (whole->file) {
    fclose(whole->file);
    unlink(whole->temporary);
  }
  forget(whole);
}

const char *td_whole_file_reason(int result) {
  return result == TD_NOT_A_FILE ? "not a regular file" : strerror(result);
}
