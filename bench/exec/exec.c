/* SPDX-License-Identifier: MIT */
#include "bench/exec/exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/args.h"
#include "bench/cli/complain.h"
#include "bench/cli/place.h"
#include "bench/exec/uses.h"

char *td_exec_library_folder(void) {
  char library[TD_PLACE_BYTES];
  bool found = td_place_find(library, "bdwgc/libgc.so.1",
                             "../" TD_INSTALLED_LIB "/tidemark/bdwgc/libgc.so.1",
                             TD_INSTALLED_BDWGC "/libgc.so.1", NULL);
  char *real = found ? realpath(library, NULL) : NULL;
  if (real)
    *strrchr(real, '/') = '\0';
  else
    td_complain(
        TD_EXIT_RESOURCES,
        "no libgc.so.1 of Tidemark: neither bdwgc/libgc.so.1 beside this program (the target "
        "tidemark_bdwgc builds it) nor " TD_INSTALLED_BDWGC "/libgc.so.1");
  return real;
}

char *td_exec_look_up(const char *name) {
  if (strchr(name, '/')) return strdup(name);
  const char *list = getenv("PATH");
  for (const char *at = list ? list : "/usr/bin:/bin"; *at;) {
    size_t length = strcspn(at, ":");
    char *path;
    if (asprintf(&path, "%.*s/%s", (int)length, at, name) < 0) return NULL;
    if (access(path, X_OK) == 0) return path;
    free(path);
    at += length + (at[length] == ':');
  }
  return NULL;
}

/* Our folder comes before those that the loader would look in. */
static int set_path(const char *folder) {
  const char *before = getenv("LD_LIBRARY_PATH");
  bool more = before && *before;
  char *path;
  if (asprintf(&path, "%s%s%s", folder, more ? ":" : "", more ? before : "") < 0 ||
      setenv("LD_LIBRARY_PATH", path, 1) != 0)
    return td_complain(TD_EXIT_RESOURCES, "exec: out of memory");
  free(path);
  return TD_EXIT_OK;
}

static int run(char **arguments) {
  char *folder = td_exec_library_folder();
  if (!folder) return TD_EXIT_RESOURCES;
  char *program = td_exec_look_up(arguments[0]);
  if (program && !td_exec_may_use_libgc(program))
    td_note("%s does not use libgc.so.1: it runs as it would without Tidemark", program);
  free(program);
  int status = set_path(folder);
  free(folder);
  if (status != TD_EXIT_OK) return status;
  execvp(arguments[0], arguments);
  return td_complain(errno == ENOENT ? TD_EXIT_USAGE : TD_EXIT_RESOURCES, "exec: %s: %s",
                     arguments[0], strerror(errno));
}

int td_command_exec(int argc, char **argv) {
  struct td_words words = {.count = 0};
  const struct td_usage usage = {
      .command = "exec",
      .summary =
          "Runs a program that was written for Boehm GC on Tidemark: sets LD_LIBRARY_PATH so\n"
          "that it loads our libgc.so.1, and becomes the program. Nothing else changes.\n"
          "docs/boehm.md tells what differs, and which variables GC_ and TIDE_ there are.",
      .positional = "PROGRAM [ARGUMENT…]",
      .words = &words,
      .words_min = 1,
      .words_max = 1};
  if (argc > 1 && argv[1][0] != '-') return run(argv + 1);
  if (argc > 2 && strcmp(argv[1], "--") == 0) return run(argv + 2);
  int status = td_args_parse(&usage, argc, argv);
  return status == TD_ARGS_GO_ON ? TD_EXIT_USAGE : status;
}
