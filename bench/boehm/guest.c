/* SPDX-License-Identifier: MIT */
#include "bench/boehm/guest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/cli/child.h"
#include "bench/cli/complain.h"
#include "bench/cli/place.h"
#include "bench/cli/progress.h"

struct td_boehm {
  pid_t child;
  int socket;    /* connects to the child's standard input and output */
  FILE *answers; /* reads from socket */
  char *name;    /* "boehm on SPEC" */
  char *line;    /* the last answer */
  size_t line_bytes;
};

static bool find_program(char path[TD_PLACE_BYTES]) {
  return td_place_find(path, "tidemark-boehm", "../libexec/tidemark/tidemark-boehm",
                       TD_INSTALLED_LIBEXEC "/tidemark-boehm", NULL);
}

bool td_boehm_is_there(void) {
  char path[TD_PLACE_BYTES];
  return find_program(path);
}

/* ---- Talking --------------------------------------------------------------------------- */

/* The child has closed its end of the socket: says how it died. */
static int report_death(struct td_boehm *boehm) {
  pid_t child = boehm->child;
  boehm->child = 0;
  td_progress_end();
  return td_child_complain(boehm->name, td_child_wait(child));
}

/* Talking failed on this side: the child may well be alive, and would wait for ever. */
static int give_up(struct td_boehm *boehm, const char *what) {
  int error = errno;
  pid_t child = boehm->child;
  boehm->child = 0;
  td_progress_end();
  td_child_kill(child);
  return td_complain(TD_EXIT_RESOURCES, "%s: cannot %s its process: %s", boehm->name, what,
                     strerror(error));
}

/* Reads lines until one is not about progress. *answer is that line, without its newline. */
static int read_answer(struct td_boehm *boehm, const char **answer) {
  for (;;) {
    ssize_t length = getline(&boehm->line, &boehm->line_bytes, boehm->answers);
    if (length <= 0) return feof(boehm->answers) ? report_death(boehm) : give_up(boehm, "hear");
    boehm->line[strcspn(boehm->line, "\n")] = '\0';
    uint64_t done, total;
    if (sscanf(boehm->line, "progress %" SCNu64 " %" SCNu64, &done, &total) == 2) {
      td_progress(boehm->name, done, total);
      continue;
    }
    int status, at;
    if (sscanf(boehm->line, "error %d %n", &status, &at) == 1) {
      td_progress_end();
      return td_complain(status, "%s", boehm->line + at);
    }
    *answer = boehm->line;
    return TD_EXIT_OK;
  }
}

static int ask(struct td_boehm *boehm, const char *request, const char **answer) {
  size_t length = strlen(request);
  /* MSG_NOSIGNAL: a dead child is an error to report, not a signal to die from. */
  errno = 0;
  if (send(boehm->socket, request, length, MSG_NOSIGNAL) != (ssize_t)length)
    return errno == EPIPE || errno == ECONNRESET ? report_death(boehm) : give_up(boehm, "ask");
  return read_answer(boehm, answer);
}

static int odd_answer(const struct td_boehm *boehm, const char *answer) {
  return td_complain(TD_EXIT_RESOURCES, "%s: its process answers '%s', which means nothing here",
                     boehm->name, answer);
}

int td_boehm_mark(struct td_boehm *boehm, uint64_t *mark_ns) {
  const char *answer;
  int status = ask(boehm, "mark\n", &answer);
  if (status != TD_EXIT_OK) return status;
  if (sscanf(answer, "marked %" SCNu64, mark_ns) != 1) return odd_answer(boehm, answer);
  return TD_EXIT_OK;
}

static int ask_two(struct td_boehm *boehm, const char *request, const char *word, uint64_t *first,
                   uint64_t *second) {
  const char *answer;
  int status = ask(boehm, request, &answer);
  if (status != TD_EXIT_OK) return status;
  size_t length = strlen(word);
  if (strncmp(answer, word, length) != 0 ||
      sscanf(answer + length, "%" SCNu64 " %" SCNu64, first, second) != 2)
    return odd_answer(boehm, answer);
  return TD_EXIT_OK;
}

