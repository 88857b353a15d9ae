/* SPDX-License-Identifier: MIT */
/* Roots that are taken afresh for each collection. */
#include "bdwgc/threads/roots.h"

#include <link.h>

#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/ranges.h"

static struct td_ranges added, excluded; /* under the lock */
static GC_has_static_roots_func filter;  /* under the lock */
static uintptr_t own_base;               /* where this library is loaded: it holds no roots */

/* What the list of roots was made from: changes of it until the world stands still would leave
 * memory in it that is gone, or leave out what was stored meanwhile. */
static unsigned long long loaded, unloaded; /* libraries, as the loader counts them */
static size_t changes, changes_told;        /* of what the program added; under the lock */

struct segments {
  struct tide_root_list *list;
  GC_has_static_roots_func filter; /* called without the lock: it may tell of roots */
  bool first;                      /* the program's own entry comes first */
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
    if (segments->filter && !segments->filter(info->dlpi_name, (void *)low, header->p_memsz))
      continue;
    pthread_mutex_lock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
    add_segment(info, low, high, segments->list);
    pthread_mutex_unlock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
  }
  return 0;
}

static void before_stop(struct tide_root_list *list, void *context) {
  (void)context;
  struct segments segments = {.list = list, .first = true};
  pthread_mutex_lock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
  changes_told = changes;
  segments.filter = filter;
  for (size_t i = 0; i < added.count; i++)
    td_ranges_without(&excluded, added.at[i].low, added.at[i].high, report_range, list);
  pthread_mutex_unlock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
  dl_iterate_phdr(add_segments, &segments);
}

struct stop {
  void (*call)(void *argument);
  void *argument;
};

/* The loader's lock is held: no library comes or goes. It is taken before the other, because
 * programs tell of roots in callbacks of dl_iterate_phdr. */
static int stop_if_same(struct dl_phdr_info *info, size_t bytes, void *argument) {
  (void)bytes;
  const struct stop *stop = argument;
  pthread_mutex_lock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
  if (info->dlpi_adds == loaded && info->dlpi_subs == unloaded && changes == changes_told)
    stop->call(stop->argument);
  pthread_mutex_unlock(&td_bdwgc_locks[TD_LOCK_ROOTS]);
  return 1;
}

static void around_stop(void (*call)(void *argument), void *argument, void *context) {
  (void)context;
  struct stop stop = {call, argument};
  dl_iterate_phdr(stop_if_same, &stop);
}

/* ---- What the program adds and takes away, before there is a heap as well ---- */

typedef void change_fn(struct td_ranges *ranges, uintptr_t low, uintptr_t high);

static void change(change_fn *how, struct td_ranges *ranges, void *low, void *high) {
  uintptr_t from = ((uintptr_t)low + 7) & ~(uintptr_t)7, to = (uintptr_t)high & ~(uintptr_t)7;
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
EXPORT void GC_clear_roots(void) {
  change(td_ranges_remove, &added, (void *)8, (void *)UINTPTR_MAX);
}
EXPORT void GC_clear_exclusion_table(void) {
  change(td_ranges_remove, &excluded, (void *)8, (void *)UINTPTR_MAX);
}
EXPORT void GC_register_has_static_roots_callback(GC_has_static_roots_func function) {
  td_bdwgc_lock(TD_LOCK_ROOTS);
  filter = function;
  td_bdwgc_unlock(TD_LOCK_ROOTS);
}

void td_roots_start(void) {
  struct link_map *map;
  Dl_info info;
  const struct tide_root_source source = {.before_stop = before_stop, .around_stop = around_stop};
  if (dladdr1(&td_bdwgc_heap, &info, (void **)&map, RTLD_DL_LINKMAP)) own_base = map->l_addr;
  if (tide_root_add_source(td_bdwgc_heap, &source) != TIDE_OK)
    td_bdwgc_die("no memory for the list of roots");
}
