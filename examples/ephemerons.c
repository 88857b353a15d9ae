/* SPDX-License-Identifier: MIT */
/* A hash table of one's own that keeps no keys: objects by identity, with ephemerons for entries. A
 * value may refer to its key. Entries whose keys have died are unlinked by whoever meets them. */
#include <err.h>
#include <stdint.h>
#include <stdio.h>

#include "tide/tide.h"

enum { BUCKETS = 64, KEYS = 1000, KEPT = 10 };

struct entry { /* all of its words are references */
  struct tide_ephemeron *pair;
  struct entry *next;
};
struct value { /* here, too */
  void *key;
  void *text;
};

static struct {
  struct entry **buckets;
  void *kept[KEPT];
} roots;

/* Objects do not move, so their addresses will do. */
static struct entry **bucket_of(const void *key) {
  return &roots.buckets[((uintptr_t)key >> 4) * 2654435761u % BUCKETS];
}

/* Unlinks what is dead on the way. Returns NULL if there is no such entry. */
static struct entry *find(struct tide_mutator *me, const void *key) {
  void *holder = roots.buckets;
  for (struct entry **link = bucket_of(key), *entry; (entry = *link) != NULL;) {
    void *found = tide_ephemeron_key(me, entry->pair);
    if (found && found == key) return entry;
    if (!found) {
      tide_write(me, holder, link, entry->next);
      continue;
    }
    holder = entry;
    link = &entry->next;
  }
  return NULL;
}

/* Returns false if memory runs out. */
static bool put(struct tide_mutator *me, void *key, void *value) {
  struct entry *entry = find(me, key);
  if (entry) {
    tide_ephemeron_set(me, entry->pair, value);
    return true;
  }
  struct tide_ephemeron *pair = tide_ephemeron_new(me, key, value);
  entry = pair ? tide_alloc(me, TIDE_LAYOUT_REFS, sizeof *entry) : NULL;
  if (!entry) return false;
  tide_write(me, entry, &entry->pair, pair);
  tide_write(me, entry, &entry->next, *bucket_of(key));
  tide_write(me, roots.buckets, bucket_of(key), entry);
  return true;
}

static unsigned count(struct tide_mutator *me) {
  unsigned entries = 0;
  for (int i = 0; i < BUCKETS; i++)
    for (const struct entry *entry = roots.buckets[i]; entry; entry = entry->next)
      entries += tide_ephemeron_key(me, entry->pair) != NULL;
  return entries;
}

/* Each value leads to its key, and would keep it in a table of another kind. */
static bool fill(struct tide_mutator *me) {
  roots.buckets = tide_alloc(me, TIDE_LAYOUT_REFS, BUCKETS * sizeof *roots.buckets);
  for (int i = 0; roots.buckets && i < KEYS; i++) {
    void *key = tide_alloc(me, TIDE_LAYOUT_LEAF, 16);
    struct value *value = tide_alloc(me, TIDE_LAYOUT_REFS, sizeof *value);
    if (!key || !value) return false;
    tide_write(me, value, &value->key, key);
    if (!put(me, key, value)) return false;
    if (i < KEPT) roots.kept[i] = key;
  }
  return roots.buckets != NULL;
}

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  if (!heap) errx(1, "cannot create a heap: %s", error.text);
  struct tide_mutator *me = tide_attach(heap, NULL, &error);
  if (!me) errx(1, "cannot attach this thread: %s", error.text);
  enum tide_status status = tide_root_add_range(heap, &roots, sizeof roots / sizeof(void *));
  if (status != TIDE_OK) errx(1, "cannot add the roots: %s", tide_status_text(status));
  if (!fill(me)) errx(1, "cannot fill the table: %s", tide_status_text(tide_alloc_status(me)));
  tide_collect(me);

  int found = 0;
  for (int i = 0; i < KEPT; i++) {
    const struct entry *entry = find(me, roots.kept[i]);
    const struct value *value = entry ? tide_ephemeron_value(me, entry->pair) : NULL;
    if (value && value->key == roots.kept[i]) found++;
  }
  unsigned left = count(me);
  printf("values of kept keys: %d\n", found);
  /* The stack is scanned conservatively, so a few dropped keys may linger. */
  printf("values of dropped keys went: %s\n", left < KEYS / 2 ? "yes" : "no");

  tide_root_remove_range(heap, &roots);
  tide_detach(me);
  tide_heap_destroy(heap);
  if (fflush(stdout) != 0) err(1, "cannot write the result");
  return found == KEPT && left < KEYS / 2 ? 0 : 1;
}
