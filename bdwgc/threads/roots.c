/* Roots: static data of the program and its libraries, taken afresh for each collection; what the
 * program adds; and what its push_other_roots tells under the stop. */
#include "bdwgc/threads/roots.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bdwgc/threads/ranges.h"
#include "bdwgc/settings.h"
#include "bdwgc/lock.h"
#include "bdwgc/state.h"

static struct td_ranges added, excluded; /* under the lock */
static GC_has_static_roots_func filter;
static uintptr_t own_base; /* where this library is loaded: it holds no roots */

static void nothing(void) {}
EXPORT GC_push_other_roots_proc GC_push_other_roots = nothing;

/* ---- Before the stop ---- */

/* What the list of roots was made from: changes of it until the world stands still would leave
 * memory in it that is gone, or leave out what was stored meanwhile. */
static unsigned long long loaded, unloaded; /* libraries, as the loader counts them */
static size_t changes, changes_told;        /* of what the program added; under the lock */

struct segments {
  struct tide_root_list *list;
  uintptr_t program; /* lowest address of the program's own entry, which comes first */
  bool first;
};

static void report_range(uintptr_t low, uintptr_t high, void *list) {
  tide_root_report(list, (const void *)low, high - low);
}

/* What the loader makes read-only when it has relocated it holds nothing of the heap. */
static void add_segment(const struct dl_phdr_info *info, uintptr_t low, uintptr_t high,
                        struct tide_root_list *list) {
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + header->p_vaddr;
    if (header->p_type != PT_GNU_RELRO || from < low || from >= high) continue;
    td_ranges_without(&excluded, low, from, report_range, list);
    low = from + header->p_memsz;
  }
  if (low < high) td_ranges_without(&excluded, low, high, report_range, list);
}

static int add_segments(struct dl_phdr_info *info, size_t bytes, void *argument) {
  (void)bytes;
  struct segments *segments = argument;
  bool is_program = segments->first;
  segments->first = false;
  loaded = info->dlpi_adds;
  unloaded = info->dlpi_subs;
  if (info->dlpi_addr == own_base || (GC_no_dls && !is_program)) return 0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_W)) continue;
    uintptr_t low = info->dlpi_addr + header->p_vaddr, high = low + header->p_memsz;
    if (filter && !filter(info->dlpi_name, (void *)low, header->p_memsz)) continue;
    add_segment(info, low, high, segments->list);
  }
  return 0;
}

static void before_stop(struct tide_root_list *list, void *context) {
  (void)context;
  struct segments segments = {.list = list, .first = true};
  pthread_mutex_lock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
  changes_told = changes;
  dl_iterate_phdr(add_segments, &segments);
  for (size_t i = 0; i < added.count; i++)
    td_ranges_without(&excluded, added.at[i].low, added.at[i].high, report_range, list);
  pthread_mutex_unlock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
}

struct stop {
  void (*call)(void *argument);
  void *argument;
};

/* The loader's lock is held: no library comes or goes. */
static int stop_if_same(struct dl_phdr_info *info, size_t bytes, void *argument) {
  (void)bytes;
  const struct stop *stop = argument;
  if (info->dlpi_adds == loaded && info->dlpi_subs == unloaded) stop->call(stop->argument);
  return 1;
}

static void around_stop(void (*call)(void *argument), void *argument, void *context) {
  (void)context;
  struct stop stop = {call, argument};
  pthread_mutex_lock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
  if (changes == changes_told) dl_iterate_phdr(stop_if_same, &stop);
  pthread_mutex_unlock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
}

/* ---- Under the stop ---- */

/* Words that a procedure names one by one lie here until the collection ends. */
#define LOOSE_WORDS 4096u
static uintptr_t loose[LOOSE_WORDS];
static size_t loose_count;
static struct tide_root_list *open_list; /* the collecting thread's, while it asks */
static TD_TLS struct tide_tracer *open_tracer;

static void stopped(struct tide_root_list *list, void *context) {
  (void)context;
  loose_count = 0;
  open_list = list;
  GC_push_other_roots();
  open_list = NULL;
}

typedef void report_fn(struct tide_root_list *list, const void *start, size_t bytes);

