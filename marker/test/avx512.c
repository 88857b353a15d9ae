/* SPDX-License-Identifier: MIT */
/* The loops of testing with AVX-512: eight slots of an object, or sixteen references, at a time.
 * What is no reference vanishes when a vector is compressed.
 *
 * Objects of up to eight slots are one kind here, TD_KIND_SLOTS_8, and in heaps with conservative
 * objects those of up to eight words, TD_KIND_WORDS_8: they need no loops of their own, and the
 * fewer kinds there are, the newer are the objects of a full group. */
#include "marker/test/loops.h"

#ifdef TD_TEST_AVX512

#include <immintrin.h>

/* AddressSanitizer's frames that are not on the stack are aligned less than these vectors. */
#define AVX512                                                                                     \
  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,bmi,bmi2,popcnt"),                     \
                 no_sanitize("address")))
#define AVX512_INLINE static inline AVX512 __attribute__((always_inline))

/* The same as add_eight for words of which some have to be looked up. */
static __attribute__((noinline)) size_t
add_looked_up(const struct td_view *v, const uintptr_t *words, unsigned mask, uint32_t *to) {
  size_t count = 0;
  for (; mask; mask &= mask - 1) {
    uintptr_t reference = td_view_word(v, td_slot_load(&words[__builtin_ctz(mask)]));
    if (reference) to[count++] = (uint32_t)td_view_granule(v, reference);
  }
  return count;
}

/* Looks at those of eight words that are in the mask; the others are not touched. Mutators may
 * write them meanwhile: these processors read eight aligned bytes of a vector at once, as
 * td_slot_load. References go to `to`, which has room for eight. Returns how many there are.
 * `inside` is NULL for slots. For words that may lead into objects it is the tester's view: a loop
 * keeps its copy `v` in registers, so no call may get the address of that. */
AVX512_INLINE size_t add_eight(const struct td_view *v, const uintptr_t *words, __mmask8 mask,
                               uint32_t *to, const struct td_view *inside) {
  const __m512i word = _mm512_maskz_loadu_epi64(mask, words),
                offset = _mm512_sub_epi64(word, _mm512_set1_epi64((long long)v->base));
  const __m512i granule = inside ? _mm512_srli_epi64(offset, TD_GRANULE_LOG2)
                                 : _mm512_ror_epi64(offset, TD_GRANULE_LOG2);
  const __mmask8 found =
      _mm512_mask_cmplt_epu64_mask(mask, granule, _mm512_set1_epi64((long long)v->granules));
  if (inside) {
    /* Bit i of `looked_up` stands for the words whose low six bits are i. */
    const __m512i low = _mm512_and_si512(word, _mm512_set1_epi64(63)),
                  bits = _mm512_srlv_epi64(_mm512_set1_epi64((long long)v->looked_up), low);
    if (__builtin_expect(_mm512_mask_test_epi64_mask(found, bits, _mm512_set1_epi64(1)) != 0, 0))
      return add_looked_up(inside, words, found, to);
  }
  _mm256_storeu_si256((__m256i *)(void *)to,
                      _mm256_maskz_compress_epi32(found, _mm512_cvtepi64_epi32(granule)));
  return (size_t)__builtin_popcount(found);
}

/* There is room for a group of objects with up to eight slots. Of longer ones a part is scanned.
 * The inner loop is over after the first eight words in nearly all objects. */
AVX512_INLINE void scan_maps(struct td_tester *t, const struct td_view *inside) {
  const struct td_view v = t->v;
  const struct td_block *const blocks = v.space->blocks;
  const uint32_t *const at = t->now->at, *const ahead = t->next->at;
  uint32_t *const references = t->filling;
  const bool in_parts = t->now->kind == TD_KIND_BITMAP || t->now->kind == TD_KIND_WORDS;
  const size_t most = in_parts ? TD_TEST_BATCH : TD_TEST_BATCH + TD_TEST_STEP;
  size_t count = t->count;
  uint32_t i = t->now->count;
  while (i > 0 && count < most) {
    i--;
    td_fetch_object(td_view_object(&v, ahead[i]));
    const uintptr_t *words = (const uintptr_t *)td_view_object(&v, at[i]);
    uint64_t map = blocks[at[i] >> TD_BLOCK_GRANULES_LOG2].map;
    do {
      count += add_eight(&v, words, (__mmask8)map, references + count, inside);
      words += 8;
    } while (__builtin_expect((map >>= 8) != 0, 0));
  }
  t->now->count = i;
  t->count = (uint32_t)count;
}

AVX512 static void scan(struct td_tester *t) {
  if (td_kind_is_words(t->now->kind))
    scan_maps(t, &t->v);
  else
    scan_maps(t, NULL);
}

AVX512 static void add_slots(struct td_tester *t, const uintptr_t *slots, size_t number) {
  const struct td_view v = t->v;
  uint32_t *const references = t->filling;
  size_t count = t->count;
  for (; number >= 8; number -= 8, slots += 8)
    count += add_eight(&v, slots, 0xff, references + count, NULL);
  const __mmask8 last = (__mmask8)((1u << number) - 1);
  count += add_eight(&v, slots, last, references + count, NULL);
  t->count = (uint32_t)count;
}

