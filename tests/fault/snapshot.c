/* SPDX-License-Identifier: MIT */
/* Snapshots when memory runs out: the n-th request of memory is refused, for every n, and then all
 * later ones too. A file that is there is whole, with all objects, references and roots; where any
 * part failed, the status is TIDE_ERROR_MEMORY and there is no file. */
#include <dirent.h>

#include "tests/fault/refuse_library.h"
#include "tests/stress/driver.h"
#include "tide/inspect.h"

/* ---- A heap whose roots are thousands of words on a stack ---- */

enum { WORDS = 4000, FOUND_MOST = 3000 };

static char folder[] = "fault-snapshot-XXXXXX";

static void trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  tide_trace_range(tracer, context, FOUND_MOST);
}

struct found {
  uint64_t objects, references, roots;
};

static bool add_reference(struct tide_walk *walk, const struct tide_walk_reference *reference,
                          void *context) {
  ((struct found *)context)->references++;
  return true;
}

static bool add_object(struct tide_walk *walk, const struct tide_walk_object *object,
                       void *context) {
  ((struct found *)context)->objects++;
  CHECK(tide_walk_references(walk, object->address, add_reference, context) == TIDE_OK);
  return true;
}

static bool add_root(struct tide_walk *walk, const struct tide_walk_root *root, void *context) {
  ((struct found *)context)->roots++;
  return true;
}

struct look {
  struct found found;
  enum tide_status roots;
};

static void inspect(struct tide_walk *walk, void *context) {
  struct look *look = context;
  CHECK(tide_walk_objects(walk, add_object, &look->found) == TIDE_OK);
  CHECK(tide_walk_count(walk) == look->found.objects);
  look->roots = tide_walk_roots(walk, add_root, &look->found);
}

/* What the walk says, or the reason why not. */
static enum tide_status by_walk(struct tide_mutator *m, const char *path, struct found *found) {
  struct look look = {.roots = TIDE_OK};
  enum tide_status status = tide_heap_inspect(m, inspect, &look, NULL);
  *found = look.found;
  return status == TIDE_OK ? look.roots : status;
}

static uint64_t number_at(const char *text, const char *key) {
  const char *at = strstr(text, key);
  CHECK(at);
  return strtoull(at + strlen(key), NULL, 10);
}

static char *contents(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "r");
  CHECK(file && fseek(file, 0, SEEK_END) == 0);
  *bytes = (size_t)ftell(file);
  rewind(file);
  char *text = __real_calloc(1, *bytes + 1);
  CHECK(text && fread(text, 1, *bytes, file) == *bytes && fclose(file) == 0);
  CHECK(remove(path) == 0);
  return text;
}

static enum tide_status by_devtools(struct tide_mutator *m, const char *path, struct found *found) {
  enum tide_status status = tide_heap_snapshot(m, path, NULL);
  counting = false;
  if (status != TIDE_OK) return status;
  size_t bytes;
  char *text = contents(path, &bytes);
  CHECK(strcmp(text + bytes - 3, "]}\n") == 0);
  found->objects = number_at(text, "\"node_count\":") - 1;
  found->roots = number_at(text, "[9,0,1,0,");
  found->references = number_at(text, "\"edge_count\":") - found->roots;
  free(text);
  return TIDE_OK;
}

static uint64_t word_at(const char *text, size_t at) {
  uint64_t value;
  memcpy(&value, text + at, sizeof value); /* little-endian, as the machines that are supported */
  return value;
}

/* Only the header: tests/unit/workloads/heap_thg.c reads the rest. */
static enum tide_status by_graph(struct tide_mutator *m, const char *path, struct found *found) {
  enum tide_status status = tide_heap_snapshot_thg(m, path, NULL);
  counting = false;
  if (status != TIDE_OK) return status;
  size_t bytes;
  char *text = contents(path, &bytes);
  CHECK(word_at(text, 16) == bytes);
  found->objects = word_at(text, 24);
  found->references = word_at(text, 32); /* there are no null slots in this heap */
  found->roots = word_at(text, 40);
  free(text);
  return TIDE_OK;
}

static void expect_empty_folder(void) {
  DIR *open = opendir(folder);
  CHECK(open);
  for (struct dirent *entry; (entry = readdir(open));)
    CHECK(entry->d_name[strspn(entry->d_name, ".")] == 0);
  closedir(open);
}

typedef enum tide_status (*look_fn)(struct tide_mutator *, const char *, struct found *);

/* A fresh heap, so that all lists are short. Its only references to the objects are on the stack
 * and in what the first object traces. Returns what look said with the n-th request refused. */
static enum tide_status look_without(uint64_t n, bool later, look_fn look, struct found *found) {
  static void *known[FOUND_MOST];
  char path[sizeof folder + 8];
  snprintf(path, sizeof path, "%s/heap", folder);
  struct tide_heap *heap = HEAP();
  struct tide_mutator *m = ATTACH(heap);
  void *volatile words[WORDS];
  tide_layout traced = tide_layout_traced(heap, trace, known, NULL);
  for (int i = 0; i < WORDS; i++) {
    words[i] = tide_alloc(m, i ? TIDE_LAYOUT_LEAF : traced, 16);
    CHECK(words[i]);
    if (i && i <= FOUND_MOST) known[i - 1] = words[i];
  }
  refuse_from(n, later);
  enum tide_status status = look(m, path, found);
  counting = false;
  heap_end(heap, m);
  return status;
}

/* Words that are left on the stack by chance may be roots too. */
static void refuse_each(const char *what, bool later, look_fn look) {
  unsigned failures = 0;
  for (uint64_t n = 1;; n++) {
    struct found found = {0};
    enum tide_status status = look_without(n, later, look, &found);
    expect_empty_folder();
    failures += status != TIDE_OK;
    CHECK(status == TIDE_OK || status == TIDE_ERROR_MEMORY);
    if (status == TIDE_OK)
      CHECK(found.objects == WORDS && found.references == FOUND_MOST && found.roots >= WORDS);
    if (refused > 0) continue;
    CHECK(status == TIDE_OK);
    break;
  }
  CHECK(failures > 2);
  printf("%s: %u of the refusals are errors%s\n", what, failures,
         later ? ", all later requests refused too" : "");
}

int main(void) {
  CHECK(mkdtemp(folder));
  for (int later = 0; later < 2; later++) {
    refuse_each("walk", later, by_walk);
    refuse_each("heapsnapshot", later, by_devtools);
    refuse_each("thg", later, by_graph);
  }
  CHECK(rmdir(folder) == 0);
  return 0;
}
