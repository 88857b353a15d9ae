/* SPDX-License-Identifier: MIT */
/* What the debugging calls promise: objects with guards, and leaks that are found. As semantics.c,
 * it runs on ours and on Debian's library. What is printed differs in words; positions in the
 * source, sizes and addresses must be there. */
#define GC_DEBUG
#include "tests/bdwgc/semantics.h"

#define HEADER GC_get_debug_header_size()
#define POISON 42
#define KIND_HELD 2 /* no header names it */

/* ---- What the library says ---- */

static int real_stderr;
static FILE *said;
static char *text; /* not in static data, which would be roots */
enum { TEXT_BYTES = 1 << 20 };

static void listen(void) {
  said = tmpfile();
  real_stderr = dup(2);
  CHECK(said && real_stderr >= 0);
  CHECK(dup2(fileno(said), 2) == 2);
}
/* What was said since. */
static const char *heard(void) {
  fflush(stderr);
  CHECK(dup2(real_stderr, 2) == 2);
  rewind(said);
  if (!text) text = malloc(TEXT_BYTES);
  CHECK(text);
  text[fread(text, 1, TEXT_BYTES - 1, said)] = 0;
  fclose(said);
  close(real_stderr);
  fputs(text, stderr);
  return text;
}
static bool mentions(const char *what, int line, size_t bytes) {
  char place[100];
  snprintf(place, sizeof place, "debugging.c:%d, sz= %zu", line, bytes);
  return strstr(what, place) != NULL;
}
static bool mentions_address(const char *what, const void *address) {
  char number[30];
  snprintf(number, sizeof number, "%p", address);
  return strstr(what, number) != NULL;
}
static unsigned count(const char *what, const char *part) {
  unsigned found = 0;
  for (const char *at = what; (at = strstr(at, part)) != NULL; at++)
    found++;
  return found;
}

/* ---- Objects ---- */

static char *volatile kept[2000];

PART(debugging_objects) {
  char *object = GC_MALLOC(100), *text_copy = GC_STRDUP("text"), *part = GC_STRNDUP("longer", 4);
  CHECK(HEADER == 4 * sizeof(void *) && (char *)GC_base(object + 50) + HEADER == object);
  CHECK(GC_size(GC_base(object)) >= 100 + HEADER + sizeof(void *));
  CHECK(GC_size(object) == GC_size(GC_base(object)));
  for (int i = 0; i < 100; i++)
    CHECK(object[i] == 0);
  CHECK(!strcmp(text_copy, "text") && !strcmp(part, "long"));
  memset(object, 'x', 100);
  object = GC_REALLOC(object, 5000);
  CHECK(object[0] == 'x' && object[99] == 'x' && object[100] == 0 && object[4999] == 0);
  object = GC_REALLOC(object, 10);
  CHECK(object[9] == 'x' && GC_REALLOC(object, 0) == NULL);
  CHECK((object = GC_REALLOC(NULL, 8)) != NULL && (char *)GC_base(object) + HEADER == object);
  kept[0] = GC_MALLOC_UNCOLLECTABLE(24);
  kept[0] = GC_REALLOC(kept[0], 240);
  CHECK(GC_get_kind_and_size(kept[0], NULL) == KIND_HELD);
  CHECK(GC_get_kind_and_size(GC_base(kept[0]), NULL) == KIND_HELD);
  GC_FREE(kept[0]);
  GC_FREE(NULL);
  object = GC_debug_malloc_replacement(40);
  CHECK(object[39] == 0 && (char *)GC_base(object) + HEADER == object);
}

static APART void hide_some(void) {
  for (int i = 0; i < 100; i++) {
    char *object = GC_MALLOC_ATOMIC(30);
    memset(object, 'a' + i % 26, 30);
    kept[i] = object; /* points behind the header */
  }
}
/* Without interior pointers, those behind the header count. */
PART(debugging_base_only, .early = true) {
  GC_set_all_interior_pointers(0);
  GC_INIT();
  hide_some();
  collect();
  for (int i = 0; i < 1000; i++)
    memset(GC_MALLOC_ATOMIC(30), 0xff, 30);
  for (int i = 0; i < 100; i++)
    CHECK(kept[i][0] == 'a' + i % 26 && kept[i][29] == 'a' + i % 26);
}

static int finalized;
static void *seen_object;
static void note(void *object, void *data) {
  CHECK(data == &finalized && (char *)GC_base(object) + HEADER == object);
  seen_object = object;
  finalized++;
}
static void other(void *object, void *data) {}
static APART void make_finalized(void) {
  for (int i = 0; i < 50; i++) {
    GC_finalization_proc old = note;
    void *old_data = &old, *object = GC_MALLOC(40);
    GC_REGISTER_FINALIZER(object, other, object, &old, &old_data);
    CHECK(old == 0 && old_data == NULL);
    GC_REGISTER_FINALIZER_NO_ORDER(object, note, &finalized, &old, &old_data);
    CHECK(old == other && old_data == object);
    if (i % 2) GC_REGISTER_FINALIZER_IGNORE_SELF(object, 0, NULL, &old, &old_data);
    CHECK(i % 2 == 0 || (old == note && old_data == &finalized));
  }
}
PART(debugging_finalizers) {
  in_thread(make_finalized);
  collect();
  GC_invoke_finalizers();
  CHECK(finalized > 15 && finalized <= 25 && seen_object != NULL);
}

/* ---- Guards ---- */

static int line_smashed;
static char *volatile victim;

