/* SPDX-License-Identifier: MIT */
/* Reading mark descriptors. A descriptor is a word; its two lowest bits say how to read it:
 *   LENGTH      a number of bytes: the words up to there may be pointers
 *   BITMAP      the highest bit stands for the first word, and so on
 *   PROC        the number of a procedure, and a number for it
 *   PER_OBJECT  the descriptor itself lies in the object, or in what its first word points at */
#include "bdwgc/kinds/descriptor.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bdwgc/say.h"
#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/pushed.h"
#include "bdwgc/threads/start.h"

#define BITMAP_BITS 62u

/* ---- Procedures ---- */

/* Number 0 is what older programs use for the language Java; ours for long bitmaps is the last. */
#define RESERVED_PROCS 8u
#define LONG_BITMAP_PROC (GC_MAX_MARK_PROCS - 1)

static GC_mark_proc procedures[GC_MAX_MARK_PROCS];
static unsigned procedure_count = RESERVED_PROCS;

EXPORT unsigned GC_new_proc(GC_mark_proc procedure) {
  td_bdwgc_lock(TD_LOCK_DESCRIPTORS);
  unsigned number = procedure_count;
  if (number < LONG_BITMAP_PROC) procedures[procedure_count++] = procedure;
  td_bdwgc_unlock(TD_LOCK_DESCRIPTORS);
  if (number == LONG_BITMAP_PROC)
    td_bdwgc_die("GC_new_proc: there are no more than %u", LONG_BITMAP_PROC);
  return number;
}
SAME_AS(GC_new_proc, GC_new_proc_inner);
void td_descriptor_set_procedure(unsigned number, GC_mark_proc procedure) {
  if (number >= RESERVED_PROCS)
    td_bdwgc_die("GC_init_gcj_malloc: %u is no reserved number", number);
  procedures[number] = procedure;
}

/* Procedures get a stack and hand it back. What they push goes to the marker at once. */
static void call(void *object, GC_word descriptor, struct tide_tracer *tracer) {
  static void *no_stack[64];
  GC_mark_proc procedure = procedures[(descriptor >> GC_DS_TAG_BITS) & (GC_MAX_MARK_PROCS - 1)];
  if (!procedure) return;
  struct tide_tracer *before = td_pushed_set_tracer(tracer);
  procedure(object, (struct GC_ms_entry *)no_stack, (struct GC_ms_entry *)(no_stack + 64),
            descriptor >> (GC_DS_TAG_BITS + GC_LOG_MAX_MARK_PROCS));
  td_pushed_set_tracer(before);
}

/* ---- Long bitmaps ---- */

struct long_bitmap {
  size_t words;
  uint64_t *bits;
};
static struct long_bitmap *long_bitmaps; /* under the lock; entries never change */
static size_t long_count;

static size_t number_of(GC_word descriptor) {
  return descriptor >> (GC_DS_TAG_BITS + GC_LOG_MAX_MARK_PROCS);
}

static bool is_long(GC_word descriptor) {
  return (descriptor & GC_DS_TAGS) == GC_DS_PROC &&
         ((descriptor >> GC_DS_TAG_BITS) & (GC_MAX_MARK_PROCS - 1)) == LONG_BITMAP_PROC;
}

/* Equal bitmaps have one number, or one number more each time would use up the layouts. */
static size_t number_long(uint64_t *bits, size_t words) {
  const size_t bytes = (words + 63) / 64 * sizeof *bits;
  for (size_t i = 0; i < long_count; i++)
    if (long_bitmaps[i].words == words && memcmp(long_bitmaps[i].bits, bits, bytes) == 0) {
      free(bits);
      return i;
    }
  struct long_bitmap *larger = realloc(long_bitmaps, (long_count + 1) * sizeof *larger);
  if (!larger) td_bdwgc_die("GC_make_descriptor: out of memory");
  long_bitmaps = larger;
  long_bitmaps[long_count] = (struct long_bitmap){words, bits};
  return long_count++;
}

