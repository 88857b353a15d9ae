/* SPDX-License-Identifier: MIT */
#include "gc/layout/layouts.h"

#include <stdlib.h>
#include <string.h>

#include "gc/check/caller/check.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/thread.h"
#include "heap/space/marks.h"
#include "tide/foreign.h"

static tide_layout refuse(struct tide_error *error, enum tide_status status, const char *function,
                          const char *wrong) {
  td_fail(error, status, "%s: %s", function, wrong);
  return TIDE_LAYOUT_INVALID;
}

static tide_layout intern(struct tide_heap *heap, const struct td_layout *wanted,
                          struct tide_error *error) {
  if (td_in_callback()) return refuse(error, TIDE_ERROR_STATE, "layout", "inside a collection");
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&heap->space.lock);
  tide_layout layout = td_layouts_intern(&heap->space.layouts, wanted);
  bool full = heap->space.layouts.count == TIDE_LAYOUT_MAX;
  pthread_mutex_unlock(&heap->space.lock);
  if (layout != TIDE_LAYOUT_INVALID)
    td_succeed(error);
  else if (full)
    td_fail(error, TIDE_ERROR_LIMIT, "layout: a heap has no more than %u layouts", TIDE_LAYOUT_MAX);
  else
    td_fail(error, TIDE_ERROR_MEMORY, "layout: out of memory");
  return layout;
}

#define REFUSED SIZE_MAX

/* Copies the bits of `words` words, the others being 0. Returns the number of words up to and with
 * the last one that has its bit; REFUSED, and says why, if the description means nothing. */
static size_t copy_bits(uint64_t copy[TIDE_LAYOUT_WORDS_MAX / 64], const struct tide_heap *heap,
                        const uint64_t *bits, size_t words, const char *function,
                        struct tide_error *error) {
  if (!heap || !bits || words == 0) {
    (void)refuse(error, TIDE_ERROR_ARGUMENT, function,
                 !heap   ? "heap is NULL"
                 : !bits ? "bits is NULL"
                         : "no words");
    return REFUSED;
  }
  if (words > TIDE_LAYOUT_WORDS_MAX) {
    td_fail(error, TIDE_ERROR_LIMIT, "%s: %zu words, at most %u are possible", function, words,
            TIDE_LAYOUT_WORDS_MAX);
    return REFUSED;
  }
  size_t count = (words + 63) / 64;
  memcpy(copy, bits, count * sizeof *copy);
  if (words % 64) copy[count - 1] &= ~(uint64_t)0 >> (64 - words % 64);
  while (count > 0 && copy[count - 1] == 0)
    count--;
  return count == 0 ? 0 : count * 64 - (size_t)__builtin_clzll(copy[count - 1]);
}

/* Equal descriptions are to give equal numbers: what lies behind the last reference is left out. */
tide_layout tide_layout_bitmap(struct tide_heap *heap, const uint64_t *bits, size_t words,
                               struct tide_error *error) {
  uint64_t copy[TIDE_LAYOUT_WORDS_MAX / 64] = {0};
  size_t last = copy_bits(copy, heap, bits, words, __func__, error);
  if (last == REFUSED) return TIDE_LAYOUT_INVALID;
  if (last == 0) return TIDE_LAYOUT_LEAF;
  struct td_layout wanted = {.kind = TD_KIND_BITMAP, .map = copy[0]};
  if (last > 64)
    wanted = (struct td_layout){.kind = TD_KIND_BITMAP_LONG, .words = (uint32_t)last, .bits = copy};
  return intern(heap, &wanted, error);
}

/* Traces the words that a bitmap names, in every element of an object; the last may be shorter. */
static void trace_words(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct td_layout *layout = context;
  const uintptr_t *at = object;
  size_t words = bytes / sizeof *at;
  for (size_t first = 0; first < words; first += layout->words)
    for (uint32_t i = 0; i < layout->words && first + i < words; i++)
      if (layout->bits[i / 64] >> (i % 64) & 1)
        tide_trace_conservative(tracer, td_slot_load(&at[first + i]));
}

tide_layout tide_layout_bitmap_conservative(struct tide_heap *heap, const uint64_t *bits,
                                            size_t words, struct tide_error *error) {
  uint64_t copy[TIDE_LAYOUT_WORDS_MAX / 64] = {0};
  size_t last = copy_bits(copy, heap, bits, words, __func__, error);
  if (last == REFUSED) return TIDE_LAYOUT_INVALID;
  if (last == 0) return TIDE_LAYOUT_LEAF;
  struct td_layout wanted = {.kind = TD_KIND_TRACED,
                             .beside = true,
                             .words = (uint32_t)words,
                             .bits = copy,
                             .trace = trace_words};
  return intern(heap, &wanted, error);
}

