/* SPDX-License-Identifier: MIT */
/* What a program sets, and asks for in figures. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

#include <gc/gc_typed.h>
#include <sys/wait.h>

/* ---- Handlers of fork that are older than the heap ---- */

static void *slot, *link_to;
static int handled;

static void *call_back(void *data) {
  return data;
}
static void use_all(void) {
  GC_add_roots(&slot, &slot + 1);
  GC_register_displacement(8);
  CHECK(GC_call_with_alloc_lock(call_back, &slot) == &slot);
  void *object = GC_malloc(100);
  CHECK(GC_general_register_disappearing_link(&link_to, object) != GC_NO_MEMORY);
  CHECK(GC_unregister_disappearing_link(&link_to) == 1);
  for (int i = 0; i < 50000; i++)
    GC_malloc(100);
  GC_free(object);
  handled++;
}
PART(handlers_before_heap, .early = true) {
  alarm(60);
  CHECK(pthread_atfork(use_all, use_all, use_all) == 0);
  GC_INIT();
  pid_t child = fork();
  if (child == 0) _exit(handled);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 2);
  CHECK(handled == 2);
}
