/* SPDX-License-Identifier: MIT */
/* Guards of debugging objects. */
#include "bdwgc/debug/guard.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bdwgc/detour.h"
#include "bdwgc/kinds/kinds.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/interior.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/threads/threads.h"
#include "tide/inspect.h"

/* Values that programs and debuggers know. */
#define BEGIN_VALUE UINT64_C(0xfedcedcbfedcedcb)
#define END_VALUE UINT64_C(0xbcdecdefbcdecdef)
#define FREED_VALUE UINT64_C(0xefbeaddedeadbeef)

#define WORD sizeof(GC_word)

static _Atomic(bool) found;

bool td_guard_found(void) {
  /* relaxed: a hint; what was found has been told. */
  return atomic_exchange_explicit(&found, false, memory_order_relaxed);
}

/* ---- One object ---- */

static GC_word begin_value(const struct td_guard *guard) {
  return BEGIN_VALUE ^ (GC_word)(guard + 1);
}
static GC_word end_value(const struct td_guard *guard) {
  return END_VALUE ^ (GC_word)(guard + 1);
}
static const GC_word *last_word(const struct td_guard *guard, size_t cell_bytes) {
  return (const GC_word *)guard + cell_bytes / WORD - 1;
}
static const GC_word *word_behind(const struct td_guard *guard) {
  return (const GC_word *)(guard + 1) + (guard->bytes + WORD - 1) / WORD;
}

static void begin_to_use(void) {
  if (td_detour_has(TD_DETOUR_GUARDS)) return;
  GC_register_displacement(sizeof(struct td_guard));
  td_detour_add(TD_DETOUR_GUARDS);
}

void *td_guard_put(const char *function, void *object, size_t bytes, const char *file, int line) {
  if (!object) {
    td_bdwgc_tell("%s(%zu) returns NULL (%s:%d)", function, bytes, file ? file : "?", line);
    return NULL;
  }
  if (tide_object_find(td_bdwgc_heap, object) != object) return object;
  struct tide_mutator *self = td_bdwgc_start();
  TD_LEAVES_REGION;
  struct td_guard *guard = object;
  begin_to_use();
  tide_stop_hold(self); /* or a check of the heap might find half of them */
  *guard = (struct td_guard){file, line, bytes, begin_value(guard)};
  *(GC_word *)word_behind(guard) = end_value(guard);
  *(GC_word *)last_word(guard, tide_object_bytes(td_bdwgc_heap, object)) = end_value(guard);
  tide_stop_release(self);
  return guard + 1;
}

void td_guard_forget(void *object) {
  if (!td_detour_has(TD_DETOUR_GUARDS)) return;
  struct td_guard *guard = object;
  size_t cell_bytes = tide_object_bytes(td_bdwgc_heap, object);
  if (cell_bytes < TD_GUARD_BYTES) return;
  guard->begin = 0;
  *(GC_word *)last_word(guard, cell_bytes) = 0;
}

enum td_guard_state td_guard_look(const void *object, size_t cell_bytes) {
  const struct td_guard *guard = object;
  if (cell_bytes < TD_GUARD_BYTES) return TD_GUARD_NONE;
  if (guard->begin != begin_value(guard) && *last_word(guard, cell_bytes) != end_value(guard))
    return TD_GUARD_NONE;
  return guard->bytes == cell_bytes ? TD_GUARD_FREED : TD_GUARD_IN_USE;
}

const void *td_guard_smashed(const struct td_guard *guard, size_t cell_bytes) {
  if (guard->bytes > cell_bytes - TD_GUARD_BYTES) return &guard->bytes;
  if (guard->begin != begin_value(guard)) return &guard->begin;
  const GC_word *last = last_word(guard, cell_bytes), *behind = word_behind(guard);
  if (*behind != end_value(guard)) return behind;
  return *last != end_value(guard) ? last : NULL;
}

void td_guard_fill(struct td_guard *guard, size_t cell_bytes) {
  GC_word *end = (GC_word *)last_word(guard, cell_bytes) + 1;
  for (GC_word *word = (GC_word *)(guard + 1); word < end; word++)
    *word = FREED_VALUE;
  guard->bytes = cell_bytes;
}

const void *td_guard_touched(const struct td_guard *guard, size_t cell_bytes) {
  const GC_word *end = last_word(guard, cell_bytes) + 1;
  for (const GC_word *word = (const GC_word *)(guard + 1); word < end; word++)
    if (*word != FREED_VALUE) return word;
  return NULL;
}

/* ---- In words ---- */

/* A header that was written over may hold anything. */
static const char *file_of(const struct td_guard *guard) {
  uintptr_t page = (uintptr_t)guard->file & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
  if (!guard->file) return "?";
  return msync((void *)page, 1, MS_ASYNC) == 0 ? guard->file : "(smashed)";
}

