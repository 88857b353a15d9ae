/* SPDX-License-Identifier: MIT */
/* Allocating, collecting and telling of roots in callbacks of dl_iterate_phdr, which hold the
 * loader's lock, while another thread collects all the time. A part of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

#include <link.h>

static void *roots[4];

static int work_in_callback(struct dl_phdr_info *info, size_t bytes, void *kept) {
  char *volatile mine = strcpy(GC_malloc_atomic(100), "the callback's");
  for (int i = 0; i < 20000; i++)
    memset(GC_malloc_atomic(100), 'X', 100);
  GC_gcollect();
  GC_add_roots(roots, roots + 4);
  GC_remove_roots(roots, roots + 4);
  CHECK(!strcmp(mine, "the callback's"));
  CHECK(!strcmp(kept, "the thread's"));
  return 1; /* one entry is enough */
}
static void *iterate(void *unused) {
  for (int round = 0; round < 20; round++)
    dl_iterate_phdr(work_in_callback, strcpy(GC_malloc_atomic(100), "the thread's"));
  return unused;
}

PART(loader_lock) {
  _Atomic(bool) over = false;
  pthread_t thread[2], other = start(collect_until, &over);
  start_all(thread, 2, iterate);
  finish_all(thread, 2);
  over = true;
  finish(other);
  GC_word before = GC_get_gc_no();
  GC_gcollect();
  CHECK(GC_get_gc_no() == before + 1);
}
