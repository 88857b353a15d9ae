/* SPDX-License-Identifier: MIT */
#include "heap/space/poison.h"

/* The sanitizer's own functions. Weak, so that they are NULL in programs without it. */
// NOLINTBEGIN(bugprone-reserved-identifier): not ours
__attribute__((weak)) void __asan_poison_memory_region(const volatile void *start, size_t bytes);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *start, size_t bytes);
// NOLINTEND(bugprone-reserved-identifier)

bool td_poison_is_possible(void) {
  return __asan_poison_memory_region && __asan_unpoison_memory_region;
}

void td_poison(uintptr_t start, size_t bytes) {
  __asan_poison_memory_region((const void *)start, bytes);
}

void td_unpoison(uintptr_t start, size_t bytes) {
  __asan_unpoison_memory_region((const void *)start, bytes);
}
