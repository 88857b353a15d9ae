/* The debugging calls: they allocate as the others do, and have no headers to check. */
#include <string.h>

#include "bdwgc/state.h"

EXPORT const size_t GC_debug_header_size = 0;
EXPORT size_t GC_get_debug_header_size(void) {
  return 0;
}

EXPORT void *GC_malloc(size_t bytes);
EXPORT void *GC_malloc_atomic(size_t bytes);
EXPORT void *GC_malloc_uncollectable(size_t bytes);
EXPORT void *GC_malloc_atomic_uncollectable(size_t bytes);
EXPORT void *GC_realloc(void *object, size_t bytes);
EXPORT void *GC_generic_or_special_malloc(size_t bytes, int kind);
EXPORT char *GC_strdup(const char *text);
EXPORT char *GC_strndup(const char *text, size_t most);
EXPORT void GC_free(void *object);

#define ALLOC(name, plain)                                                                         \
  EXPORT void *GC_debug_##name(size_t bytes, const char *file, int line) {                         \
    (void)file, (void)line;                                                                        \
    return plain(bytes);                                                                           \
  }
ALLOC(malloc, GC_malloc)
ALLOC(malloc_atomic, GC_malloc_atomic)
ALLOC(malloc_stubborn, GC_malloc)
ALLOC(malloc_ignore_off_page, GC_malloc)
ALLOC(malloc_atomic_ignore_off_page, GC_malloc_atomic)
ALLOC(malloc_uncollectable, GC_malloc_uncollectable)
ALLOC(malloc_atomic_uncollectable, GC_malloc_atomic_uncollectable)

EXPORT void *GC_debug_malloc_replacement(size_t bytes) {
  return GC_malloc(bytes);
}
EXPORT void *GC_debug_realloc_replacement(void *object, size_t bytes) {
  return GC_realloc(object, bytes);
}
EXPORT void *GC_debug_realloc(void *object, size_t bytes, const char *file, int line) {
  (void)file, (void)line;
  return GC_realloc(object, bytes);
}
EXPORT void *GC_debug_generic_or_special_malloc(size_t bytes, int kind, const char *file,
                                                int line) {
  (void)file, (void)line;
  return GC_generic_or_special_malloc(bytes, kind);
}
EXPORT char *GC_debug_strdup(const char *text, const char *file, int line) {
  (void)file, (void)line;
  return GC_strdup(text);
}
EXPORT char *GC_debug_strndup(const char *text, size_t most, const char *file, int line) {
  (void)file, (void)line;
  return GC_strndup(text, most);
}
EXPORT void GC_debug_free(void *object) {
  GC_free(object);
}

/* ---- Stores that may be told of ---- */

EXPORT void GC_end_stubborn_change(const void *object) {
  (void)object;
}
EXPORT void GC_change_stubborn(const void *object) {
  (void)object;
}
EXPORT void GC_debug_end_stubborn_change(const void *object) {
  (void)object;
}
EXPORT void GC_debug_change_stubborn(const void *object) {
  (void)object;
}
EXPORT void GC_ptr_store_and_dirty(void *slot, const void *value) {
  *(const void **)slot = value;
}
EXPORT void GC_debug_ptr_store_and_dirty(void *slot, const void *value) {
  GC_ptr_store_and_dirty(slot, value);
}

/* ---- Checks of pointers ---- */

static void say_pair(void *a, void *b) {
  td_bdwgc_die("GC_same_obj: %p and %p are not in the same object", a, b);
}
static void say_invisible(void *address) {
  td_bdwgc_die("GC_is_visible: %p would not be seen", address);
}
EXPORT void (*GC_same_obj_print_proc)(void *, void *) = say_pair;
EXPORT void (*GC_is_visible_print_proc)(void *) = say_invisible;

EXPORT void *GC_same_obj(void *a, void *b) {
  void *object = tide_object_find(td_bdwgc.heap, a);
  if (object != tide_object_find(td_bdwgc.heap, b)) GC_same_obj_print_proc(a, b);
  return a;
}
EXPORT void *GC_is_visible(void *address) {
  return address;
}
EXPORT void *GC_pre_incr(void **pointer, ptrdiff_t bytes) {
  void *before = *pointer, *after = (char *)before + bytes;
  if (td_bdwgc.heap && tide_object_find(td_bdwgc.heap, before)) GC_same_obj(after, before);
  return *pointer = after;
}
EXPORT void *GC_post_incr(void **pointer, ptrdiff_t bytes) {
  void *before = *pointer;
  GC_pre_incr(pointer, bytes);
  return before;
}

EXPORT void GC_noop1(GC_word word) {
  __asm__ volatile("" ::"r"(word) : "memory");
}
EXPORT void *GC_clear_stack(void *argument) {
  return argument;
}
