/* SPDX-License-Identifier: MIT */
/* <stdatomic.h> for compiling the queue headers, unmodified, as C++ under the Relacy race detector.
 *
 * Every atomic access becomes a scheduling point, and plain slots (TD_PLAIN) are watched for data
 * races.  TD_ORDER and TD_STEP are looked up at run time, so that one program runs all mutants. */
#ifndef TD_TESTS_MODEL_RELACY_STDATOMIC_H
#define TD_TESTS_MODEL_RELACY_STDATOMIC_H

#include <relacy/relacy.hpp>

/* Relacy also replaces these, for the sake of code that allocates while it is checked. */
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

/* Relacy's own spelling of the orders carries a source position along; ours must be plain values.
 */
#undef memory_order_relaxed
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#define memory_order_relaxed rl::mo_relaxed
#define memory_order_acquire rl::mo_acquire
#define memory_order_release rl::mo_release
#define memory_order_acq_rel rl::mo_acq_rel
#define memory_order_seq_cst rl::mo_seq_cst

#define _Atomic(type) rl::atomic<type>
#define _Alignas alignas

#define atomic_load_explicit(p, order) ((p)->load((order), RL_INFO))
#define atomic_store_explicit(p, value, order) ((p)->store((value), (order), RL_INFO))
#define atomic_exchange_explicit(p, value, order) ((p)->exchange((value), (order), RL_INFO))
#define atomic_fetch_add_explicit(p, value, order) ((p)->fetch_add((value), (order), RL_INFO))
#define atomic_fetch_sub_explicit(p, value, order) ((p)->fetch_sub((value), (order), RL_INFO))
#define atomic_fetch_and_explicit(p, value, order) ((p)->fetch_and((value), (order), RL_INFO))
#define atomic_fetch_or_explicit(p, value, order) ((p)->fetch_or((value), (order), RL_INFO))
#define atomic_compare_exchange_weak_explicit(p, expected, value, order, failure)                  \
  ((p)->compare_exchange_weak(*(expected), (value), (order), RL_INFO, (failure), RL_INFO))
#define atomic_compare_exchange_strong_explicit(p, expected, value, order, failure)                \
  ((p)->compare_exchange_strong(*(expected), (value), (order), RL_INFO, (failure), RL_INFO))
#define atomic_init(p, value) ((p)->store((value), rl::mo_relaxed, RL_INFO))
#define atomic_thread_fence(order) rl::atomic_thread_fence((order), RL_INFO)

namespace model {

/* One place in a header whose order or step a mutant may change. */
struct site {
  char const *name;
  bool is_step;
  int normal;  /* an order, or 1 */
  int current; /* what this run uses */
  site *next;
};

/* Registers the site, applying the mutant of this run if it is the one meant.  In checker.h. */
int attach(site &s);

/* Constructs atomics in raw storage and remembers them, because Relacy wants them destroyed. */
void remember(void *object, void (*destroy)(void *));

// Whoever loads it before it was stored to makes the execution fail.
template <typename T> void construct(rl::atomic<T> *object) {
  ::new (static_cast<void *>(object)) rl::atomic<T>();
  remember(object, [](void *p) { static_cast<rl::atomic<T> *>(p)->~atomic(); });
}

template <typename T> void construct(rl::atomic<T> *object, T value) {
  construct(object);
  object->store(value, rl::mo_relaxed, RL_INFO);
}

template <typename T> void construct(rl::var<T> *object, T value) {
  ::new (static_cast<void *>(object)) rl::var<T>(value);
  remember(object, [](void *p) { static_cast<rl::var<T> *>(p)->~var(); });
}

} // namespace model

#define MODEL_SITE(label, step, value)                                                             \
  ([]() -> int {                                                                                   \
    static model::site s = {label, step, value, 0, nullptr};                                       \
    static int const attached = model::attach(s);                                                  \
    (void)attached;                                                                                \
    return s.current;                                                                              \
  }())
#define TD_ORDER(queue, name, order)                                                               \
  static_cast<rl::memory_order>(MODEL_SITE(#queue "." #name, false, (int)memory_order_##order))
#define TD_STEP(queue, name) MODEL_SITE(#queue "." #name, true, 1)

#define TD_STORAGE_ATOMIC_INIT(p, value) model::construct((p), (value))
#define TD_PLAIN(type) rl::var<type>
#define TD_PLAIN_LOAD(p) ((*(p))(RL_INFO).load())
#define TD_PLAIN_STORE(p, value) ((*(p))(RL_INFO).store(value))
#define TD_STORAGE_PLAIN_INIT(p, value) model::construct((p), uint64_t(value))

/* The same for tide/bwos.h, which knows nothing of these. */
#define TIDE_BWOS_ATOMIC(type) rl::atomic<type>
#define TIDE_BWOS_ALIGNED alignas(64)
#define TIDE_BWOS_ORDER(form, site, order) TD_ORDER(form, site, order)
#define TIDE_BWOS_LINE 1u
#define TIDE_BWOS_RELAXED memory_order_relaxed
#define TIDE_BWOS_STEP(form, site) TD_STEP(form, site)
#define TIDE_BWOS_INIT(p, value) atomic_init(p, value)
#define TIDE_BWOS_INIT_STORAGE(p, value) TD_STORAGE_ATOMIC_INIT(p, value)
#define TIDE_BWOS_INIT_SLOT(p) model::construct(p)
#define TIDE_BWOS_COPY(to, from, bytes) memcpy(to, from, bytes)
#define TIDE_BWOS_ASSUME(condition) RL_ASSERT(condition)
#define TIDE_BWOS_REQUIRE(type) static_assert(sizeof(type) <= 64, #type)

#endif
