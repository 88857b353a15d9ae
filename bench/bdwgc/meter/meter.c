/* SPDX-License-Identifier: MIT */
/* Runs one command and tells on standard output what it took: four numbers and a status.
 *
 *   user_us system_us wall_us peak_kib status      the last as waitpid stores it
 *
 * It is a program of its own because of the peak. A process that was forked counts what its parent
 * had in memory at that moment, so the parent of what is measured must be small. Standard output of
 * the command goes nowhere; its standard error is ours. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { USAGE = 2, RESOURCES = 4, NOT_STARTED = 127 };

static long long now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static long long us_of(struct timeval time) {
  return (long long)time.tv_sec * 1000000 + time.tv_usec;
}

static _Noreturn void become(char **command, int nothing) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(nothing, STDOUT_FILENO);
  execvp(command[0], command);
  fprintf(stderr, "tidemark-meter: %s: %s\n", command[0], strerror(errno));
  _exit(NOT_STARTED);
}

int main(int argc, char **argv) {
  struct rusage usage;
  int status;
  if (argc < 2) {
    fputs("usage: tidemark-meter COMMAND [ARGUMENT…]\n", stderr);
    return USAGE;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  long long begin = now_us();
  pid_t child = nothing < 0 ? -1 : fork();
  if (child < 0) {
    fprintf(stderr, "tidemark-meter: %s: %s\n", argv[1], strerror(errno));
    return RESOURCES;
  }
  if (child == 0) become(argv + 1, nothing);
  while (wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) return RESOURCES;
  printf("%lld %lld %lld %ld %d\n", us_of(usage.ru_utime), us_of(usage.ru_stime), now_us() - begin,
         usage.ru_maxrss, status);
  return fflush(stdout) == 0 ? EXIT_SUCCESS : RESOURCES;
}