tide_layout tide_layout_offsets(struct tide_heap *heap, size_t bytes, const size_t *offsets,
                                size_t count, struct tide_error *error) {
  uint64_t bits[TIDE_LAYOUT_WORDS_MAX / 64] = {0};
  if (!heap || bytes == 0 || (count && !offsets))
    return refuse(error, TIDE_ERROR_ARGUMENT, __func__,
                  !heap        ? "heap is NULL"
                  : bytes == 0 ? "bytes is 0"
                               : "offsets is NULL");
  for (size_t i = 0; i < count; i++) {
    size_t at = offsets[i], word = at / 8;
    const char *wrong = at % 8                         ? "is no multiple of 8"
                        : at > bytes || bytes - at < 8 ? "lies outside the structure"
                                                       : NULL;
    if (!wrong && word >= TIDE_LAYOUT_WORDS_MAX) {
      td_fail(error, TIDE_ERROR_LIMIT, "tide_layout_offsets: offset %zu (number %zu) is over %u",
              at, i, TIDE_LAYOUT_WORDS_MAX * 8 - 8);
      return TIDE_LAYOUT_INVALID;
    }
    if (!wrong && bits[word / 64] >> (word % 64) & 1) wrong = "is given twice";
    if (wrong) {
      td_fail(error, TIDE_ERROR_ARGUMENT, "tide_layout_offsets: offset %zu (number %zu) %s", at, i,
              wrong);
      return TIDE_LAYOUT_INVALID;
    }
    bits[word / 64] |= (uint64_t)1 << (word % 64);
  }
  if (count == 0) return TIDE_LAYOUT_LEAF;
  size_t words = bytes / 8 < TIDE_LAYOUT_WORDS_MAX ? bytes / 8 : TIDE_LAYOUT_WORDS_MAX;
  return tide_layout_bitmap(heap, bits, words, error);
}

tide_layout tide_layout_prefixed(struct tide_heap *heap, size_t prefix_words,
                                 struct tide_error *error) {
  if (!heap) return refuse(error, TIDE_ERROR_ARGUMENT, __func__, "heap is NULL");
  if (prefix_words > PTRDIFF_MAX / 8)
    return refuse(error, TIDE_ERROR_LIMIT, __func__, "the prefix is too long");
  if (prefix_words == 0) return TIDE_LAYOUT_REFS;
  struct td_layout wanted = {.kind = TD_KIND_PREFIXED, .map = prefix_words};
  return intern(heap, &wanted, error);
}

static tide_layout traced(struct tide_heap *heap, const struct td_layout *wanted,
                          const char *function, struct tide_error *error) {
  if (heap && wanted->trace) return intern(heap, wanted, error);
  return refuse(error, TIDE_ERROR_ARGUMENT, function, heap ? "trace is NULL" : "heap is NULL");
}

tide_layout tide_layout_traced(struct tide_heap *heap, tide_trace_fn trace, void *context,
                               struct tide_error *error) {
  const struct td_layout wanted = {.kind = TD_KIND_TRACED, .trace = trace, .context = context};
  return traced(heap, &wanted, __func__, error);
}

tide_layout tide_layout_traced_concurrent(struct tide_heap *heap, tide_trace_fn trace,
                                          void *context, struct tide_error *error) {
  const struct td_layout wanted = {
      .kind = TD_KIND_TRACED, .beside = true, .trace = trace, .context = context};
  return traced(heap, &wanted, __func__, error);
}

/* ---- Trace functions that run one at a time: one of ours takes a lock around them ---- */

struct td_serial_trace {
  struct td_serial_trace *next;
  struct tide_heap *heap;
  tide_trace_fn trace;
  void *context;
};

void td_serial_traces_deinit(struct tide_heap *heap) {
  while (heap->serial->traces) {
    struct td_serial_trace *next = heap->serial->traces->next;
    free(heap->serial->traces);
    heap->serial->traces = next;
  }
  pthread_mutex_destroy(&heap->serial->lock);
}

/* Markers only take this lock, and never two of a thread: a trace function is not called inside
 * another. */
static void trace_serially(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct td_serial_trace *one = context;
  pthread_mutex_lock(&one->heap->serial->lock);
  one->trace(object, bytes, tracer, one->context);
  pthread_mutex_unlock(&one->heap->serial->lock);
}

