/* SPDX-License-Identifier: MIT */
/* The tidemark program: finds the subcommand and runs it.
 *
 * A new subcommand NAME gets a folder bench/NAME with a header that declares
 * int td_command_NAME(int argc, char **argv), and a line in the table below. The build picks up
 * every C file of the folder. Programs that ours starts are listed in bench/CMakeLists.txt. */
#include <stdio.h>
#include <string.h>

#include "bench/bdwgc/bdwgc.h"
#include "bench/cli/cleanup.h"
#include "bench/cli/complain.h"
#include "bench/cli/nearest.h"
#include "bench/cli/output.h"
#include "bench/compare/compare.h"
#include "bench/compare/mark.h"
#include "bench/engines/engines.h"
#include "bench/exec/exec.h"
#include "bench/gcbench/gcbench.h"
#include "bench/graph/graph.h"
#include "bench/import/import.h"
#include "bench/limit/limit.h"
#include "bench/queue/queue.h"
#include "tide/tide.h"

struct command {
  const char *name;
  const char *text; /* one line, no full stop */
  int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {"compare", "mark graphs with several engines, interleaved, and compare", td_command_compare},
    {"mark", "mark one graph with one engine, and tell what each marker did", td_command_mark},
    {"limit", "measure what the memory of this machine allows, alone and for graphs",
     td_command_limit},
    {"queue", "measure the queues alone, as the BWoS paper does", td_command_queue},
    {"graph", "describe a graph: counts, degrees, depth, frontier", td_command_graph},
    {"import", "turn a heap dump into a graph file", td_command_import},
    {"gcbench", "run programs that mostly allocate, on collectors and on malloc and free",
     td_command_gcbench},
    {"exec", "run a program that was written for Boehm GC on Tidemark", td_command_exec},
    {"bdwgc-bench", "measure such programs on Tidemark and on the system's libgc",
     td_command_bdwgc_bench},
    {"engines", "list the engines", td_command_engines},
};
static const size_t command_count = sizeof commands / sizeof commands[0];

static void print_usage(FILE *out) {
  fputs("tidemark: heap graphs marked in parallel, and the queues behind it, measured.\n\n"
        "Usage: tidemark COMMAND [OPTION…]\n\nCommands:\n",
        out);
  for (size_t i = 0; i < command_count; i++)
    fprintf(out, "  %-11s %s\n", commands[i].name, commands[i].text);
  fputs("\n`tidemark COMMAND --help` explains a command; `tidemark --version` names the version.\n"
        "Exit status: 0 ok, 1 a check failed, 2 usage, 3 bad input file, 4 out of resources.\n",
        out);
}

static const struct command *find_command(const char *name) {
  for (size_t i = 0; i < command_count; i++)
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  return NULL;
}

static int no_command(const char *name) {
  struct td_nearest nearest = {.word = name};
  for (size_t i = 0; i < command_count; i++)
    td_nearest_offer(&nearest, commands[i].name);
  return td_complain(TD_EXIT_USAGE, "no command '%s'%s; see tidemark --help", name,
                     td_nearest_question(&nearest));
}

/* "tidemark help NAME" is "tidemark NAME --help". */
static int help_about(char *name) {
  const struct command *command = find_command(name);
  if (!command) return no_command(name);
  char option[] = "--help";
  char *arguments[] = {name, option, NULL};
  return command->run(2, arguments);
}

static int run_command(int argc, char **argv) {
  if (argc < 2) {
    print_usage(stderr);
    return TD_EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      (strcmp(argv[1], "help") == 0 && argc == 2)) {
    print_usage(stdout);
    return TD_EXIT_OK;
  }
  if (strcmp(argv[1], "help") == 0) return help_about(argv[2]);
  if (strcmp(argv[1], "--version") == 0) {
    printf("tidemark %s\n", tide_version());
    return TD_EXIT_OK;
  }
  const struct command *command = find_command(argv[1]);
  if (!command) return no_command(argv[1]);
  return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv) {
  td_cleanup_setup();
  return td_stdout_close(run_command(argc, argv));
}