static GC_word make_long(const GC_word *bitmap, size_t bits) {
  size_t count = (bits + 63) / 64;
  uint64_t *copy = malloc(count * sizeof *copy);
  if (!copy) td_bdwgc_die("GC_make_descriptor: out of memory");
  memcpy(copy, bitmap, count * sizeof *copy);
  if (bits % 64) copy[count - 1] &= ~UINT64_C(0) >> (64 - bits % 64);
  td_bdwgc_lock(TD_LOCK_DESCRIPTORS);
  GC_word number = number_long(copy, bits);
  td_bdwgc_unlock(TD_LOCK_DESCRIPTORS);
  return ((number << GC_LOG_MAX_MARK_PROCS | LONG_BITMAP_PROC) << GC_DS_TAG_BITS) | GC_DS_PROC;
}

/* ---- Making ---- */

static bool bit(const GC_word *bitmap, size_t i) {
  return bitmap[i / 64] >> (i % 64) & 1;
}

EXPORT GC_word GC_make_descriptor(const GC_word *bitmap, size_t bits) {
  size_t ones = 0, last = bits;
  td_bdwgc_start();
  while (last > 0 && !bit(bitmap, last - 1))
    last--;
  while (ones < last && bit(bitmap, ones))
    ones++;
  if (ones == last) return last * sizeof(void *) | GC_DS_LENGTH;
  if (last > BITMAP_BITS) return make_long(bitmap, last);
  GC_word descriptor = GC_DS_BITMAP;
  for (size_t i = 0; i < last; i++)
    if (bit(bitmap, i)) descriptor |= (GC_word)1 << (63 - i);
  return descriptor;
}

/* ---- Reading ---- */

/* The descriptor that lies in the object, or behind its first word; 0: not there yet. */
static GC_word own_descriptor(const void *object, GC_word descriptor) {
  GC_signed_word offset = (GC_signed_word)descriptor - GC_DS_PER_OBJECT;
  if (offset >= 0) return *(const GC_word *)((const char *)object + offset);
  const char *type = *(const char *const *)object;
  return type ? *(const GC_word *)(type - (offset + GC_INDIR_PER_OBJ_BIAS)) : 0;
}

static void trace_words(const uintptr_t *at, size_t words, struct tide_tracer *tracer) {
  for (size_t i = 0; i < words; i++)
    tide_trace_conservative(tracer, at[i]);
}

static void trace_bitmap(const uintptr_t *at, size_t words, GC_word bits,
                         struct tide_tracer *tracer) {
  for (size_t i = 0; bits && i < words; i++, bits <<= 1)
    if (bits >> 63) tide_trace_conservative(tracer, at[i]);
}

void td_descriptor_trace(void *object, size_t bytes, GC_word descriptor,
                         struct tide_tracer *tracer) {
  while ((descriptor & GC_DS_TAGS) == GC_DS_PER_OBJECT)
    descriptor = own_descriptor(object, descriptor);
  switch (descriptor & GC_DS_TAGS) {
  case GC_DS_LENGTH:
    trace_words(object, (descriptor < bytes ? descriptor : bytes) / sizeof(void *), tracer);
    break;
  case GC_DS_BITMAP:
    trace_bitmap(object, bytes / sizeof(void *), descriptor & ~GC_DS_TAGS, tracer);
    break;
  default:
    if (is_long(descriptor))
      trace_words(object, bytes / sizeof(void *), tracer);
    else
      call(object, descriptor, tracer);
  }
}

bool td_descriptor_calls(GC_word descriptor) {
  unsigned tag = descriptor & GC_DS_TAGS;
  return tag == GC_DS_PER_OBJECT || (tag == GC_DS_PROC && !is_long(descriptor));
}

/* ---- Layouts ---- */

#define KNOWN_MOST 256u   /* each size of objects of each has a block of its own */
#define KNOWN_SLOTS 1024u /* a power of two; most are empty, so that searches are short */
/* Written once, under the lock: `known_as` last, which is 1 + the layout. Read by all without it.
 */
static struct known {
  GC_word descriptor;
  size_t words; /* of an element of an array; 0: a whole object, for which a procedure is called */
  _Atomic(uint64_t) known_as; /* 0: the slot is empty */
} known[KNOWN_SLOTS];
static size_t known_count; /* under the lock */
static bool has_warned;    /* the same */

