/* The program: command line, start of the interpreter, statistics at the end. */
#include "machine.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef SCHEME_HAS_EDITLINE
#include <editline/readline.h>
#endif

extern const char boot_source[];
extern const size_t boot_source_size;

static struct timespec started;

static void print_statistics(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double total =
      (double)(now.tv_sec - started.tv_sec) * 1e3 + (double)(now.tv_nsec - started.tv_nsec) / 1e6;
  struct mem_stats stats = mem_stats();
  fprintf(stderr,
          "gc-stats: collector=%s collections=%llu collect_ms=%.3f total_ms=%.3f "
          "heap_bytes=%llu\n",
          mem_name(), (unsigned long long)stats.collections, stats.collect_ms, total,
          (unsigned long long)stats.heap_bytes);
}

/* One line from the terminal, without its end. */
PRIMITIVE("%edit-line", "s") {
  const char *prompt = c_from_string(a[0]);
#ifdef SCHEME_HAS_EDITLINE
  char *line = readline(prompt);
  if (line == NULL) return END_OF_FILE;
  if (*line != 0) add_history(line);
#else
  char *line = NULL;
  size_t room = 0;
  fputs(prompt, stdout);
  fflush(stdout);
  ssize_t length = getline(&line, &room, stdin);
  if (length < 0) {
    free(line);
    return END_OF_FILE;
  }
  line[strcspn(line, "\n")] = 0;
#endif
  value text = string_from_c(line);
  free(line);
  return text;
}

static void boot(void) {
  globals.parent = globals.winders = globals.handlers = NIL;
  globals.condition = globals.place = FALSE;
  globals.booting = TRUE;
  globals.parent_length = fix(0);
  forms_start();
  vm_start();
  ports_start();
  primitives_start();
  compiler_start();
  value source = string_from_utf8(boot_source, boot_source_size);
  struct port *port = (struct port *)make_port(NULL, source, "boot.scm", PORT_INPUT | PORT_OPEN);
  for (value form; (form = read_datum(port)) != END_OF_FILE;)
    vm_run(compile_program(expand_program(form)));
  globals.booting = FALSE;
}

static const char usage[] =
    "usage: %s [FILE | -e EXPRESSION]... [--gc-stats]\n"
    "Runs Scheme files and expressions in order; without any, reads from the terminal or from\n"
    "standard input.\n"
    "  -e EXPRESSION  evaluate the expression\n"
    "  --gc-stats     at the end, print collections and their time to standard error\n"
    "  --help         print this\n";

static value action(const char *kind, const char *text) {
  value symbol = intern_c(kind);
  return cons(symbol, string_from_c(text));
}

static value parse_arguments(int argc, char **argv) {
  value actions = NIL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      printf(usage, argv[0]);
      exit(0);
    } else if (strcmp(argv[i], "--gc-stats") == 0) {
      atexit(print_statistics);
    } else if (strcmp(argv[i], "-e") == 0 && i + 1 < argc) {
      actions = cons(action("expression", argv[++i]), actions);
    } else if (argv[i][0] == '-') {
      fprintf(stderr, "%s: %s %s\n", argv[0],
              strcmp(argv[i], "-e") == 0 ? "no expression after" : "unknown option", argv[i]);
      exit(2);
    } else {
      actions = cons(action("file", argv[i]), actions);
    }
  }
  return list_reverse(actions);
}

int main(int argc, char **argv) {
  static value *globals_end = (value *)(&globals + 1);
  const struct mem_range ranges[] = {{(value *)&globals, &globals_end},
                                     {machine_stack(), &machine.sp}};
  clock_gettime(CLOCK_MONOTONIC, &started);
  setlocale(LC_CTYPE, "C.UTF-8");
  mem_start(ranges, sizeof ranges / sizeof ranges[0]);
  machine.sp = machine_stack();
  boot();
  value actions = parse_arguments(argc, argv);
  value call =
      list3(intern_c("%main"), list2(globals.quote, actions), make_bool(isatty(STDIN_FILENO) != 0));
  vm_run(compile_program(expand_program(call)));
  fflush(NULL);
  return 0;
}
