/* SPDX-License-Identifier: MIT */
// How a client with mutants in itself is run: as shipped, and then once for each mutant, which must
// fail. It takes [--full]. MODEL_HISTORY, if set, shows what a failing execution did. Exit status:
// 0 as it must be, 1 not, 2 usage.
#ifndef TD_TESTS_MODEL_RELACY_MUTANTS_H
#define TD_TESTS_MODEL_RELACY_MUTANTS_H

#include <relacy/relacy.hpp>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

// What is different in a mutant, and how it gets into the client's settings.
template <typename Settings> struct mutant {
  char const *name;
  void (*plant)(Settings *);
};

struct effort {
  unsigned long shipped, mutant; // executions of each
  unsigned long depth;           // steps of an execution
};

struct outcome {
  bool good; // no violation
  char const *why;
  unsigned long executions;
};

// Reads `[--full]`. Ends the program if there is anything else.
inline bool wants_full(int argc, char **argv, char const *name) {
  bool full = argc == 2 && std::strcmp(argv[1], "--full") == 0;
  if (argc > 1 && !full) {
    std::cerr << name << ": unknown argument; usage: " << name << " [--full]\n";
    std::exit(2);
  }
  return full;
}

template <typename Test> outcome search(unsigned long executions, unsigned long depth) {
  rl::test_params params;
  params.search_type = rl::sched_random;
  params.iteration_count = executions;
  params.execution_depth_limit = depth;
  std::ostream nowhere(nullptr);
  params.output_stream = std::getenv("MODEL_HISTORY") ? &std::cout : &nowhere;
  params.progress_stream = &nowhere;
  bool good = rl::simulate<Test>(params);
  return {good, rl::test_result_str(params.test_result), params.stop_iteration};
}

// Returns whether what is shipped has no violation, and says so. `variant` says of what.
template <typename Test> bool is_clean(std::string const &variant, effort const &most) {
  outcome found = search<Test>(most.shipped, most.depth);
  std::cout << (found.good ? "ok  as shipped" : "BAD as shipped") << variant << ": "
            << (found.good ? "no violation" : found.why) << ", " << found.executions
            << " executions" << std::endl;
  return found.good;
}

// Returns whether every mutant fails. `use` is where the client has its settings: as shipped.
template <typename Test, typename Settings, unsigned Count>
bool all_fail(mutant<Settings> const (&mutants)[Count], Settings *use, effort const &most) {
  Settings const shipped = *use;
  bool all = true;
  for (mutant<Settings> const &m : mutants) {
    *use = shipped;
    m.plant(use);
    outcome found = search<Test>(most.mutant, most.depth);
    std::cout << (found.good ? "BAD " : "ok  ") << m.name << ": "
              << (found.good ? "not found" : found.why) << ", " << found.executions << " executions"
              << std::endl;
    all = all && !found.good;
  }
  return all;
}

// Such a program's main, where there is one variant.
template <typename Test, typename Settings, unsigned Count>
int run_client(int argc, char **argv, char const *name, effort const &full, effort const &usual,
               mutant<Settings> const (&mutants)[Count], Settings *use) {
  effort const &most = wants_full(argc, argv, name) ? full : usual;
  bool good = is_clean<Test>("", most);
  return all_fail<Test>(mutants, use, most) && good ? 0 : 1;
}

#endif