int td_boehm_count(struct td_boehm *boehm, uint64_t *objects, uint64_t *bytes) {
  return ask_two(boehm, "count\n", "count ", objects, bytes);
}

int td_boehm_check(struct td_boehm *boehm, uint64_t *missing, uint64_t *extra) {
  return ask_two(boehm, "check\n", "checked ", missing, extra);
}

/* ---- Life ------------------------------------------------------------------------------ */

static int spawn(struct td_boehm *boehm, char *const *arguments) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return td_complain(TD_EXIT_RESOURCES, "cannot make a socket pair: %s", strerror(errno));
  const struct td_child_start start = {
      .arguments = arguments, .in = pair[1], .out = pair[1], .errors = -1};
  int error = td_child_start(&start, &boehm->child);
  close(pair[1]);
  boehm->socket = pair[0];
  if (error != 0) {
    boehm->child = 0;
    return td_complain(TD_EXIT_RESOURCES, "cannot start '%s': %s", arguments[0], strerror(error));
  }
  boehm->answers = fdopen(pair[0], "r");
  if (!boehm->answers)
    return td_complain(TD_EXIT_RESOURCES, "not enough memory to talk to Boehm GC");
  return TD_EXIT_OK;
}

static int start(struct td_boehm *boehm, char *program, const char *spec, unsigned markers,
                 bool typed, uint64_t heap_max_bytes) {
  char markers_text[16], heap_text[24], parent_text[24];
  snprintf(markers_text, sizeof markers_text, "%u", markers);
  snprintf(heap_text, sizeof heap_text, "%" PRIu64, heap_max_bytes);
  /* The child compares this with its parent's number: we might have died before the child could ask
   * the kernel to die with us. */
  snprintf(parent_text, sizeof parent_text, "%lld", (long long)getpid());
  char *spec_text = strdup(spec);
  char *kind = strdup(typed ? "typed" : "conservative");
  char *arguments[] = {program, spec_text, markers_text, kind, heap_text, parent_text, NULL};
  int status = spec_text && kind
                   ? spawn(boehm, arguments)
                   : td_complain(TD_EXIT_RESOURCES, "not enough memory to start Boehm GC");
  free(spec_text);
  free(kind);
  if (status != TD_EXIT_OK) return status;
  const char *answer;
  status = read_answer(boehm, &answer);
  if (status == TD_EXIT_OK && strncmp(answer, "ready", 5) != 0) return odd_answer(boehm, answer);
  return status;
}

int td_boehm_start(const char *spec, unsigned markers, bool typed, uint64_t heap_max_bytes,
                   struct td_boehm **result) {
  *result = NULL;
  char program[TD_PLACE_BYTES];
  if (!find_program(program))
    return td_complain(TD_EXIT_RESOURCES,
                       "the boehm engine is not built: install Boehm GC's headers "
                       "(Debian: libgc-dev) and build again");
  struct td_boehm *boehm = calloc(1, sizeof *boehm);
  int status;
  if (!boehm || asprintf(&boehm->name, "boehm%s on %s", typed ? "-typed" : "", spec) < 0) {
    if (boehm) boehm->name = NULL;
    status = td_complain(TD_EXIT_RESOURCES, "not enough memory to start Boehm GC");
  } else {
    boehm->socket = -1;
    status = start(boehm, program, spec, markers, typed, heap_max_bytes);
  }
  if (status == TD_EXIT_OK)
    *result = boehm;
  else
    td_boehm_stop(boehm);
  return status;
}

void td_boehm_stop(struct td_boehm *boehm) {
  if (!boehm) return;
  /* The child is killed, not asked: it holds nothing of value, and unmapping gigabytes is slow. */
  if (boehm->child > 0) td_child_kill(boehm->child);
  if (boehm->answers)
    fclose(boehm->answers);
  else if (boehm->socket > 0)
    close(boehm->socket);
  free(boehm->name);
  free(boehm->line);
  free(boehm);
}