/* Returns the mask of the first `left` of sixteen. */
AVX512_INLINE __mmask16 first_of(size_t left) {
  return left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1);
}

/* A mark byte is gathered with the three behind it, which do not count; behind the marks of a heap
 * there are further tables. */
AVX512_INLINE uint32_t sift_any(struct td_tester *t, bool words) {
  const uint8_t *const marks = t->v.space->marks;
  uint32_t *const references = t->other;
  const uint32_t *const later = t->filling;
  const size_t count = t->waiting;
  const __m512i bits = _mm512_set1_epi32(words ? TD_DEFERRED - 1 : UINT8_MAX),
                sought = _mm512_set1_epi32(words ? t->v.epoch : t->v.white);
  size_t kept = 0, i = 0;
  for (; i < count; i += 16) {
    const __mmask16 some = first_of(count - i);
    const __m512i at = _mm512_maskz_loadu_epi32(some, references + i);
    const __m512i mark = _mm512_and_si512(
        _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), some, at, marks, 1), bits);
    const __mmask16 stay = words ? _mm512_mask_cmpneq_epi32_mask(some, mark, sought)
                                 : _mm512_mask_cmpeq_epi32_mask(some, mark, sought);
    _mm512_storeu_si512(references + kept, _mm512_maskz_compress_epi32(stay, at));
    kept += (size_t)__builtin_popcount(stay);
#pragma GCC unroll 16
    for (size_t k = 0; k < 16; k++)
      __builtin_prefetch(&marks[later[i + k]], 1);
  }
  for (; i < t->count; i++)
    __builtin_prefetch(&marks[later[i]], 1);
  return (uint32_t)kept;
}

AVX512 static uint32_t sift(struct td_tester *t, bool words) {
  return words ? sift_any(t, true) : sift_any(t, false);
}

/* Marks what is white, and returns how many objects that were. They are moved to the front. */
static size_t mark_white(struct td_tester *t, uint32_t count) {
  uint8_t *const marks = t->v.space->marks;
  uint32_t *const references = t->other;
  const uint8_t epoch = t->v.epoch, white = t->v.white;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const uint32_t granule = references[i];
    const uint8_t mark = td_mark_load(&marks[granule]);
    if (__builtin_expect(mark != white, 0)) {
      if ((mark & (TD_DEFERRED - 1)) != epoch) td_tester_add_inside(t, granule);
      continue;
    }
    td_mark_store(&marks[granule], epoch);
    references[kept++] = granule;
  }
  return kept;
}

/* Puts objects where those of their kind wait. Sixteen at a time are told apart: kinds from `first`
 * on, before `last`, are one; `last`, a bitmap, is another; of the others each goes its own way. A
 * kind is the highest byte of the third word of a block's entry. */
AVX512_INLINE void put_grey(struct td_tester *t, size_t count, unsigned first, unsigned last) {
  const struct td_block *const blocks = t->v.space->blocks;
  const uint32_t *const references = t->other;
  uint32_t *short_end = t->stack[last - 1] + t->grey[last - 1],
           *long_end = t->stack[last] + t->grey[last];
  for (size_t i = 0; i < count; i += 16) {
    const __mmask16 some = first_of(count - i);
    const __m512i at = _mm512_maskz_loadu_epi32(some, references + i);
    const __m512i entry = _mm512_slli_epi32(_mm512_srli_epi32(at, TD_BLOCK_GRANULES_LOG2), 1);
    const __m512i kind =
        _mm512_srli_epi32(_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), some, entry,
                                                      (const uint32_t *)blocks + 2, 8),
                          24);
    const __mmask16 is_short =
        _mm512_mask_cmplt_epu32_mask(some, _mm512_sub_epi32(kind, _mm512_set1_epi32((int)first)),
                                     _mm512_set1_epi32((int)(last - first)));
    const __mmask16 is_long = _mm512_cmpeq_epi32_mask(kind, _mm512_set1_epi32((int)last));
    _mm512_storeu_si512(short_end, _mm512_maskz_compress_epi32(is_short, at));
    short_end += __builtin_popcount(is_short);
    _mm512_storeu_si512(long_end, _mm512_maskz_compress_epi32(is_long, at));
    long_end += __builtin_popcount(is_long);
    __mmask16 rest = _mm512_cmpgt_epi32_mask(kind, _mm512_set1_epi32(TD_KIND_LEAF));
    for (rest &= (__mmask16) ~(is_short | is_long); __builtin_expect(rest != 0, 0);
         rest &= (__mmask16)(rest - 1))
      td_tester_add_grey(t, references[i + (unsigned)__builtin_ctz(rest)]);
  }
  t->grey[last - 1] = (uint32_t)(short_end - t->stack[last - 1]);
  t->grey[last] = (uint32_t)(long_end - t->stack[last]);
}

AVX512 static void admit(struct td_tester *t, uint32_t count) {
  const size_t kept = mark_white(t, count);
  t->objects += kept;
  if (t->v.words)
    put_grey(t, kept, TD_KIND_WORDS_2, TD_KIND_WORDS);
  else
    put_grey(t, kept, TD_KIND_SLOTS_1, TD_KIND_BITMAP);
}

const struct td_test_loops td_test_avx512 = {scan, add_slots, sift, admit};

#endif
