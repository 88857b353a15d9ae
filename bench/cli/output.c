#include "bench/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cli/complain.h"

static int fail_on(const char *path) {
  return td_complain(TD_EXIT_RESOURCES, "cannot write '%s': %s", path, strerror(errno));
}

static void forget(struct td_output *output) {
  free(output->path);
  free(output->temporary);
  *output = (struct td_output){0};
}

int td_output_open(struct td_output *output, const char *path) {
  *output = (struct td_output){0};
  if (strcmp(path, "-") == 0) {
    output->file = stdout;
    return TD_EXIT_OK;
  }
  int status = td_output_check(path);
  if (status != TD_EXIT_OK) return status;
  output->path = strdup(path);
  if (!output->path || asprintf(&output->temporary, "%s.XXXXXX", path) < 0) {
    output->temporary = NULL;
    forget(output);
    return td_complain(TD_EXIT_RESOURCES, "no memory to write '%s'", path);
  }
  int descriptor = mkostemp(output->temporary, O_CLOEXEC);
  if (descriptor >= 0) {
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask); /* mkostemp makes it private; an ordinary file is not */
    output->file = fdopen(descriptor, "w");
    if (output->file) return TD_EXIT_OK;
    close(descriptor);
    unlink(output->temporary);
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
  forget(output);
  return status;
}

void td_output_discard(struct td_output *output) {
  if (output->path) {
    fclose(output->file);
    unlink(output->temporary);
  }
  forget(output);
}

int td_output_check(const char *path) {
  if (!path || strcmp(path, "-") == 0) return TD_EXIT_OK;
  struct stat what;
  if (stat(path, &what) == 0) {
    if (S_ISREG(what.st_mode)) return TD_EXIT_OK;
    return td_complain(TD_EXIT_RESOURCES, "cannot write '%s': it is not a regular file", path);
  }
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (slash == path) length = 1; /* "/name" lies in "/" */
  char *folder = length ? strndup(path, length) : strdup(".");
  if (!folder) return td_complain(TD_EXIT_RESOURCES, "no memory to write '%s'", path);
  int status = access(folder, W_OK | X_OK) == 0 ? TD_EXIT_OK : fail_on(path);
  free(folder);
  return status;
}