/* The one that is known already, or a new one, so that equal descriptions share a layout. */
static struct td_serial_trace *find_or_make(struct tide_heap *heap, tide_trace_fn trace,
                                            void *context) {
  struct td_serial_trace *one = heap->serial->traces;
  while (one && (one->trace != trace || one->context != context))
    one = one->next;
  if (one) return one;
  one = malloc(sizeof *one);
  if (!one) return NULL;
  *one = (struct td_serial_trace){heap->serial->traces, heap, trace, context};
  heap->serial->traces = one;
  return one;
}

tide_layout tide_layout_traced_serially(struct tide_heap *heap, tide_trace_fn trace, void *context,
                                        struct tide_error *error) {
  struct td_layout wanted = {.kind = TD_KIND_TRACED, .trace = trace};
  if (!heap || !trace) return traced(heap, &wanted, __func__, error);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&heap->space.lock);
  wanted.context = find_or_make(heap, trace, context);
  pthread_mutex_unlock(&heap->space.lock);
  if (!wanted.context) return refuse(error, TIDE_ERROR_MEMORY, __func__, "out of memory");
  wanted.trace = trace_serially;
  return intern(heap, &wanted, error);
}

/* ---- Names ---- */

/* Returns the bytes of the UTF-8 character at `text`, 0 if it is none or a control character. Forms
 * that are longer than needed, surrogates and numbers over 0x10ffff are none. */
static size_t character_bytes(const unsigned char *text) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char first = *text;
  if (first < 0x80) return first >= 0x20 && first != 0x7f;
  size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  uint32_t code = first & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[i] & 0x3fu);
  }
  bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < least[bytes] || code < 0xa0 || surrogate || code > 0x10ffff ? 0 : bytes;
}

/* What is wrong with a name, or NULL. */
static const char *name_objection(const char *name) {
  const unsigned char *at = (const unsigned char *)name;
  if (!name) return "name is NULL";
  if (!*name) return "the name is empty";
  if (strnlen(name, TIDE_LAYOUT_NAME_MAX + 1) > TIDE_LAYOUT_NAME_MAX)
    return "the name has more than 63 bytes";
  for (size_t bytes; *at; at += bytes)
    if ((bytes = character_bytes(at)) == 0)
      return "the name is not UTF-8, or has a control character";
  return NULL;
}

/* A layout that tide_layout_… made, or one of the public ones; not those of weak things. */
static bool is_public(const struct tide_heap *heap, tide_layout layout) {
  return layout != TIDE_LAYOUT_INVALID && layout < heap->space.layouts.count &&
         heap->space.layouts.at[layout].kind < TD_KIND_WEAK;
}

/* Copies the layout. Returns false if there is none, and then error says so. */
static bool look_up(struct tide_heap *heap, tide_layout layout, const char *function,
                    struct td_layout *found, struct tide_error *error) {
  *found = (struct td_layout){0};
  if (heap) {
    pthread_mutex_lock(&heap->space.lock);
    if (is_public(heap, layout)) *found = heap->space.layouts.at[layout];
    pthread_mutex_unlock(&heap->space.lock);
  }
  if (found->kind != TD_KIND_NONE) return true;
  (void)refuse(error, TIDE_ERROR_ARGUMENT, function,
               heap ? "this heap has no such layout" : "heap is NULL");
  return false;
}

tide_layout tide_layout_named(struct tide_heap *heap, tide_layout layout, const char *name,
                              struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  const char *wrong = heap ? name_objection(name) : NULL;
  if (wrong) return refuse(error, TIDE_ERROR_ARGUMENT, __func__, wrong);
  struct td_layout wanted;
  if (!look_up(heap, layout, __func__, &wanted, error)) return TIDE_LAYOUT_INVALID;
  char copy[TIDE_LAYOUT_NAME_MAX + 1];
  wanted.name = memcpy(copy, name, strlen(name) + 1);
  return intern(heap, &wanted, error);
}

tide_layout tide_layout_held_by_first_page(struct tide_heap *heap, tide_layout layout,
                                           struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_layout wanted;
  if (!look_up(heap, layout, __func__, &wanted, error)) return TIDE_LAYOUT_INVALID;
  wanted.held_by_first_page = true;
  return intern(heap, &wanted, error);
}

#define UNZEROED_AND_TOLD                                                                          \
  "a function of tide_layout_on_reclaim may meet an object that was never written to"

