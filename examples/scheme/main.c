/* SPDX-License-Identifier: MIT */
/* The program: starts the interpreter and prints statistics. boot.scm does the rest. */
#include "scheme.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The text of boot.scm, which the assembler includes. */
__asm__(".pushsection .rodata\n"
        "boot_source: .incbin \"" BOOT_FILE "\"\n"
        "boot_source_end:\n"
        ".popsection");
extern const char boot_source[], boot_source_end[];

static struct timespec started;

static void print_statistics(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double total =
      (double)(now.tv_sec - started.tv_sec) * 1e3 + (double)(now.tv_nsec - started.tv_nsec) / 1e6;
  struct mem_stats stats = mem_stats();
  fprintf(stderr,
          "gc-stats: collector=%s collections=%llu collect_ms=%.3f total_ms=%.3f "
          "heap_bytes=%llu longest_ms=%.3f\n",
          MEM_NAME, (unsigned long long)stats.collections, stats.collect_ms, total,
          (unsigned long long)stats.heap_bytes, stats.longest_ms);
}

EXPRESSION("%print-statistics-at-exit", "", (atexit(print_statistics), UNSPECIFIED))
static value evaluate(value form) {
  return vm_run(compile_program(expand_program(form)));
}

static void boot(void) {
  globals.frames = globals.winders = globals.handlers = NIL;
  globals.irritants = globals.place = FALSE;
  globals.booting = TRUE;
  forms_start();
  vm_start();
  ports_start();
  primitives_start();
  compiler_start();
  value source = string_from_utf8(boot_source, (size_t)(boot_source_end - boot_source));
  struct port *port = make_port(NULL, source, "boot.scm", PORT_INPUT);
  for (value form; (form = read_datum(port)) != END_OF_FILE;)
    evaluate(form);
  globals.booting = FALSE;
}

/* The heap is created before %main reads the arguments. */
static bool asks_for_concurrent(char **arguments) {
  for (; *arguments != NULL; arguments++) {
    if (strcmp(*arguments, "--concurrent") == 0) return true;
    if (strcmp(*arguments, "-e") == 0 && *++arguments == NULL) break;
  }
  return false;
}

int main(int argc, char **argv) {
  static value *globals_end = (value *)(&globals + 1);
  const struct mem_range ranges[] = {{(value *)&globals, &globals_end}, vm_stack()};
  clock_gettime(CLOCK_MONOTONIC, &started);
  setlocale(LC_CTYPE, "C.UTF-8");
  depth_start();
  mem_start(ranges, sizeof ranges / sizeof ranges[0], asks_for_concurrent(argv + 1));
  boot();
  value arguments = NIL;
  while (argc > 0)
    arguments = cons(string_from_c(argv[--argc]), arguments);
  evaluate(cons(intern_c("%main"), arguments));
  finish(0);
}
