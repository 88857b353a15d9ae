/* SPDX-License-Identifier: MIT */
/* The functions that code compiled with -fsanitize=thread calls at every access to memory. Instead
 * of looking for races, they let the simulated time go on.
 *
 * The names and meanings are those of the instrumentation, which GCC and Clang share. Since one
 * thread at a time executes, atomic operations are what they are in a program of one thread. */
#include <stdbool.h>
#include <stdint.h>

#include "bench/simulate/machine/hooks.h"
#include "bench/simulate/machine/memory.h"
#include "bench/simulate/machine/report.h"
#include "bench/simulate/machine/threads.h"
#include "bench/simulate/machine/waits.h"
#include "bench/simulate/machine/window.h"

static inline void touch(const volatile void *address, enum td_sim_access access, unsigned bytes) {
  if (!td_sim_now.counts) return;
  /* The thread's own stack is in registers, or as good as. */
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), there = (uintptr_t)address;
  if (there - here < 16384) return;
  td_sim_here = td_sim_site_of((uintptr_t)__builtin_return_address(0));
  /* It may be a reference, which leads to what is accessed later. */
  uint64_t value = access == TD_SIM_READ && bytes == 8 ? *(const volatile uint64_t *)address : 0;
  td_sim_now.now = td_sim_memory_access(td_sim_now.core, there, access, value, td_sim_now.now);
  td_sim_step();
}

void td_sim_prefetch(const void *address) {
  touch(address, TD_SIM_PREFETCH, 0);
}

void td_sim_pause(void) {
  td_sim_spend(td_sim_costs.at[TD_COST_pause_ns]);
}

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller) {
  (void)caller;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

#define PLAIN(bytes)                                                                               \
  void __tsan_read##bytes(void *at);                                                               \
  void __tsan_read##bytes(void *at) {                                                              \
    touch(at, TD_SIM_READ, bytes);                                                                 \
  }                                                                                                \
  void __tsan_write##bytes(void *at);                                                              \
  void __tsan_write##bytes(void *at) {                                                             \
    touch(at, TD_SIM_WRITE, bytes);                                                                \
  }                                                                                                \
  void __tsan_unaligned_read##bytes(void *at);                                                     \
  void __tsan_unaligned_read##bytes(void *at) {                                                    \
    touch(at, TD_SIM_READ, bytes);                                                                 \
  }                                                                                                \
  void __tsan_unaligned_write##bytes(void *at);                                                    \
  void __tsan_unaligned_write##bytes(void *at) {                                                   \
    touch(at, TD_SIM_WRITE, bytes);                                                                \
  }                                                                                                \
  void __tsan_volatile_read##bytes(void *at);                                                      \
  void __tsan_volatile_read##bytes(void *at) {                                                     \
    touch(at, TD_SIM_READ, bytes);                                                                 \
  }                                                                                                \
  void __tsan_volatile_write##bytes(void *at);                                                     \
  void __tsan_volatile_write##bytes(void *at) {                                                    \
    touch(at, TD_SIM_WRITE, bytes);                                                                \
  }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, unsigned long bytes);
void __tsan_read_range(void *at, unsigned long bytes) {
  for (unsigned long i = 0; i < bytes; i += 64)
    touch((char *)at + i, TD_SIM_READ, 0);
}
void __tsan_write_range(void *at, unsigned long bytes);
void __tsan_write_range(void *at, unsigned long bytes) {
  for (unsigned long i = 0; i < bytes; i += 64)
    touch((char *)at + i, TD_SIM_WRITE, 0);
}

#define EXCHANGE(bits, name, type, operation)                                                      \
  type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);                     \
  type __tsan_atomic##bits##_##name(volatile type *at, type value, int order) {                    \
    (void)order;                                                                                   \
    touch(at, TD_SIM_CHANGE, 0);                                                                   \
    type before = *at;                                                                             \
    *at = (type)(operation);                                                                       \
    return before;                                                                                 \
  }

/* Returns whether *at was *expected; then it is changed. */
#define COMPARE(bits, name, type)                                                                  \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected, type value, \
                                                    int order, int failure);                       \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected, type value, \
                                                    int order, int failure) {                      \
    (void)order, (void)failure;                                                                    \
    touch(at, TD_SIM_CHANGE, 0);                                                                   \
    type before = *at;                                                                             \
    bool equal = before == *expected;                                                              \
    if (equal)                                                                                     \
      *at = value;                                                                                 \
    else                                                                                           \
      *expected = before;                                                                          \
    return equal;                                                                                  \
  }

#define ATOMIC(bits, type)                                                                         \
  type __tsan_atomic##bits##_load(const volatile type *at, int order);                             \
  type __tsan_atomic##bits##_load(const volatile type *at, int order) {                            \
    (void)order;                                                                                   \
    touch(at, TD_SIM_READ, bits / 8);                                                              \
    return *at;                                                                                    \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                      \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order) {                     \
    touch(at, order == __ATOMIC_SEQ_CST ? TD_SIM_CHANGE : TD_SIM_WRITE, 0);                        \
    if (sizeof(type) == 1) td_sim_note_mark((uintptr_t)at);                                        \
    *at = value;                                                                                   \
  }                                                                                                \
  EXCHANGE(bits, exchange, type, value)                                                            \
  EXCHANGE(bits, fetch_add, type, before + value)                                                  \
  EXCHANGE(bits, fetch_sub, type, before - value)                                                  \
  EXCHANGE(bits, fetch_or, type, before | value)                                                   \
  EXCHANGE(bits, fetch_and, type, before &value)                                                   \
  EXCHANGE(bits, fetch_xor, type, before ^ value)                                                  \
  COMPARE(bits, strong, type)                                                                      \
  COMPARE(bits, weak, type)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
  if (order != __ATOMIC_SEQ_CST || !td_sim_now.counts) return;
  td_sim_here = td_sim_site_of((uintptr_t)__builtin_return_address(0));
  td_sim_now.now = td_sim_window_drain(td_sim_now.core, td_sim_now.now);
  td_sim_spend(td_sim_costs.at[TD_COST_atomic_ns]);
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) {
  (void)order;
}
