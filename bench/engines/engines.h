/* SPDX-License-Identifier: MIT */
/* What can mark a graph: the library's queues, and Boehm GC in a process of its own. */
#ifndef TD_BENCH_ENGINES_ENGINES_H
#define TD_BENCH_ENGINES_ENGINES_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/cli/args.h"

enum td_bench_engine_kind { TD_ENGINE_TIDE, TD_ENGINE_BOEHM, TD_ENGINE_BOEHM_TYPED };

/* What the marker knows of an object that can hold references: where they are, or nothing, so that
 * it looks at every word. Boehm GC's engines are one or the other; those of Tidemark can be both.
 */
enum td_objects { TD_OBJECTS_PRECISE, TD_OBJECTS_CONSERVATIVE };
#define TD_OBJECTS_KINDS 2u

struct td_bench_engine {
  const char *name, *text;
  enum td_bench_engine_kind kind;
  bool one_marker; /* it can mark with one marker only */
  enum td_objects objects;
  char label[48]; /* the name, and what its objects are where the name does not say it */
};

/* Returns false if the index, from 0, is past the last engine. */
bool td_bench_engine_at(size_t index, struct td_bench_engine *engine);

/* Returns "precise" or "conservative"; NULL past the last kind. */
const char *td_objects_name(size_t objects);
/* Finds the kinds named, each once, or the precise one if none is. Returns 0, or an exit status
 * after saying that there is no such kind. */
int td_objects_find(const char *command, const struct td_words *names,
                    enum td_objects kinds[TD_OBJECTS_KINDS], size_t *count);
/* The same for a command that takes one kind. */
int td_objects_find_one(const char *command, const struct td_words *names, enum td_objects *kind);
/* Changes what the objects of an engine of Tidemark are, and its label. */
void td_bench_engine_set_objects(struct td_bench_engine *engine, enum td_objects objects);

/* Says that --objects means nothing to this engine. Returns the exit status. */
int td_bench_no_choice(const char *command, const struct td_bench_engine *engine);

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
