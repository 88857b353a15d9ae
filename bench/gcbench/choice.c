/* SPDX-License-Identifier: MIT */
#include "bench/gcbench/choice.h"

#include <string.h>

#include "bench/cli/args.h"
#include "bench/gcbench/run.h"

#define DEPTH_DEFAULT_GCBENCH 18u
#define DEPTH_DEFAULT_BINARY 20u

static const struct td_gcbench_workload workloads[] = {
    {"gcbench", "Ellis, Kovac and Boehm's: short-lived trees beside a long-lived one",
     DEPTH_DEFAULT_GCBENCH, false},
    {"binary-trees", "that of the Benchmarks Game: smaller nodes, more of them",
     DEPTH_DEFAULT_BINARY, false},
    {"lru", "a cache of 262144 entries that drops the least recently used", 0, false},
    {"strings", "strings cut and joined, 131072 of them kept", 0, false},
    {"service", "requests that drop what they allocate, beside a cache of --live bytes", 0, false},
    {"interp", "an interpreter's frames, closures and conses, beside its definitions", 0, false},
    {"mutate", "a forest of a million nodes whose subtrees are swapped and replaced", 0, false},
    {"latency", "how long each operation on a map of --live bytes takes", 0, true},
};
#define WORKLOADS (sizeof workloads / sizeof workloads[0])

static const struct td_gcbench_collector collectors[] = {
    {.name = "tide", .program = "tide", .text = "Tidemark", .has_young = true},
    {.name = "tide-concurrent",
     .program = "tide",
     .text = "the same, marking while the program runs",
     .is_concurrent = true,
     .is_for_latency = true},
    {.name = "boehm", .program = "boehm", .text = "Boehm GC", .package = "libgc-dev"},
    {.name = "boehm-incremental",
     .program = "boehm",
     .text = "the same, incremental (dies where a process may have few mappings)",
     .package = "libgc-dev",
     .is_concurrent = true,
     .is_rare = true},
    {.name = "malloc", .program = "malloc", .text = "the C library's malloc and free"},
    {.name = "jemalloc",
     .program = "jemalloc",
     .text = "jemalloc, with free",
     .package = "libjemalloc-dev"},
    {.name = "mimalloc",
     .program = "mimalloc",
     .text = "mimalloc, with free",
     .package = "libmimalloc-dev"},
};
#define COLLECTORS (sizeof collectors / sizeof collectors[0])

const struct td_gcbench_workload *td_gcbench_workload_at(size_t index) {
  return index < WORKLOADS ? &workloads[index] : NULL;
}

const struct td_gcbench_collector *td_gcbench_collector_at(size_t index) {
  return index < COLLECTORS ? &collectors[index] : NULL;
}

static const char *workload_name(size_t index) {
  return index < WORKLOADS ? workloads[index].name : NULL;
}

static const char *collector_name(size_t index) {
  return index < COLLECTORS ? collectors[index].name : NULL;
}

const struct td_gcbench_workload *td_gcbench_find_workload(const char *name) {
  for (size_t i = 0; i < WORKLOADS; i++)
    if (strcmp(workloads[i].name, name) == 0) return &workloads[i];
  td_args_no_such("gcbench", "workload", name, workload_name);
  return NULL;
}

const struct td_gcbench_collector *td_gcbench_find_collector(const char *name) {
  for (size_t i = 0; i < COLLECTORS; i++)
    if (strcmp(collectors[i].name, name) == 0) return &collectors[i];
  td_args_no_such("gcbench", "collector", name, collector_name);
  return NULL;
}

void td_gcbench_print_choice(FILE *out) {
  fputs("Workloads:\n", out);
  for (size_t i = 0; i < WORKLOADS; i++)
    fprintf(out, "  %-17s %s\n", workloads[i].name, workloads[i].text);
  fputs("Collectors:\n", out);
  for (size_t i = 0; i < COLLECTORS; i++)
    fprintf(out, "  %-17s %s%s\n", collectors[i].name, collectors[i].text,
            td_gcbench_is_there(collectors[i].program) ? "" : " (not built)");
}
