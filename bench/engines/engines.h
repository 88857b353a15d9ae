/* What can mark a graph: the library's queues, and Boehm GC in a process of its own. */
#ifndef TD_BENCH_ENGINES_ENGINES_H
#define TD_BENCH_ENGINES_ENGINES_H

#include <stdbool.h>
#include <stddef.h>

enum td_bench_engine_kind { TD_ENGINE_TIDE, TD_ENGINE_BOEHM, TD_ENGINE_BOEHM_TYPED };

struct td_bench_engine {
  const char *name, *text;
  enum td_bench_engine_kind kind;
  bool one_marker; /* it can mark with one marker only */
};

/* Returns false if the index, from 0, is past the last engine. */
bool td_bench_engine_at(size_t index, struct td_bench_engine *engine);

/* Finds an engine by its name. Returns 0, or an exit status after saying that there is none and
 * which there are. */
int td_bench_engine_find(const char *command, const char *name, struct td_bench_engine *engine);

/* The policy of heaps: `name` if that is not NULL, else what the environment says, else the
 * library's default. Says so if it chooses like another. Returns an exit status, after listing the
 * policies if there is none of that name; 0 otherwise. */
int td_bench_policy_choose(const char *command, const char *name, const char **policy);

/* The subcommand `tidemark engines`: argv[0] is "engines". Returns an exit status. */
int td_command_engines(int argc, char **argv);

#endif