/* Returns the slot of the descriptor, or the empty one where it would be, and what it is known as.
 */
static struct known *find_known(GC_word descriptor, size_t words, uint64_t *as) {
  uint64_t mixed = (descriptor + words) * UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing */
  for (size_t i = mixed >> 32;; i++) {
    struct known *slot = &known[i % KNOWN_SLOTS];
    /* acquire [descriptor.known]: the rest of the slot was written before. */
    *as = atomic_load_explicit(&slot->known_as, memory_order_acquire);
    if (!*as || (slot->descriptor == descriptor && slot->words == words)) return slot;
  }
}

/* Of a descriptor that may call a procedure. */
static void trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct known *slot = context;
  size_t each = slot->words ? slot->words * sizeof(void *) : bytes;
  for (char *at = object; bytes >= each; at += each, bytes -= each)
    td_descriptor_trace(at, each, slot->descriptor, tracer);
}

static tide_layout make_layout(struct known *slot, GC_word descriptor, size_t words) {
  if (td_descriptor_calls(descriptor))
    return tide_layout_traced_serially(td_bdwgc_heap, trace, slot, NULL);
  uint64_t bits[TIDE_LAYOUT_WORDS_MAX / 64] = {0};
  struct long_bitmap map = {0};
  if (is_long(descriptor)) map = long_bitmaps[number_of(descriptor)];
  if (words > TIDE_LAYOUT_WORDS_MAX || map.words > words) return TIDE_LAYOUT_CONSERVATIVE;
  size_t length = (descriptor & GC_DS_TAGS) == GC_DS_LENGTH ? descriptor / sizeof(void *) : 0;
  for (size_t i = 0; i < words; i++) {
    bool one = (descriptor & GC_DS_TAGS) == GC_DS_BITMAP
                   ? i < BITMAP_BITS && (descriptor >> (63 - i) & 1)
                   : i < length || (i < map.words && bit(map.bits, i));
    bits[i / 64] |= (uint64_t)one << (i % 64);
  }
  return tide_layout_bitmap_conservative(td_bdwgc_heap, bits, words, NULL);
}

/* Without a number for another layout, all words count. */
static tide_layout learn(GC_word descriptor, size_t words) {
  uint64_t as;
  td_bdwgc_lock(TD_LOCK_DESCRIPTORS);
  struct known *slot = find_known(descriptor, words, &as);
  tide_layout layout = as ? (tide_layout)(as - 1) : TIDE_LAYOUT_CONSERVATIVE;
  if (!as && known_count < KNOWN_MOST) {
    slot->descriptor = descriptor;
    slot->words = words;
    tide_layout made = make_layout(slot, descriptor, words);
    if (made != TIDE_LAYOUT_INVALID) layout = made;
    /* release [descriptor.known] */
    atomic_store_explicit(&slot->known_as, (uint64_t)layout + 1, memory_order_release);
    known_count++;
  }
  bool is_first = !as && layout == TIDE_LAYOUT_CONSERVATIVE && !has_warned;
  has_warned |= is_first;
  td_bdwgc_unlock(TD_LOCK_DESCRIPTORS);
  if (is_first)
    td_bdwgc_warn("over %lu descriptors, or a long one: all words of typed objects count",
                  KNOWN_MOST);
  return layout;
}

tide_layout td_descriptor_layout(GC_word descriptor, size_t words, bool repeated) {
  uint64_t as;
  if (descriptor == GC_DS_LENGTH) return TIDE_LAYOUT_LEAF;
  bool all = (descriptor & GC_DS_TAGS) == GC_DS_LENGTH && descriptor / sizeof(void *) >= words;
  if (all || words == 0) return TIDE_LAYOUT_CONSERVATIVE;
  if (!repeated) words = td_descriptor_calls(descriptor) ? 0 : TIDE_LAYOUT_WORDS_MAX;
  (void)find_known(descriptor, words, &as);
  return TIDE_LIKELY(as != 0) ? (tide_layout)(as - 1) : learn(descriptor, words);
}