PART(debugging_smashed) {
  victim = GC_MALLOC(40);
  line_smashed = __LINE__ - 1;
  kept[0] = GC_MALLOC(40);
  listen();
  collect();
  CHECK(!strstr(heard(), "debugging.c")); /* nothing is wrong yet */
  victim[41] = POISON;
  listen();
  GC_gcollect();
  CHECK(mentions(heard(), line_smashed, 40) && mentions_address(text, victim + 40));
  CHECK(count(text, "debugging.c") == 1);
  listen();
  GC_FREE(victim);
  CHECK(mentions(heard(), line_smashed, 40) && strstr(text, "GC_debug_free"));
  char *volatile before = GC_STRDUP("underflow");
  int line = __LINE__ - 1;
  before[-1] = POISON;
  listen();
  GC_gcollect();
  CHECK(mentions(heard(), line, 10) && mentions_address(text, before - 8));
}

static APART void leave_guards(void) {
  for (int i = 0; i < 2000; i++)
    memset(GC_MALLOC_ATOMIC(40), 'g', 40);
}
/* Objects that are not zeroed lie where debugging objects did, and are none. */
PART(debugging_old_guards) {
  leave_guards();
  collect();
  size_t bytes = 40 + HEADER + sizeof(void *) - 1; /* one is added, as to them */
  for (int i = 0; i < 2000; i++) {
    char *object = (GC_malloc_atomic)(bytes);
    kept[i] = object;
    memset(object + HEADER, 'p', bytes - HEADER); /* what is in front stays as it was */
  }
  listen();
  collect();
  CHECK(!strstr(heard(), "debugging.c"));
}

PART(debugging_freed_twice) {
  char *volatile object = GC_MALLOC_ATOMIC(40);
  GC_FREE(object);
  CHECK(((GC_word *)object)[0] == (GC_word)0xefbeaddedeadbeefu);
  listen();
  GC_FREE(object);
  CHECK(strstr(heard(), "GC_debug_free") && mentions_address(text, object));
  void *plain = (GC_malloc)(40);
  listen();
  GC_FREE(plain);
  CHECK(strstr(heard(), "GC_debug_free") && mentions_address(text, plain));
}

static void free_victim(void) {
  GC_FREE(victim);
}
/* What is freed is not smashed, though the thread that freed it has ended and the program still
 * points at it. */
PART(debugging_freed_elsewhere) {
  victim = GC_MALLOC_ATOMIC_UNCOLLECTABLE(40);
  listen();
  in_thread(free_victim);
  collect();
  CHECK(!strstr(heard(), "smashed"));
}

/* Threads that are stopped anywhere leave no half-made guards. */
static void *make_many(void *data) {
  unsigned mine = (unsigned)(GC_word)data;
  for (unsigned i = 0; i < 60000; i++) {
    char *object = i % 2 ? GC_MALLOC(i % 100) : GC_MALLOC_ATOMIC(i % 300);
    if (i % 3 == 0)
      GC_FREE(object);
    else
      kept[mine * 500 + i % 500] = object;
  }
  return NULL;
}
PART(debugging_in_threads) {
  pthread_t thread[3];
  listen();
  start_all(thread, 3, make_many);
  for (int i = 0; i < 30; i++)
    GC_gcollect();
  finish_all(thread, 3);
  CHECK(!strstr(heard(), "debugging.c"));
}

/* ---- Leaks ---- */

static int line_leaked;
static APART void leak_some(void) {
  for (int i = 0; i < 10; i++) {
    char *leaked = GC_MALLOC(77);
    line_leaked = __LINE__ - 1;
    char *freed = GC_MALLOC_ATOMIC(78), *held = GC_MALLOC_UNCOLLECTABLE(79);
    *(char **)leaked = GC_STRDUP("inside");
    GC_REGISTER_FINALIZER(leaked, other, NULL, NULL, NULL); /* none in this mode */
    GC_FREE(freed);
    (void)held;
  }
  kept[0] = GC_MALLOC(80);
}
static void find_leaks(void) {
  CHECK(GC_get_find_leak());
  void *target = GC_MALLOC(10), *link = target;
  CHECK(GC_general_register_disappearing_link(&link, GC_base(target)) == GC_UNIMPLEMENTED);
  listen();
  in_thread(leak_some);
  collect();
  GC_free(GC_malloc(8));
  collect();
  const char *what = heard();
  CHECK(mentions(what, line_leaked, 77) && mentions(what, line_leaked + 3, 7));
  CHECK(count(what, "sz= 77") >= 7 && count(what, "sz= 77") <= 10);
  CHECK(!strstr(what, "sz= 78") && !strstr(what, "sz= 79") && !strstr(what, "sz= 80"));
}
PART(debugging_leaks, .early = true) {
  GC_set_find_leak(1);
  GC_INIT();
  find_leaks();
}
/* By GC_FIND_LEAK, which the test sets. */
PART(debugging_leaks_by_variable, .early = true) {
  GC_INIT();
  find_leaks();
}

static APART void write_after_free(void) {
  for (int i = 0; i < 10; i++) {
    char *object = GC_MALLOC_ATOMIC(64);
    GC_FREE(object);
    object[17] = POISON;
    object = GC_MALLOC_ATOMIC(65);
    GC_FREE(object);
  }
}
/* GC_FINDLEAK_DELAY_FREE is set. */
PART(debugging_written_after_free, .early = true) {
  GC_set_find_leak(1);
  GC_INIT();
  listen();
  in_thread(write_after_free);
  collect();
  GC_free(GC_malloc(8));
  collect();
  CHECK(strlen(heard()) > 0 && !strstr(text, "sz= 65"));
}
