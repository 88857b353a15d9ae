/* Notes about objects that live as long as the objects: a weak table. The table's entries do not
 * keep their keys, and go when the keys go. */
#include <stdio.h>

#include "tide/tide.h"

enum { KEYS = 100, KEPT = 10 };

struct tables {
  struct tide_weak_table *notes;
  void *kept[KEPT];
};

/* Gives every key a note, but keeps only some keys. */
static bool fill(struct tide_mutator *me, struct tables *roots) {
  for (int i = 0; i < KEYS; i++) {
    void *key = tide_alloc(me, TIDE_LAYOUT_LEAF, 16);
    long *note = tide_alloc(me, TIDE_LAYOUT_LEAF, sizeof *note);
    if (!key || !note || !tide_weak_table_put(me, roots->notes, key, note)) return false;
    *note = i;
    if (i < KEPT) roots->kept[i] = key;
  }
  return true;
}

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  struct tide_mutator *me = heap ? tide_attach(heap, NULL, &error) : NULL;
  if (!me) {
    fprintf(stderr, "weak_table: %s\n", error.text);
    return 1;
  }
  static struct tables roots; /* all of its words are references */
  tide_root_add_range(heap, &roots, sizeof roots / sizeof(void *));
  roots.notes = tide_weak_table_new(me);
  if (!roots.notes || !fill(me, &roots)) return 1;
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
  return tide_heap_destroy(heap) == TIDE_OK && found == KEPT && left < KEYS ? 0 : 1;
}
