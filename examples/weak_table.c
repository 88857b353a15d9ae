/* SPDX-License-Identifier: MIT */
/* Notes about objects that live as long as the objects: a weak table. The table's entries do not
 * keep their keys, and go when the keys go. */
#include <err.h>
#include <stdio.h>

#include "tide/tide.h"

enum { KEYS = 100, KEPT = 10 };

static struct {
  struct tide_weak_table *notes;
  void *kept[KEPT];
} roots; /* all of its words are references */

/* Gives every key a note, but keeps only some keys. Returns false if memory runs out. */
static bool fill(struct tide_mutator *me) {
  roots.notes = tide_weak_table_new(me);
  if (!roots.notes) return false;
  for (int i = 0; i < KEYS; i++) {
    void *key = tide_alloc(me, TIDE_LAYOUT_LEAF, 16);
    long *note = tide_alloc(me, TIDE_LAYOUT_LEAF, sizeof *note);
    if (!key || !note || !tide_weak_table_put(me, roots.notes, key, note)) return false;
    *note = i;
    if (i < KEPT) roots.kept[i] = key;
  }
  return true;
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
    long *note = tide_weak_table_get(me, roots.notes, roots.kept[i]);
    if (note && *note == i) found++;
  }
  size_t left = tide_weak_table_count(me, roots.notes);
  printf("notes of kept keys: %d\n", found);
  /* The stack is scanned conservatively, so a few dropped keys may linger. */
  printf("notes of dropped keys went: %s\n", left < KEYS ? "yes" : "no");

  tide_root_remove_range(heap, &roots);
  tide_detach(me);
  tide_heap_destroy(heap);
  if (fflush(stdout) != 0) err(1, "cannot write the result");
  return found == KEPT && left < KEYS ? 0 : 1;
}