static void describe_smashed(const struct td_guard *guard, const void *smashed, char *text,
                             size_t text_bytes) {
  if ((uintptr_t)smashed <= (uintptr_t)&guard->bytes)
    snprintf(text, text_bytes, "%p in the header of %p", smashed, (const void *)(guard + 1));
  else
    snprintf(text, text_bytes, "%p in or near %p (%.200s:%d, sz= %zu)", smashed,
             (const void *)(guard + 1), file_of(guard), (int)guard->line, guard->bytes);
}

void td_guard_tell(const char *where, const struct td_guard *guard, const void *smashed) {
  char text[TD_GUARD_TEXT_BYTES];
  describe_smashed(guard, smashed, text, sizeof text);
  td_bdwgc_tell("%s: smashed: %s", where, text);
  atomic_store_explicit(&found, true, memory_order_relaxed); /* relaxed: see td_guard_found */
}

#define TYPE_TEXT_BYTES 41 /* what programs write at most */
static GC_describe_type_fn describers[TD_KIND_COUNT];

EXPORT void GC_register_describe_type_fn(int kind, GC_describe_type_fn function) {
  if (kind < 0 || kind >= TD_KIND_COUNT)
    td_bdwgc_die("GC_register_describe_type_fn: there is no kind %d", kind);
  describers[kind] = function;
}

void td_guard_describe(const void *object, char *text, size_t text_bytes) {
  static const char *const names[] = {"PTRFREE", "NORMAL", "UNCOLLECTABLE", "ATOMIC_UNCOLLECTABLE"};
  const struct td_guard *guard = object;
  char kind_text[TYPE_TEXT_BYTES + 1];
  size_t bytes;
  int kind = GC_get_kind_and_size(object, &bytes);
  bool has_guards = td_guard_look(object, bytes) != TD_GUARD_NONE;
  snprintf(kind_text, sizeof kind_text, "kind= %d", kind);
  if (kind < GC_I_FIRST_FREE) snprintf(kind_text, sizeof kind_text, "%s", names[kind]);
  if (describers[kind])
    describers[kind](has_guards ? (void *)(guard + 1) : (void *)object, kind_text);
  kind_text[TYPE_TEXT_BYTES] = 0;
  if (has_guards)
    snprintf(text, text_bytes, "%p (%.200s:%d, sz= %zu, %s)", (const void *)(guard + 1),
             file_of(guard), (int)guard->line, guard->bytes, kind_text);
  else
    snprintf(text, text_bytes, "%p (appr. sz= %zu, %s)", object, bytes, kind_text);
}

/* ---- All objects ---- */

/* Nothing may be printed while the others stand still: they could hold the stream's lock. */
#define FINDINGS_MOST 20u
struct findings {
  unsigned count, more;
  char text[FINDINGS_MOST][TD_GUARD_TEXT_BYTES];
};

static bool check_one(void *object, size_t bytes, tide_layout layout, void *context) {
  (void)bytes, (void)layout;
  struct findings *findings = context;
  size_t cell_bytes = tide_object_bytes(td_bdwgc_heap, object);
  if (td_guard_look(object, cell_bytes) != TD_GUARD_IN_USE) return true;
  const void *smashed = td_guard_smashed(object, cell_bytes);
  if (!smashed) return true;
  if (findings->count == FINDINGS_MOST)
    findings->more++;
  else
    describe_smashed(object, smashed, findings->text[findings->count++], sizeof findings->text[0]);
  return true;
}

static void check_all(void) {
  static struct findings findings;
  findings.count = findings.more = 0;
  if (tide_heap_walk(td_bdwgc_start(), check_one, &findings) != TIDE_OK) return;
  for (unsigned i = 0; i < findings.count; i++)
    td_bdwgc_tell("collection: smashed: %s", findings.text[i]);
  if (findings.more) td_bdwgc_tell("collection: %u more objects are smashed", findings.more);
  /* relaxed: see td_guard_found. */
  if (findings.count) atomic_store_explicit(&found, true, memory_order_relaxed);
}

void td_guard_check_heap(void) {
  static atomic_flag busy = ATOMIC_FLAG_INIT;
  static GC_word checked; /* the collection after which all was checked */
  if (!td_detour_has(TD_DETOUR_GUARDS)) return;
  /* acquire [guard.check]: what another thread found was told of. */
  if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) return;
  if (checked != GC_gc_no) {
    checked = GC_gc_no;
    check_all();
  }
  atomic_flag_clear_explicit(&busy, memory_order_release); /* release [guard.check] */
}