tide_layout tide_layout_unzeroed(struct tide_heap *heap, tide_layout layout,
                                 struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_layout wanted;
  if (!look_up(heap, layout, __func__, &wanted, error)) return TIDE_LAYOUT_INVALID;
  if (wanted.kind != TD_KIND_LEAF)
    return refuse(error, TIDE_ERROR_ARGUMENT, __func__, "the layout has references");
  if (wanted.on_reclaim) return refuse(error, TIDE_ERROR_ARGUMENT, __func__, UNZEROED_AND_TOLD);
  wanted.unzeroed = true;
  return intern(heap, &wanted, error);
}

tide_layout tide_layout_on_reclaim(struct tide_heap *heap, tide_layout layout,
                                   tide_reclaim_fn function, void *context,
                                   struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_layout wanted;
  if (heap && !function) return refuse(error, TIDE_ERROR_ARGUMENT, __func__, "function is NULL");
  if (!look_up(heap, layout, __func__, &wanted, error)) return TIDE_LAYOUT_INVALID;
  if (wanted.unzeroed) return refuse(error, TIDE_ERROR_ARGUMENT, __func__, UNZEROED_AND_TOLD);
  wanted.on_reclaim = function;
  wanted.reclaim_context = context;
  return intern(heap, &wanted, error);
}

const char *tide_layout_name(struct tide_heap *heap, tide_layout layout) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || layout >= TIDE_LAYOUT_MAX) return NULL;
  pthread_mutex_lock(&heap->space.lock);
  const char *name =
      layout < heap->space.layouts.count ? heap->space.layouts.at[layout].name : NULL;
  pthread_mutex_unlock(&heap->space.lock);
  return name;
}

/* ---- Arrays ---- */

/* What an element of `words` words has, if its layout can be repeated; else why not. */
static enum tide_status describe_element(const struct td_layout *layout, size_t words,
                                         struct td_layout *repeated) {
  if (layout->kind == TD_KIND_BITMAP_LONG) return TIDE_ERROR_LIMIT;
  if (words < 64u - (unsigned)__builtin_clzll(layout->map)) return TIDE_ERROR_ARGUMENT;
  if (words > UINT32_MAX) return TIDE_ERROR_LIMIT;
  *repeated = (struct td_layout){.kind = TD_KIND_REPEATED,
                                 .words = (uint32_t)words,
                                 .held_by_first_page = layout->held_by_first_page,
                                 .element = layout->map,
                                 .on_reclaim = layout->on_reclaim,
                                 .reclaim_context = layout->reclaim_context,
                                 .name = layout->name};
  return TIDE_OK;
}

/* Looks at those that were made last: the look-up of a layout takes longer than an allocation. */
static bool is_known(const struct td_layout *element, tide_layout *layout, size_t bytes_each) {
  /* acquire [layout.arrays]: pairs with note_known; the layout has been described. */
  uint64_t arrays = __atomic_load_n(&element->arrays, __ATOMIC_ACQUIRE);
  if (arrays >> TD_LAYOUT_BITS != bytes_each || bytes_each == 0) return false;
  *layout = (tide_layout)(arrays % (1u << TD_LAYOUT_BITS));
  return true;
}

static void note_known(struct td_layout *element, tide_layout layout, size_t bytes_each) {
  /* release [layout.arrays]: pairs with is_known. */
  __atomic_store_n(&element->arrays, (uint64_t)bytes_each << TD_LAYOUT_BITS | layout,
                   __ATOMIC_RELEASE);
}

enum tide_status td_layout_of_array(struct tide_heap *heap, tide_layout *layout,
                                    size_t bytes_each) {
  if (is_known(&heap->space.layouts.at[*layout], layout, bytes_each)) return TIDE_OK;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_layouts *layouts = &heap->space.layouts;
  enum tide_status status = TIDE_OK;
  pthread_mutex_lock(&heap->space.lock);
  struct td_layout *described = &layouts->at[*layout];
  if (described->kind == TD_KIND_BITMAP || described->kind == TD_KIND_BITMAP_LONG) {
    struct td_layout repeated;
    status = bytes_each % 8 ? TIDE_ERROR_ARGUMENT
                            : describe_element(described, bytes_each / 8, &repeated);
    if (status == TIDE_OK) {
      bool full = layouts->count == TIDE_LAYOUT_MAX;
      *layout = td_layouts_intern(layouts, &repeated);
      if (*layout == TIDE_LAYOUT_INVALID)
        status = full ? TIDE_ERROR_LIMIT : TIDE_ERROR_MEMORY;
      else
        note_known(described, *layout, bytes_each);
    }
  }
  pthread_mutex_unlock(&heap->space.lock);
  return status;
}
