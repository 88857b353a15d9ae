/* SPDX-License-Identifier: MIT */
/* A table of symbols: each text once, for as long as somebody holds the symbol. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tide/tide.h>

struct symbol {
  size_t length;
  char text[];
};

struct interner {
  struct tide_mutator *m;
  struct tide_weak_table *table;
};

static uint64_t hash_text(const char *text, size_t length) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  return hash;
}

static uint64_t hash(const void *key, void *context) {
  (void)context;
  const struct symbol *symbol = key;
  return hash_text(symbol->text, symbol->length);
}

static bool equal(const void *inside, const void *key, void *context) {
  (void)context;
  const struct symbol *a = inside, *b = key;
  return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* Returns the symbol of the text, or NULL without memory. */
static struct symbol *intern(struct interner *interner, const char *text) {
  size_t length = strlen(text);
  struct symbol *fresh =
      tide_alloc(interner->m, TIDE_LAYOUT_LEAF, sizeof(struct symbol) + length + 1);
  if (!fresh) return NULL;
  fresh->length = length;
  memcpy(fresh->text, text, length + 1);
  return tide_weak_table_intern(interner->m, interner->table, fresh, NULL);
}

static enum tide_weak_visit print(void *key, void *value, void *context) {
  (void)value, (void)context;
  printf("  %s\n", ((struct symbol *)key)->text);
  return TIDE_WEAK_KEEP;
}

static int fail(const char *text) {
  fprintf(stderr, "symbols: %s\n", text);
  return 1;
}

int main(void) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(NULL, &error);
  if (!heap) return fail(error.text);
  struct tide_attach_options options;
  tide_attach_options_init(&options);
  options.stack = TIDE_STACK_PRECISE;
  struct interner interner = {.m = tide_attach(heap, &options, &error)};
  if (!interner.m) return fail(error.text);

  interner.table = tide_weak_table_new_by_content(interner.m, hash, equal, NULL);
  void **held = tide_handle(interner.m, interner.table), **kept = tide_handle(interner.m, NULL);
  if (!interner.table || !held || !kept) return fail("no memory");

  *kept = intern(&interner, "lambda");
  for (int i = 0; i < 1000; i++) {
    char text[32];
    snprintf(text, sizeof text, "g%d", i);
    if (!intern(&interner, text)) return fail("no memory");
  }
  struct symbol *again = intern(&interner, "lambda");
  if (!*kept || again != *kept) return fail("two symbols with one text");
  if (tide_collect(interner.m) != TIDE_OK) return fail("no collection");
  printf("%zu symbol is left:\n", tide_weak_table_count(interner.m, interner.table));
  tide_weak_table_each(interner.m, interner.table, print, NULL);
  if (fflush(stdout) != 0) return fail(strerror(errno));

  tide_detach(interner.m);
  return tide_heap_destroy(heap) != TIDE_OK;
}
