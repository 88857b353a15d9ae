/* SPDX-License-Identifier: MIT */
/* Errors, and the state that the interpreter's files share.
 *
 * An error is noted in plain C and jumps to the virtual machine, which makes a condition object of
 * it and calls the program's handler. So the functions here need nothing of the interpreter but
 * its memory, and every other file may call them. */
#include "scheme.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct globals globals;
struct failure failure;
jmp_buf *error_trap;

void fail_as(const char *kind, const char *what, value irritants) {
  if (error_trap == NULL) {
    fprintf(stderr, "scheme: %s\n", what);
    exit(1);
  }
  failure.kind = kind;
  snprintf(failure.what, sizeof failure.what, "%s", what);
  globals.irritants = irritants;
  longjmp(*error_trap, 1);
}

void fail_list(const char *what, value irritants) {
  fail_as("error", what, irritants);
}

void fail(const char *what, value irritant) {
  char text[sizeof failure.what];
  const struct primitive *p = (const struct primitive *)globals.running;
  snprintf(text, sizeof text, "%s: %s", (value)p != FALSE ? p->name : "scheme", what);
  fail_list(text, irritant == UNBOUND ? NIL : cons(irritant, NIL));
}

void fail_type(const char *name, value got) {
  char text[128];
  snprintf(text, sizeof text, "not a%s %s:", strchr("aeio", *name) != NULL ? "n" : "", name);
  fail(text, got);
}

/* ---- The depth of C recursion -----------------------------------------------------------------
 */

static uintptr_t lowest; /* C recursion below this address is refused */

/* Returns how large the stack may get: its limit, but at most a gigabyte, and at most a quarter of
 * the address space. */
static size_t stack_room(void) {
  struct rlimit stack, space;
  size_t room = (size_t)8 << 20, most = (size_t)1 << 30;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur / 4 < most)
    most = (size_t)space.rlim_cur / 4;
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
    room = (size_t)stack.rlim_cur;
  return room < most ? room : most;
}

void depth_start(void) {
  size_t room = stack_room() / 4 * 3;
  lowest = (uintptr_t)__builtin_frame_address(0) - room;
  /* Touching the far end takes the stack's address space before the heap takes what there is. */
  *(volatile char *)__builtin_alloca(room) = 0;
}

void check_depth(void) {
  if (LIKELY((uintptr_t)__builtin_frame_address(0) > lowest)) return;
  fail_list("data nested too deeply", NIL);
}
