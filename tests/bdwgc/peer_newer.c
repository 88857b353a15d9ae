/* SPDX-License-Identifier: MIT */
/* Functions that Boehm GC has since 8.2.2 and its tests call, for programs that are linked with a
 * libgc.so.1 of that version: by functions that it has, or settings that are kept and mean nothing.
 * Used by peer-tests. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *GC_memalign(size_t, size_t), *GC_calloc_explicitly_typed(size_t, size_t, uintptr_t),
    *GC_call_with_alloc_lock(void *(*)(void *), void *);
extern void GC_init_gcj_malloc(int, void *), *GC_base(void *);
extern int GC_toggleref_add(void *, int);
extern size_t GC_size(const void *);
extern void GC_free(void *), GC_debug_free(void *), GC_disable(void);
extern void *GC_realloc(void *, size_t),
    *GC_debug_realloc(void *, size_t, const char *file, int line);

#define NEWER __attribute__((weak))
#define VALUE(name, value)                                                                         \
  static uintptr_t name = value;                                                                   \
  NEWER uintptr_t GC_get_##name(void) {                                                            \
    return name;                                                                                   \
  }                                                                                                \
  NEWER void GC_set_##name(uintptr_t to) {                                                         \
    name = to;                                                                                     \
  }

VALUE(sp_corrector, 0)
VALUE(interrupt_finalizers, 0)
VALUE(on_mark_stack_empty, 0)
VALUE(pointer_mask, UINTPTR_MAX)
VALUE(pointer_shift, 0)
VALUE(actual_vdb, 0)
VALUE(supported_vdbs, 0)
VALUE(avg_stopped_mark_time_ns, 0)
VALUE(stopped_mark_total_time, 0)
VALUE(dont_add_byte_at_end, 0)
VALUE(mprotect_vdb_allowed, 0)
VALUE(on_os_get_mem, 0)
VALUE(full_gc_total_ns_frac, 0)

/* They were variables before. */
#define VARIABLE(name)                                                                             \
  extern void (*GC_##name)(void);                                                                  \
  NEWER void (*GC_get_##name(void))(void) {                                                        \
    return GC_##name;                                                                              \
  }                                                                                                \
  NEWER void GC_set_##name(void (*to)(void)) {                                                     \
    GC_##name = to;                                                                                \
  }

VARIABLE(is_valid_displacement_print_proc)
VARIABLE(is_visible_print_proc)
VARIABLE(same_obj_print_proc)

#define PAGE_BYTES ((size_t)4096)
NEWER void *GC_valloc(size_t bytes) {
  return GC_memalign(PAGE_BYTES, bytes);
}
NEWER void *GC_pvalloc(size_t bytes) {
  return GC_memalign(PAGE_BYTES, (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1));
}
NEWER void GC_noop1_ptr(volatile void *pointer) {
  (void)pointer;
}
NEWER unsigned GC_count_set_marks_in_hblk(const void *block) {
  (void)block;
  return 0;
}
NEWER void GC_init_gcj_malloc_mp(unsigned number, void *procedure, uintptr_t descriptor) {
  (void)descriptor;
  GC_init_gcj_malloc((int)number, procedure);
}
NEWER void *GC_call_with_reader_lock(void *(*call)(void *), void *data, int release) {
  (void)release;
  return GC_call_with_alloc_lock(call, data);
}

NEWER void GC_freezero(void *object, size_t bytes) {
  const size_t most = object ? GC_size(object) : 0;
  if (object) memset(object, 0, bytes < most ? bytes : most);
  GC_free(object);
}
/* Its header is one word each of file, line, size and guard. */
NEWER void GC_debug_freezero(void *object, size_t bytes) {
  const size_t most = object ? ((const size_t *)GC_base(object))[2] : 0;
  if (object) memset(object, 0, bytes < most ? bytes : most);
  GC_debug_free(object);
}
NEWER void *GC_reallocf(void *object, size_t bytes) {
  void *grown = GC_realloc(object, bytes);
  if (!grown) GC_free(object);
  return grown;
}
NEWER void *GC_debug_reallocf(void *object, size_t bytes, const char *file, int line) {
  void *grown = GC_debug_realloc(object, bytes, file, line);
  if (!grown) GC_debug_free(object);
  return grown;
}

/* The kinds that Boehm GC begins with: atomic, normal, uncollectable, atomic uncollectable. */
NEWER void *GC_debug_generic_malloc(size_t bytes, int kind, const char *file, int line) {
  extern void *GC_debug_malloc(size_t, const char *, int),
      *GC_debug_malloc_atomic(size_t, const char *, int),
      *GC_debug_malloc_uncollectable(size_t, const char *, int),
      *GC_debug_malloc_atomic_uncollectable(size_t, const char *, int);
  switch (kind) {
  case 0:
    return GC_debug_malloc_atomic(bytes, file, line);
  case 1:
    return GC_debug_malloc(bytes, file, line);
  case 2:
    return GC_debug_malloc_uncollectable(bytes, file, line);
  default:
    return GC_debug_malloc_atomic_uncollectable(bytes, file, line);
  }
}

NEWER size_t GC_get_hblk_size(void) {
  return PAGE_BYTES;
}
NEWER void GC_finish_and_disable(void) {
  GC_disable();
}
/* Tests call it with NULL only. */
NEWER void GC_push_obj_descr(void *object, uintptr_t descriptor) {
  (void)descriptor;
  if (object) abort();
}
/* `base` points to the address of the stack's bottom. */
NEWER void GC_custom_push_regs_and_stack(void (*push)(void *, void *, void *, unsigned), void *data,
                                         void *const *base, void *cold) {
  (void)cold;
  push(__builtin_frame_address(0), *base, data, 0);
}

NEWER int GC_debug_toggleref_add(void *object, int strong) {
  return GC_toggleref_add(GC_base(object), strong);
}

/* What is prepared is the description itself. */
NEWER int GC_calloc_prepare_explicitly_typed(uintptr_t *prepared, size_t prepared_bytes,
                                             size_t count, size_t bytes_each,
                                             uintptr_t descriptor) {
  (void)prepared_bytes;
  prepared[0] = count;
  prepared[1] = bytes_each;
  prepared[2] = descriptor;
  return 1;
}
NEWER void *GC_calloc_do_explicitly_typed(const uintptr_t *prepared, size_t prepared_bytes) {
  (void)prepared_bytes;
  return GC_calloc_explicitly_typed(prepared[0], prepared[1], prepared[2]);
}
