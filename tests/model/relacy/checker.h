/* SPDX-License-Identifier: MIT */
/* What the programs that run a model under Relacy share. Included once in a program, after
 * relacy/stdatomic.h and the headers under test. Besides its own, each has these options:
 *
 *   --search bound:N|random:N    N forced context switches, or N executions by chance
 *   --mutant SITE=ORDER|SITE=0   another order in a place, or a step left out
 *   --meet EVENTS                some execution must have met them, or the search has shown nothing
 *   --list                       of sites and events, at the end
 *
 * With MODEL_HISTORY set, the execution that went wrong is printed. Exit status: 0 no violation, 1
 * a violation (described on stdout), 2 usage, 3 the mutant's site was never reached. */
#ifndef TD_TESTS_MODEL_RELACY_CHECKER_H
#define TD_TESTS_MODEL_RELACY_CHECKER_H

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

namespace {

[[noreturn]] void usage(std::string const &why) {
  std::cerr << why << "; see the head of " << __BASE_FILE__ << '\n';
  std::exit(2);
}

model::site *sites;
struct mutant {
  std::string site;
  bool is_step;
  int value;
  bool met;
};
mutant mutants[4];
int mutant_count;

struct remembered {
  void *object;
  void (*destroy)(void *);
};
remembered objects[256];
unsigned object_count;

char const *order_name(int order) {
  switch (order) {
  case rl::mo_relaxed:
    return "relaxed";
  case rl::mo_acquire:
    return "acquire";
  case rl::mo_release:
    return "release";
  case rl::mo_acq_rel:
    return "acq_rel";
  default:
    return "seq_cst";
  }
}

int order_value(std::string const &name) {
  for (int order : {rl::mo_relaxed, rl::mo_acquire, rl::mo_release, rl::mo_acq_rel, rl::mo_seq_cst})
    if (name == order_name(order)) return order;
  usage("no memory order '" + name + "'");
}

// SITE=ORDER or SITE=0
void add_mutant(std::string const &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || mutant_count == 4) usage("bad mutant '" + text + "'");
  std::string value = text.substr(equals + 1);
  bool is_step = value == "0";
  mutants[mutant_count++] = {text.substr(0, equals), is_step, is_step ? 0 : order_value(value),
                             false};
}

// random:N executions, bound:N forced context switches
void set_search(rl::test_params &params, std::string const &search) {
  size_t colon = search.find(':');
  unsigned long n =
      colon == std::string::npos ? 0 : std::strtoul(search.c_str() + colon + 1, nullptr, 10);
  if (n == 0) usage("bad search '" + search + "'");
  if (search.compare(0, colon, "bound") == 0) {
    params.search_type = rl::sched_bound;
    params.context_bound = (unsigned)n;
  } else if (search.compare(0, colon, "random") == 0) {
    params.search_type = rl::sched_random;
    params.iteration_count = n;
  } else {
    usage("bad search '" + search + "'");
  }
}

void list_sites() {
  for (model::site *s = sites; s != nullptr; s = s->next)
    std::cout << s->name << ' ' << (s->is_step ? "1" : order_name(s->normal)) << '\n';
}

// Of the events in `wanted` (names, commas between), the first that no execution met; "" if none.
std::string not_met(std::string wanted, char const *const *names, unsigned long const *met,
                    int count) {
  for (size_t end; !wanted.empty(); wanted.erase(0, end == std::string::npos ? end : end + 1)) {
    end = wanted.find(',');
    std::string name = wanted.substr(0, end);
    int i = 0;
    while (i < count && name != names[i])
      i++;
    if (i == count) usage("no event '" + name + "'");
    if (met[i] == 0) return name;
  }
  return "";
}

// What every client that counts events can be told.
struct settings {
  std::string search = "random:10000";
  std::string wanted; // events that executions must meet
  bool list = false;  // of sites and events, at the end
};

// Reads the command line; own(option, value) takes what is the client's, false: it knows no such.
// What the command line does not say stays as in `given`. An execution has at most `depth` steps.
template <typename Own>
settings read_options(int argc, char **argv, Own own, rl::test_params &params, unsigned long depth,
                      settings given = settings()) {
  for (int i = 1; i < argc; i++) {
    std::string option = argv[i];
    if (option == "--list") {
      given.list = true;
      continue;
    }
    if (i + 1 == argc) usage("'" + option + "' needs a value");
    char const *value = argv[++i];
    if (option == "--search")
      given.search = value;
    else if (option == "--meet")
      given.wanted = value;
    else if (option == "--mutant")
      add_mutant(value);
    else if (!own(option, value))
      usage("unknown option '" + option + "'");
  }
  set_search(params, given.search);
  params.execution_depth_limit = depth;
  return given;
}

// The client's options that are numbers.
struct number {
  char const *option;
  unsigned *value;
};
bool take_number(std::initializer_list<number> numbers, std::string const &option,
                 char const *value) {
  for (number const &one : numbers) {
    if (option != one.option) continue;
    *one.value = (unsigned)std::strtoul(value, nullptr, 10);
    return true;
  }
  return false;
}

// Lists what was asked for; the exit status, 1 also where no execution met a wanted event.
int conclude(settings const &given, int status, char const *const *names, unsigned long const *met,
             int count) {
  if (given.list) list_sites();
  for (int i = 0; given.list && i < count; i++)
    std::cout << names[i] << ' ' << met[i] << '\n';
  std::string missing = not_met(given.wanted, names, met, count);
  if (status != 0 || missing.empty()) return status;
  std::cout << "no execution met '" << missing << "'\n";
  return 1;
}

// Every atomic that was made in raw storage in this execution; Relacy wants them destroyed.
void forget_objects() {
  for (unsigned i = 0; i < object_count; i++)
    objects[i].destroy(objects[i].object);
  object_count = 0;
}

// Checks Test; the exit status: 0 no violation, 1 a violation, 3 a mutant's site was not reached.
template <typename Test> int check(rl::test_params &params) {
  std::ostream nowhere(nullptr);
  params.output_stream = std::getenv("MODEL_HISTORY") ? &std::cout : &nowhere;
  params.progress_stream = &nowhere;
  bool clean = rl::simulate<Test>(params);
  for (int i = 0; i < mutant_count; i++) {
    if (mutants[i].met) continue;
    std::cerr << "'" << mutants[i].site << "' was never reached\n";
    return 3;
  }
  std::cout << (clean ? "no violation" : rl::test_result_str(params.test_result)) << ", "
            << params.stop_iteration << " executions\n";
  return clean ? 0 : 1;
}

} // namespace

// Called while Relacy is at work and owns operator new: allocates nothing.
int model::attach(site &s) {
  s.next = sites;
  sites = &s;
  s.current = s.normal;
  for (int i = 0; i < mutant_count; i++) {
    if (s.is_step != mutants[i].is_step || mutants[i].site.compare(s.name) != 0) continue;
    mutants[i].met = true;
    s.current = mutants[i].value;
  }
  return 0;
}

void model::remember(void *object, void (*destroy)(void *)) {
  if (object_count == sizeof objects / sizeof *objects) std::abort();
  objects[object_count++] = {object, destroy};
}

#endif
