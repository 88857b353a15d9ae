/* SPDX-License-Identifier: MIT */
/* Random graphs of objects of all layouts, references from everywhere to everywhere. Words that
 * are no slots get the addresses of objects too: whoever follows them marks too much. */
#ifndef TD_TESTS_MARKING_MIXED_H
#define TD_TESTS_MARKING_MIXED_H

#include "tests/marking/rig.h"

enum mixed_kind {
  MIXED_LEAF,
  MIXED_PAIR,         /* bitmap of two slots */
  MIXED_RECORD,       /* bitmap of 40 words */
  MIXED_REFS,         /* up to 64 words */
  MIXED_PREFIXED,     /* a few words, then slots */
  MIXED_ARRAY,        /* some thousand slots, several slices */
  MIXED_LONG,         /* bitmap of 300 words, nearly all slots: more than a tracer holds */
  MIXED_CONSERVATIVE, /* addresses at and into objects */
  MIXED_TRACED,       /* own trace function, up to 700 references */
  MIXED_LARGE,        /* blocks of its own */
  MIXED_KINDS
};

#define MIXED_PREFIX 3u
#define MIXED_RECORD_MAP UINT64_C(0x00a3c50f37)
#define MIXED_LONG_WORDS 300u

struct mixed {
  struct rig *rig;
  tide_layout layout[MIXED_KINDS];
  uint32_t random;
  uint32_t count;
  void **object;   /* a root range while building */
  uint8_t *kind;   /* [count] */
  size_t *words;   /* [count] */
  uint32_t rooted; /* objects of the final root range */
  void **root;
};

static inline uint32_t mixed_random(struct mixed *g, uint32_t below) {
  return random_next(&g->random) % below;
}

/* First word: how many references follow. Handed over in three ways. */
static void mixed_trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  void **words = object;
  size_t count = (uintptr_t)words[0];
  CHECK(count < bytes / sizeof *words);
  size_t third = count / 3;
  for (size_t i = 0; i < third; i++)
    tide_trace(tracer, words[1 + i]);
  tide_trace_range(tracer, words + 1 + third, third);
  for (size_t i = 2 * third; i < count; i++)
    tide_trace_conservative(tracer, (uintptr_t)words[1 + i]);
}

static inline bool mixed_is_slot(uint8_t kind, size_t word) {
  if (kind == MIXED_PAIR) return word < 2;
  if (kind == MIXED_RECORD) return word < 40 && MIXED_RECORD_MAP >> word & 1;
  if (kind == MIXED_PREFIXED) return word >= MIXED_PREFIX;
  if (kind == MIXED_LONG) return word < MIXED_LONG_WORDS && word % 17 != 3;
  if (kind == MIXED_TRACED) return word > 0;
  return kind != MIXED_LEAF;
}

static inline void mixed_layouts(struct mixed *g) {
  struct tide_heap *heap = g->rig->heap;
  uint64_t pair = 3, record = MIXED_RECORD_MAP, longer[(MIXED_LONG_WORDS + 63) / 64] = {0};
  for (size_t i = 0; i < MIXED_LONG_WORDS; i++)
    if (mixed_is_slot(MIXED_LONG, i)) longer[i / 64] |= (uint64_t)1 << (i % 64);
  for (int i = 0; i < MIXED_KINDS; i++)
    g->layout[i] = TIDE_LAYOUT_REFS;
  g->layout[MIXED_LEAF] = TIDE_LAYOUT_LEAF;
  g->layout[MIXED_CONSERVATIVE] = TIDE_LAYOUT_CONSERVATIVE;
  g->layout[MIXED_PAIR] = tide_layout_bitmap(heap, &pair, 3, NULL);
  g->layout[MIXED_RECORD] = tide_layout_bitmap(heap, &record, 40, NULL);
  g->layout[MIXED_PREFIXED] = tide_layout_prefixed(heap, MIXED_PREFIX, NULL);
  g->layout[MIXED_LONG] = tide_layout_bitmap(heap, longer, MIXED_LONG_WORDS, NULL);
  g->layout[MIXED_TRACED] = tide_layout_traced(heap, mixed_trace, NULL, NULL);
  for (int i = 0; i < MIXED_KINDS; i++)
    CHECK(g->layout[i] != TIDE_LAYOUT_INVALID);
}

