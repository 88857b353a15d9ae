#include "bench/bdwgc/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli/child.h"
#include "bench/cli/cleanup.h"
#include "bench/cli/clock.h"
#include "bench/cli/complain.h"

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

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int reap(const struct td_run *run, pid_t child, struct td_run_figures *figures) {
  struct rusage usage;
  int ended;
  while (wait4(child, &ended, 0, &usage) < 0)
    if (errno != EINTR) return td_complain(TD_EXIT_RESOURCES, "%s: lost", run->command);
  td_cleanup_forget_child(child);
  figures->cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  figures->peak_mib = (double)usage.ru_maxrss / 1024;
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

int td_run_measure(const struct td_run *run, struct td_run_figures *figures) {
  char shell[] = "sh", option[] = "-c";
  char *line, *arguments[] = {shell, option, NULL, NULL};
  int ends[2], nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  pid_t child;
  *figures = (struct td_run_figures){.cpu_s = 0};
  if (nothing < 0 || pipe2(ends, O_CLOEXEC) != 0 ||
      asprintf(&line, "cd '%s' && %s", run->folder, run->command) < 0)
    return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: %s", strerror(errno));
  arguments[2] = line;
  set_environment(run);
  uint64_t begin = td_now_ns();
  int error = td_child_start(
      &(struct td_child_start){
          .arguments = arguments, .in = nothing, .out = nothing, .errors = ends[1]},
      &child);
  free(line);
  close(nothing);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: sh: %s", strerror(error));
  }
  read_lines(ends[0], figures);
  int status = reap(run, child, figures);
  figures->wall_s = (double)(td_now_ns() - begin) / 1e9;
  return status;
}
