/* SPDX-License-Identifier: MIT */
#include "tests/asked/recorder.h"

#include <stdbool.h>
#include <string.h>

#include "tests/asked/prefetch.h"

#define LINE_LOG2 6u
#define SETS 64u
#define WAYS 8u
#define LATE 16u /* accesses between a prefetch and the first use */

struct line {
  uintptr_t number; /* 0: none */
  uint64_t used;    /* when */
  bool asked;       /* and not accessed since */
};

static struct {
  bool active;
  const struct recorder_range *ranges;
  size_t range_count;
  uint64_t now;
  struct line line[SETS][WAYS];
  struct recorded found[RECORDED_KINDS];
} recorder;

static struct line *look_up(uintptr_t number) {
  struct line *set = recorder.line[number % SETS];
  for (unsigned i = 0; i < WAYS; i++)
    if (set[i].number == number) return &set[i];
  return NULL;
}

/* Takes the place of the line of its set that was used longest ago. */
static void keep(uintptr_t number, bool asked) {
  struct line *set = recorder.line[number % SETS], *oldest = set;
  for (unsigned i = 1; i < WAYS; i++)
    if (set[i].used < oldest->used) oldest = &set[i];
  *oldest = (struct line){.number = number, .used = recorder.now, .asked = asked};
}

static struct recorded *figures_of(uintptr_t address) {
  for (size_t i = 0; i < recorder.range_count; i++) {
    const struct recorder_range *range = &recorder.ranges[i];
    if (address - range->start < range->bytes) return &recorder.found[range->kind];
  }
  return NULL;
}

static bool is_accessed(uintptr_t number) {
  const struct line *line = look_up(number);
  return line && !line->asked;
}

static void access(const volatile void *at) {
  if (!recorder.active) return;
  uintptr_t address = (uintptr_t)at, number = address >> LINE_LOG2;
  struct line *line = look_up(number);
  recorder.now++;
  if (line && !line->asked) {
    line->used = recorder.now;
    return;
  }
  struct recorded *figures = figures_of(address);
  if (figures) {
    figures->asked += line != NULL;
    figures->late += line && recorder.now - line->used < LATE;
    bool next = !line && (is_accessed(number - 1) || is_accessed(number + 1));
    figures->next += next;
    figures->unasked += !line && !next;
  }
  if (!line) {
    keep(number, false);
    return;
  }
  line->used = recorder.now;
  line->asked = false;
}

void recorder_ask(const void *address, ...) {
  uintptr_t number = (uintptr_t)address >> LINE_LOG2;
  if (!recorder.active) return;
  struct line *line = look_up(number);
  if (!line)
    keep(number, true);
  else if (!line->asked)
    line->used = recorder.now;
}

void recorder_begin(const struct recorder_range *ranges, size_t count) {
  memset(&recorder, 0, sizeof recorder);
  recorder.ranges = ranges;
  recorder.range_count = count;
  recorder.active = true;
}

void recorder_end(struct recorded *found) {
  recorder.active = false;
  memcpy(found, recorder.found, sizeof recorder.found);
}

/* ---- What instrumented code calls ---- */

/* No header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
void __tsan_init(void) {}
void __tsan_func_entry(void *caller) {
  (void)caller;
}
void __tsan_func_exit(void) {}
void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define PLAIN(name)                                                                                \
  void name(void *at) {                                                                            \
    access(at);                                                                                    \
  }
#define PLAIN_SIZE(bytes)                                                                          \
  PLAIN(__tsan_read##bytes)                                                                        \
  PLAIN(__tsan_write##bytes)                                                                       \
  PLAIN(__tsan_unaligned_read##bytes)                                                              \
  PLAIN(__tsan_unaligned_write##bytes)                                                             \
  PLAIN(__tsan_volatile_read##bytes)                                                               \
  PLAIN(__tsan_volatile_write##bytes)
PLAIN_SIZE(1)
PLAIN_SIZE(2)
PLAIN_SIZE(4)
PLAIN_SIZE(8)
PLAIN_SIZE(16)

void __tsan_read_range(void *at, size_t bytes) {
  for (size_t i = 0; i < bytes; i += (size_t)1 << LINE_LOG2)
    access((char *)at + i);
}
void __tsan_write_range(void *at, size_t bytes) {
  __tsan_read_range(at, bytes);
}

#define EXCHANGE(type, bits, name, operation)                                                      \
  type __tsan_atomic##bits##_##name(volatile type *at, type value, int order) {                    \
    (void)order;                                                                                   \
    access(at);                                                                                    \
    return operation(at, value, __ATOMIC_SEQ_CST);                                                 \
  }
#define COMPARE(type, bits, name)                                                                  \
  int __tsan_atomic##bits##_##name(volatile type *at, type *expected, type value, int order,       \
                                   int failure) {                                                  \
    (void)order, (void)failure;                                                                    \
    access(at);                                                                                    \
    return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST,                   \
                                       __ATOMIC_SEQ_CST);                                          \
  }
/* clang's way. */
#define COMPARE_VALUE(type, bits)                                                                  \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,    \
                                                  int order, int failure) {                        \
    (void)order, (void)failure;                                                                    \
    access(at);                                                                                    \
    __atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    return expected;                                                                               \
  }
#define ATOMIC_SIZE(type, bits)                                                                    \
  type __tsan_atomic##bits##_load(const volatile type *at, int order) {                            \
    (void)order;                                                                                   \
    access(at);                                                                                    \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order) {                     \
    (void)order;                                                                                   \
    access(at);                                                                                    \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                                \
  EXCHANGE(type, bits, exchange, __atomic_exchange_n)                                              \
  EXCHANGE(type, bits, fetch_add, __atomic_fetch_add)                                              \
  EXCHANGE(type, bits, fetch_sub, __atomic_fetch_sub)                                              \
  EXCHANGE(type, bits, fetch_and, __atomic_fetch_and)                                              \
  EXCHANGE(type, bits, fetch_or, __atomic_fetch_or)                                                \
  COMPARE(type, bits, compare_exchange_strong)                                                     \
  COMPARE(type, bits, compare_exchange_weak)                                                       \
  COMPARE_VALUE(type, bits)
ATOMIC_SIZE(uint8_t, 8)
ATOMIC_SIZE(uint16_t, 16)
ATOMIC_SIZE(uint32_t, 32)
ATOMIC_SIZE(uint64_t, 64)