static inline size_t mixed_words(struct mixed *g, uint8_t kind) {
  static const struct {
    uint32_t least;        /* words, */
    uint32_t more;         /* and fewer than this many above it, */
    uint32_t now_and_then; /* but fewer than this many in one of eight; 0: never */
  } words[MIXED_KINDS] = {[MIXED_LEAF] = {1, 64, 0},
                          [MIXED_PAIR] = {3, 0, 0},
                          [MIXED_RECORD] = {40, 0, 0},
                          [MIXED_REFS] = {1, 64, 0},
                          [MIXED_PREFIXED] = {MIXED_PREFIX + 1, 40, 1500},
                          [MIXED_ARRAY] = {65, 3500, 0},
                          [MIXED_LONG] = {MIXED_LONG_WORDS, 10, 0},
                          [MIXED_CONSERVATIVE] = {1, 30, 1500},
                          [MIXED_TRACED] = {1, 40, 700},
                          [MIXED_LARGE] = {4097, 20000, 0}};
  uint32_t more = words[kind].more;
  if (words[kind].now_and_then && mixed_random(g, 8) == 0) more = words[kind].now_and_then;
  return words[kind].least + (more ? mixed_random(g, more) : 0);
}

/* Small objects are the rule; whole arrays of them would make every graph dense. */
static inline uint8_t mixed_choose(struct mixed *g) {
  static const uint8_t rare[] = {MIXED_ARRAY, MIXED_LONG, MIXED_LARGE};
  if (mixed_random(g, 64) == 0) return rare[mixed_random(g, sizeof rare)];
  static const uint8_t usual[] = {MIXED_LEAF, MIXED_PAIR,     MIXED_PAIR,   MIXED_RECORD,
                                  MIXED_REFS, MIXED_PREFIXED, MIXED_TRACED, MIXED_CONSERVATIVE};
  return usual[mixed_random(g, sizeof usual)];
}

/* A reference, nothing, or a word that only looks odd. */
static inline void *mixed_word(struct mixed *g, bool interior, uint32_t sparse) {
  uint32_t dice = mixed_random(g, sparse);
  if (dice > 1) return NULL;
  if (dice == 1) return (void *)(uintptr_t)(2 * (uintptr_t)mixed_random(g, 1u << 30) + 1);
  uint32_t target = mixed_random(g, g->count);
  size_t into = interior ? mixed_random(g, (uint32_t)(8 * g->words[target])) : 0;
  return (char *)g->object[target] + into;
}

/* Fills an object anew. Few references, so that some objects are garbage and chains are long. */
static inline void mixed_link(struct mixed *g, uint32_t i) {
  void **words = g->object[i];
  uint8_t kind = g->kind[i];
  uint32_t sparse = kind == MIXED_PAIR ? 2 : 4 + (uint32_t)g->words[i] / 4;
  for (size_t w = 0; w < g->words[i]; w++) {
    bool slot = mixed_is_slot(kind, w);
    words[w] = mixed_word(g, kind == MIXED_CONSERVATIVE || !slot, slot ? sparse : 4);
  }
  if (kind == MIXED_TRACED) words[0] = (void *)(g->words[i] - 1);
}

static inline void mixed_alloc(struct mixed *g) {
  for (uint32_t i = 0; i < g->count; i++) {
    g->kind[i] = mixed_choose(g);
    g->words[i] = mixed_words(g, g->kind[i]);
    g->object[i] = tide_alloc(g->rig->m, g->layout[g->kind[i]], g->words[i] * sizeof(void *));
    CHECK(g->object[i]);
  }
}

/* Objects 1 to `count`, of which `rooted` random ones stay roots. */
static inline void mixed_build(struct mixed *g, struct rig *r, uint32_t seed, uint32_t count,
                               uint32_t rooted) {
  *g = (struct mixed){.rig = r, .random = seed ? seed : 1, .count = count, .rooted = rooted};
  g->object = calloc(count, sizeof *g->object);
  g->kind = calloc(count, sizeof *g->kind);
  g->words = calloc(count, sizeof *g->words);
  g->root = calloc(rooted, sizeof *g->root);
  CHECK(g->object && g->kind && g->words && g->root);
  mixed_layouts(g);
  CHECK(tide_root_add_range(r->heap, g->object, count) == TIDE_OK);
  mixed_alloc(g);
  for (uint32_t i = 0; i < count; i++)
    mixed_link(g, i);
  for (uint32_t i = 0; i < rooted; i++)
    g->root[i] = g->object[mixed_random(g, count)];
  CHECK(tide_root_add_range(r->heap, g->root, rooted) == TIDE_OK);
}

/* From now on only what the roots reach stays; object[] must not be used any more. */
static inline void mixed_let_go(struct mixed *g) {
  if (!g->object) return;
  CHECK(tide_root_remove_range(g->rig->heap, g->object) == TIDE_OK);
  free(g->object);
  g->object = NULL;
}

static inline void mixed_free(struct mixed *g) {
  mixed_let_go(g);
  CHECK(tide_root_remove_range(g->rig->heap, g->root) == TIDE_OK);
  free(g->root);
  free(g->words);
  free(g->kind);
}

#endif