static void push(const char *function, void *bottom, void *top, report_fn *report) {
  if ((uintptr_t)bottom >= (uintptr_t)top) return;
  if (open_list)
    report(open_list, bottom, (uintptr_t)top - (uintptr_t)bottom);
  else if (open_tracer)
    for (const uintptr_t *at = bottom; at + 1 <= (const uintptr_t *)top; at++)
      tide_trace_conservative(open_tracer, *at);
  else
    td_bdwgc_die("%s: called outside of GC_push_other_roots and mark procedures", function);
}

static void push_word(uintptr_t word) {
  if (open_tracer) {
    tide_trace_conservative(open_tracer, word);
  } else if (open_list) {
    if (loose_count == LOOSE_WORDS)
      td_bdwgc_die("GC_push_other_roots marks more than %u objects one by one", LOOSE_WORDS);
    loose[loose_count] = word;
    tide_root_report(open_list, &loose[loose_count++], sizeof *loose);
  }
}

struct tide_tracer *td_bdwgc_tracer_set(struct tide_tracer *tracer) {
  struct tide_tracer *before = open_tracer;
  open_tracer = tracer;
  return before;
}

EXPORT void GC_push_all(void *bottom, void *top) {
  push("GC_push_all", bottom, top, tide_root_report);
}
/* For stacks. */
EXPORT void GC_push_all_eager(void *bottom, void *top) {
  push("GC_push_all_eager", bottom, top, tide_root_report_stack);
}
EXPORT void GC_push_conditional(void *bottom, void *top, int all) {
  (void)all;
  push("GC_push_conditional", bottom, top, tide_root_report);
}
EXPORT void GC_set_mark_bit(const void *object) {
  push_word((uintptr_t)object);
}
EXPORT struct GC_ms_entry *GC_mark_and_push(void *object, struct GC_ms_entry *top,
                                            struct GC_ms_entry *limit, void **source) {
  (void)limit, (void)source;
  push_word((uintptr_t)object);
  return top;
}
EXPORT void GC_set_push_other_roots(GC_push_other_roots_proc procedure) {
  GC_push_other_roots = procedure;
}
EXPORT GC_push_other_roots_proc GC_get_push_other_roots(void) {
  return GC_push_other_roots;
}
/* Finalizers and their data are roots anyway. */
EXPORT void GC_push_finalizer_structures(void) {}

void td_bdwgc_roots_start(void) {
  struct link_map *map;
  Dl_info info;
  struct tide_root_source source = {
      .before_stop = before_stop, .stopped = stopped, .around_stop = around_stop};
  if (dladdr1(&td_bdwgc, &info, (void **)&map, RTLD_DL_LINKMAP)) own_base = map->l_addr;
  if (tide_root_add_source(td_bdwgc.heap, &source) != TIDE_OK)
    td_bdwgc_die("no memory for the list of roots");
}

/* ---- What the program adds and takes away ---- */

static void change(void (*how)(struct td_ranges *, uintptr_t, uintptr_t), struct td_ranges *ranges,
                   void *low, void *high) {
  uintptr_t from = ((uintptr_t)low + 7) & ~(uintptr_t)7, to = (uintptr_t)high & ~(uintptr_t)7;
  td_bdwgc_start();
  if (from >= to) return;
  td_bdwgc_lock(TD_LOCK_ROOTS);
  how(ranges, from, to);
  changes++;
  td_bdwgc_unlock(TD_LOCK_ROOTS);
}

EXPORT void GC_add_roots(void *low, void *high) {
  change(td_ranges_add, &added, low, high);
}
EXPORT void GC_remove_roots(void *low, void *high) {
  change(td_ranges_remove, &added, low, high);
}
EXPORT void GC_exclude_static_roots(void *low, void *high) {
  change(td_ranges_add, &excluded, low, high);
}
static void clear(struct td_ranges *ranges) {
  td_bdwgc_lock(TD_LOCK_ROOTS);
  ranges->count = 0;
  changes++;
  td_bdwgc_unlock(TD_LOCK_ROOTS);
}
EXPORT void GC_clear_roots(void) {
  clear(&added);
}
EXPORT void GC_clear_exclusion_table(void) {
  clear(&excluded);
}
EXPORT int GC_is_tmp_root(void *address) {
  (void)address;
  return 0;
}
EXPORT void GC_register_has_static_roots_callback(GC_has_static_roots_func function) {
  filter = function;
}
