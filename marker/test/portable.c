/* SPDX-License-Identifier: MIT */
/* The loops of testing in C. */
#include "marker/test/loops.h"

/* ---- Scanning groups ---- */

/* Each kind has its own loop: how many slots an object has is a constant there. */

/* What the loops keep in registers. */
struct scanning {
  uintptr_t base;
  uint64_t granules;
  const struct td_block *blocks;
  const uint32_t *at, *ahead;
  uint32_t *references;
  size_t count;
  const struct td_space *space; /* for words */
  uint64_t looked_up;           /* as of a view */
};

TD_INLINE struct scanning begin(const struct td_tester *t) {
  return (struct scanning){.base = t->v.base,
                           .granules = t->v.granules,
                           .blocks = t->v.space->blocks,
                           .at = t->now->at,
                           .ahead = t->next->at,
                           .references = t->filling,
                           .count = t->count,
                           .space = t->v.space,
                           .looked_up = t->v.looked_up};
}

TD_INLINE uintptr_t address_of(const struct scanning *s, uint32_t granule) {
  return s->base + ((uintptr_t)granule << TD_GRANULE_LOG2);
}

/* Asks for an object of the next group. */
TD_INLINE void fetch(const struct scanning *s, uint32_t i) {
  td_fetch_object(address_of(s, s->ahead[i]));
}

/* Adds a word if it is a reference. Any other word is overwritten by the next one: that is cheaper
 * than a branch. */
TD_INLINE void add(struct scanning *s, uintptr_t word) {
  uint64_t granule = td_granule_of(s->base, word);
  s->references[s->count] = (uint32_t)granule;
  s->count += granule < s->granules;
}

/* Writes the cell that a word points into, and returns how many that are. */
static __attribute__((noinline)) size_t look_up(const struct td_space *space, uintptr_t word,
                                                uint32_t *to) {
  uintptr_t cell = td_view_inside(space, word);
  *to = (uint32_t)td_granule_of(space->base, cell);
  return cell != 0;
}

/* The same for a word that may be a pointer, in a heap where none has to be looked up. */
TD_INLINE void add_word(struct scanning *s, uintptr_t word) {
  uint64_t granule = (word - s->base) >> TD_GRANULE_LOG2;
  s->references[s->count] = (uint32_t)granule;
  s->count += granule < s->granules;
}

/* The same in any heap: td_view_word. */
TD_INLINE void add_any_word(struct scanning *s, uintptr_t word) {
  uint64_t granule = (word - s->base) >> TD_GRANULE_LOG2;
  const uint64_t inside = granule < s->granules;
  uint32_t *to = &s->references[s->count];
  *to = (uint32_t)granule;
  s->count += inside;
  if (__builtin_expect((inside & s->looked_up >> (word & 63)) != 0, 0))
    s->count += look_up(s->space, word, to) - 1;
}

/* Objects of `count` slots that the map names, or whose first `count` words may be pointers. Both
 * are constants. */
TD_INLINE void scan_short(struct td_tester *t, unsigned count, bool may_point) {
  struct scanning s = begin(t);
  const uint32_t objects = t->now->count;
  for (uint32_t i = 0; i < objects; i++) {
    fetch(&s, i);
    const uintptr_t *words = (const uintptr_t *)address_of(&s, s.at[i]);
    uint64_t map = s.blocks[s.at[i] >> TD_BLOCK_GRANULES_LOG2].map;
#pragma GCC unroll 8
    for (unsigned k = 0; k < count; k++, map &= map - 1)
      if (may_point)
        add_word(&s, td_slot_load(&words[k]));
      else
        add(&s, td_slot_load(&words[(unsigned)__builtin_ctzll(map)]));
  }
  t->now->count = 0;
  t->count = (uint32_t)s.count;
}

#define SCAN(name, count, may_point)                                                               \
  static void scan_##name##_##count(struct td_tester *t) {                                         \
    scan_short(t, count, may_point);                                                               \
  }
SCAN(slots, 1, false)
SCAN(slots, 2, false)
SCAN(slots, 3, false)
SCAN(slots, 4, false)
SCAN(slots, 5, false)
SCAN(slots, 6, false)
SCAN(slots, 7, false)
SCAN(slots, 8, false)
SCAN(words, 2, true)
SCAN(words, 4, true)
SCAN(words, 6, true)
SCAN(words, 8, true)

typedef void add_fn(struct scanning *s, uintptr_t word);

/* A map that names all of the first words, as nearly every map of words does, needs no bits. */
TD_INLINE void add_mapped(struct scanning *s, const uintptr_t *words, uint64_t map, bool may_point,
                          add_fn *add_one) {
  if (may_point && (map & (map + 1)) == 0) {
    const unsigned count = 64u - (unsigned)__builtin_clzll(map);
#pragma GCC unroll 4
    for (unsigned k = 0; k < count; k++)
      add_one(s, td_slot_load(&words[k]));
    return;
  }
  for (; map; map &= map - 1)
    add_one(s, td_slot_load(&words[(unsigned)__builtin_ctzll(map)]));
}

/* Objects with more slots. There may be a batch of references before all are scanned: the first of
 * the group are left then. */
