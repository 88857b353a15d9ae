/* SPDX-License-Identifier: MIT */
#include "bench/bdwgc/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli/child.h"
#include "bench/cli/complain.h"
#include "bench/cli/place.h"

/* What either library says of a collection on standard error. */
static void read_line(const char *line, struct td_run_figures *figures) {
  unsigned long ms, ns, us;
  const char *pause = strstr(line, "; pause ");
  if (strncmp(line, "tidemark: libgc: collection ", 28) == 0 && pause &&
      sscanf(pause, "; pause %lu us", &us) == 1) {
    double seconds = (double)us / 1e6;
    figures->collections++;
    figures->collecting_s += seconds;
    if (seconds > figures->longest_pause_s) figures->longest_pause_s = seconds;
  } else if (sscanf(line, "Complete collection took %lu ms %lu ns", &ms, &ns) == 2) {
    figures->collections++;
    figures->collecting_s += (double)ms / 1e3 + (double)ns / 1e9;
  } else if (sscanf(line, "World-stopped marking took %lu ms %lu ns", &ms, &ns) == 2) {
    double seconds = (double)ms / 1e3 + (double)ns / 1e9;
    if (seconds > figures->longest_pause_s) figures->longest_pause_s = seconds;
  }
}

static void read_lines(int end, struct td_run_figures *figures) {
  FILE *lines = fdopen(end, "r");
  char *line = NULL;
  size_t bytes = 0;
  if (!lines) {
    close(end);
    return;
  }
  while (getline(&line, &bytes, lines) >= 0)
    read_line(line, figures);
  free(line);
  fclose(lines);
}

/* What tidemark-meter says. Returns an exit status. */
static int read_figures(const struct td_run *run, int end, struct td_run_figures *figures) {
  long long user, system, wall;
  long peak;
  int ended, read = 0;
  FILE *line = fdopen(end, "r");
  if (line) {
    read = fscanf(line, "%lld %lld %lld %ld %d", &user, &system, &wall, &peak, &ended);
    fclose(line);
  } else {
    close(end);
  }
  if (read != 5) return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: '%s': lost", run->command);
  figures->cpu_s = (double)(user + system) / 1e6;
  figures->wall_s = (double)wall / 1e6;
  figures->peak_mib = (double)peak / 1024;
  if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) return TD_EXIT_OK;
  return td_complain(TD_EXIT_CHECK, "bdwgc-bench: '%s' failed on %s", run->command,
                     run->libgc ? "Tidemark" : "the system's libgc");
}

/* The child's environment is ours at the moment it starts. */
static void set_environment(const struct td_run *run) {
  setenv("IN", run->inputs, 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  setenv("HOME", run->folder, 1);
  if (run->libgc)
    setenv("LD_LIBRARY_PATH", run->libgc, 1);
  else
    unsetenv("LD_LIBRARY_PATH");
  if (run->told)
    setenv("GC_PRINT_STATS", "1", 1);
  else
    unsetenv("GC_PRINT_STATS");
}

/* The ends of two pipes that we read from, and those that the meter writes to. */
struct pipes {
  int errors[2], figures[2];
};

static void close_pair(const int ends[2]) {
  close(ends[0]);
  close(ends[1]);
}

static bool open_pipes(struct pipes *pipes) {
  if (pipe2(pipes->errors, O_CLOEXEC) != 0) return false;
  if (pipe2(pipes->figures, O_CLOEXEC) == 0) return true;
  close_pair(pipes->errors);
  return false;
}

/* Starts the meter with the command. Returns 0 or an error number. */
static int start(const struct td_run *run, const struct pipes *pipes, pid_t *child) {
  char meter[TD_PLACE_BYTES], shell[] = "sh", option[] = "-c";
  char *line, *arguments[] = {meter, shell, option, NULL, NULL};
  if (!td_place_find(meter, "tidemark-meter", "../libexec/tidemark/tidemark-meter",
                     TD_INSTALLED_LIBEXEC "/tidemark-meter", NULL))
    return ENOENT;
  if (asprintf(&line, "cd '%s' && %s", run->folder, run->command) < 0) return ENOMEM;
  arguments[3] = line;
  int error, nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) {
    error = errno;
  } else {
    set_environment(run);
    error = td_child_start(&(struct td_child_start){.arguments = arguments,
                                                    .in = nothing,
                                                    .out = pipes->figures[1],
                                                    .errors = pipes->errors[1]},
                           child);
    close(nothing);
  }
  free(line);
  return error;
}

int td_run_measure(const struct td_run *run, struct td_run_figures *figures) {
  struct pipes pipes;
  pid_t child = -1;
  *figures = (struct td_run_figures){.cpu_s = 0};
  if (!open_pipes(&pipes))
    return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: %s", strerror(errno));
  int error = start(run, &pipes, &child);
  if (error) {
    close_pair(pipes.errors);
    close_pair(pipes.figures);
    return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: tidemark-meter: %s", strerror(error));
  }
  close(pipes.errors[1]);
  close(pipes.figures[1]);
  read_lines(pipes.errors[0], figures);
  int status = read_figures(run, pipes.figures[0], figures);
  td_child_wait(child);
  return status;
}
