/* SPDX-License-Identifier: MIT */
#include "bench/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cli/cleanup.h"
#include "bench/cli/complain.h"

static int fail_on(const char *path) {
  return td_complain(TD_EXIT_RESOURCES, "cannot write '%s': %s", path, strerror(errno));
}

static bool is_stdout(const char *path) {
  return strcmp(path, "-") == 0;
}

/* ---- Where files go -------------------------------------------------------------------- */

/* Returns the folder of a path, to be freed, or NULL without memory. */
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return strdup(".");
  return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Can a file be made there? */
static int check(const char *path) {
  if (is_stdout(path)) return TD_EXIT_OK;
  struct stat what;
  if (stat(path, &what) == 0) {
    if (S_ISREG(what.st_mode)) return TD_EXIT_OK;
    return td_complain(TD_EXIT_RESOURCES, "cannot write '%s': it is not a regular file", path);
  }
  char *folder = folder_of(path);
  if (!folder) return td_complain(TD_EXIT_RESOURCES, "not enough memory to write '%s'", path);
  int status = access(folder, W_OK | X_OK) == 0 ? TD_EXIT_OK : fail_on(path);
  free(folder);
  return status;
}

static bool are_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Would the second file replace the first? They need not be there yet. */
static bool collide(const char *a, const char *b) {
  if (is_stdout(a) || is_stdout(b)) return is_stdout(a) && is_stdout(b);
  struct stat one, other;
  if (stat(a, &one) == 0 && stat(b, &other) == 0) return are_same(&one, &other);
  if (strcmp(name_of(a), name_of(b)) != 0) return false;
  char *folder_a = folder_of(a), *folder_b = folder_of(b);
  bool same = folder_a && folder_b && stat(folder_a, &one) == 0 && stat(folder_b, &other) == 0 &&
              are_same(&one, &other);
  free(folder_a);
  free(folder_b);
  return same;
}

int td_outputs_check(const char *command, const struct td_output_option *options, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *path = options[i].path;
    if (!path) continue;
    if (is_stdout(path) && !options[i].may_be_stdout)
      return td_complain(TD_EXIT_USAGE, "%s: --%s: '-': standard output is for text and --json",
                         command, options[i].name);
    int status = check(path);
    if (status != TD_EXIT_OK) return status;
    for (size_t j = 0; j < i; j++)
      if (options[j].path && collide(path, options[j].path))
        return td_complain(TD_EXIT_USAGE, "%s: --%s and --%s write the same file '%s'", command,
                           options[j].name, options[i].name, path);
  }
  return TD_EXIT_OK;
}

/* ---- Writing --------------------------------------------------------------------------- */

static void forget(struct td_output *output) {
  free(output->path);
  free(output->temporary);
  *output = (struct td_output){0};
}

/* Makes the temporary file and notes it. Returns its descriptor, or -1 with errno set. */
static int make_temporary(const struct td_output *output) {
  sigset_t before;
  td_cleanup_hold(&before);
  int descriptor = mkostemp(output->temporary, O_CLOEXEC);
  if (descriptor >= 0 && !td_cleanup_note_file(output->temporary)) {
    close(descriptor);
    unlink(output->temporary);
    descriptor = -1;
    errno = EMFILE;
  }
  td_cleanup_release(&before);
  return descriptor;
}

static void remove_temporary(const struct td_output *output) {
  unlink(output->temporary);
  td_cleanup_forget_file(output->temporary);
}

int td_output_open(struct td_output *output, const char *path) {
  *output = (struct td_output){0};
  if (is_stdout(path)) {
    output->file = stdout;
    return TD_EXIT_OK;
  }
  int status = check(path);
  if (status != TD_EXIT_OK) return status;
  output->path = strdup(path);
  if (!output->path || asprintf(&output->temporary, "%s.XXXXXX", path) < 0) {
    output->temporary = NULL;
    forget(output);
    return td_complain(TD_EXIT_RESOURCES, "not enough memory to write '%s'", path);
  }
  int descriptor = make_temporary(output);
  if (descriptor >= 0) {
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask); /* mkostemp makes it private; an ordinary file is not */
    output->file = fdopen(descriptor, "w");
    if (output->file) return TD_EXIT_OK;
    close(descriptor);
    remove_temporary(output);
  }
  status = fail_on(path);
  forget(output);
  return status;
}

int td_output_commit(struct td_output *output) {
  int status = TD_EXIT_OK;
  if (!output->path) {
    if (fflush(output->file) != 0 || ferror(output->file)) status = fail_on("standard output");
    *output = (struct td_output){0};
    return status;
  }
  bool failed = ferror(output->file) != 0;
  if (fclose(output->file) != 0 || failed || rename(output->temporary, output->path) != 0) {
    status = fail_on(output->path);
    unlink(output->temporary);
  }
  td_cleanup_forget_file(output->temporary);
  forget(output);
  return status;
}

void td_output_discard(struct td_output *output) {
  if (output->path) {
    fclose(output->file);
    remove_temporary(output);
  }
  forget(output);
}

int td_stdout_close(int status) {
  if ((fflush(stdout) == 0 && !ferror(stdout)) || status != TD_EXIT_OK) return status;
  return td_complain(TD_EXIT_RESOURCES, "cannot write to standard output");
}