TD_INLINE void scan_some(struct td_tester *t, bool may_point, add_fn *add_one) {
  struct scanning s = begin(t);
  uint32_t i = t->now->count;
  while (i > 0 && s.count < TD_TEST_BATCH) {
    fetch(&s, --i);
    /* All words of these are read, and there are more than eight. */
    if (may_point) __builtin_prefetch((void *)(address_of(&s, s.ahead[i]) + TD_FETCH_LONG_BYTES));
    add_mapped(&s, (const uintptr_t *)address_of(&s, s.at[i]),
               s.blocks[s.at[i] >> TD_BLOCK_GRANULES_LOG2].map, may_point, add_one);
  }
  t->now->count = i;
  t->count = (uint32_t)s.count;
}

static void scan_map(struct td_tester *t) {
  scan_some(t, false, add);
}

static void scan_some_words(struct td_tester *t) {
  scan_some(t, true, add_word);
}

static void scan_any_words(struct td_tester *t) {
  scan_some(t, true, add_any_word);
}

TD_INLINE void add_all(struct td_tester *t, const uintptr_t *words, size_t count, add_fn *add_one) {
  struct scanning s = begin(t);
#pragma GCC unroll 4
  for (size_t i = 0; i < count; i++)
    add_one(&s, td_slot_load(&words[i]));
  t->count = (uint32_t)s.count;
}

static void add_slots(struct td_tester *t, const uintptr_t *slots, size_t count) {
  add_all(t, slots, count, add);
}

void td_tester_add_words(struct td_tester *t, const uintptr_t *words, size_t count) {
  if (t->v.looked_up)
    add_all(t, words, count, add_any_word);
  else
    add_all(t, words, count, add_word);
}

static void scan(struct td_tester *t) {
  static void (*const scans[])(struct td_tester *) = {
      [TD_KIND_SLOTS_1] = scan_slots_1, [TD_KIND_SLOTS_2] = scan_slots_2,
      [TD_KIND_SLOTS_3] = scan_slots_3, [TD_KIND_SLOTS_4] = scan_slots_4,
      [TD_KIND_SLOTS_5] = scan_slots_5, [TD_KIND_SLOTS_6] = scan_slots_6,
      [TD_KIND_SLOTS_7] = scan_slots_7, [TD_KIND_SLOTS_8] = scan_slots_8,
      [TD_KIND_BITMAP] = scan_map,      [TD_KIND_WORDS_2] = scan_words_2,
      [TD_KIND_WORDS_4] = scan_words_4, [TD_KIND_WORDS_6] = scan_words_6,
      [TD_KIND_WORDS_8] = scan_words_8, [TD_KIND_WORDS] = scan_some_words,
  };
  if (t->v.looked_up && td_kind_is_words(t->now->kind))
    scan_any_words(t);
  else
    scans[t->now->kind](t);
}

/* ---- Testing batches ---- */

/* `words` is a constant here. */
TD_INLINE uint32_t sift_any(const struct td_tester *t, bool words) {
  const uint8_t *const marks = t->v.space->marks;
  uint32_t *const references = t->other;
  const uint32_t *const later = t->filling;
  const size_t count = t->waiting;
  const uint8_t epoch = t->v.epoch, white = t->v.white;
  size_t kept = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < count; i++) {
    uint32_t granule = references[i];
    uint8_t mark = td_mark_load(&marks[granule]);
    references[kept] = granule;
    kept += words ? (mark & (TD_DEFERRED - 1)) != epoch : mark == white;
    __builtin_prefetch(&marks[later[i]], 1);
  }
  for (size_t i = count; i < t->count; i++)
    __builtin_prefetch(&marks[later[i]], 1);
  return (uint32_t)kept;
}

static uint32_t sift(struct td_tester *t, bool words) {
  return words ? sift_any(t, true) : sift_any(t, false);
}

__attribute__((cold)) void td_tester_add_inside(struct td_tester *t, uint32_t granule) {
  uintptr_t cell = td_view_inside(t->v.space, td_view_object(&t->v, granule));
  if (cell) t->filling[t->count++] = (uint32_t)td_view_granule(&t->v, cell);
}

static void admit(struct td_tester *t, uint32_t count) {
  uint8_t *const marks = t->v.space->marks;
  const struct td_block *const blocks = t->v.space->blocks;
  const uint32_t *const references = t->other;
  const uint8_t epoch = t->v.epoch, white = t->v.white;
  uint64_t objects = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t granule = references[i];
    const uint8_t mark = td_mark_load(&marks[granule]);
    if (__builtin_expect(mark != white, 0)) {
      if ((mark & (TD_DEFERRED - 1)) != epoch) td_tester_add_inside(t, granule);
      continue;
    }
    const uint32_t kind = blocks[granule >> TD_BLOCK_GRANULES_LOG2].kind;
    const uint32_t grey = t->grey[kind];
    td_mark_store(&marks[granule], epoch);
    t->stack[kind][grey] = granule;
    t->grey[kind] = grey + 1;
    objects++;
  }
  t->grey[TD_KIND_LEAF] = t->grey[TD_KIND_NONE] = 0;
  t->objects += objects;
}

const struct td_test_loops td_test_portable = {scan, add_slots, sift, admit};
