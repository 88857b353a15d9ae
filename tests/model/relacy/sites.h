/* SPDX-License-Identifier: MIT */
/* The atomics of C files that know no TD_ORDER, for Relacy: every access is a site of its own,
 * named by what it accesses, as "fetch_or(&mutator->state)". MODEL_BEFORE, which the program
 * defines, comes before each. Included after <pthread.h> and relacy/stdatomic.h. */
#ifndef TD_TESTS_MODEL_RELACY_SITES_H
#define TD_TESTS_MODEL_RELACY_SITES_H

#include <cstdint>

/* Relacy's own, which no initializer makes. */
#undef pthread_mutex_t
#undef pthread_mutex_init
#undef pthread_mutex_destroy
#undef pthread_mutex_lock
#undef pthread_mutex_trylock
#undef pthread_mutex_unlock

#define MODEL_ORDER_OF(site, order) static_cast<rl::memory_order>(MODEL_SITE(site, false, order))
#undef atomic_load_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_and_explicit
#undef atomic_fetch_or_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#define atomic_load_explicit(p, order)                                                             \
  (MODEL_BEFORE, (p)->load(MODEL_ORDER_OF("load(" #p ", " #order ")", order), RL_INFO))
#define atomic_fetch_add_explicit(p, value, order)                                                 \
  (MODEL_BEFORE, (p)->fetch_add((value), MODEL_ORDER_OF("fetch_add(" #p ")", order), RL_INFO))
#define atomic_fetch_sub_explicit(p, value, order)                                                 \
  (MODEL_BEFORE,                                                                                   \
   (p)->fetch_sub((value), MODEL_ORDER_OF("fetch_sub(" #p ", " #value ")", order), RL_INFO))
#define atomic_fetch_and_explicit(p, value, order)                                                 \
  (MODEL_BEFORE, (p)->fetch_and((value), MODEL_ORDER_OF("fetch_and(" #p ")", order), RL_INFO))
#define atomic_fetch_or_explicit(p, value, order)                                                  \
  (MODEL_BEFORE, (p)->fetch_or((value), MODEL_ORDER_OF("fetch_or(" #p ")", order), RL_INFO))
#define atomic_compare_exchange_strong_explicit(p, seen, value, order, failure)                    \
  (MODEL_BEFORE,                                                                                   \
   (p)->compare_exchange_strong(*(seen), (value), MODEL_ORDER_OF("cas(" #p ")", order), RL_INFO,   \
                                (failure), RL_INFO))
#define atomic_compare_exchange_weak_explicit(p, seen, value, order, failure)                      \
  (MODEL_BEFORE,                                                                                   \
   (p)->compare_exchange_weak(*(seen), (value), MODEL_ORDER_OF("cas(" #p ")", order), RL_INFO,     \
                              (failure), RL_INFO))
#define __atomic_load_n(p, order) (MODEL_BEFORE, model_load(p))
#define __atomic_store_n(p, value, order) (MODEL_BEFORE, model_store((p), (value)))

namespace {

// Relaxed, all of them. What a thread alone uses is plain.
template <typename T> T model_load(rl::atomic<T> const *p) {
  return p->load(rl::mo_relaxed, RL_INFO);
}
template <typename T, typename V> void model_store(rl::atomic<T> *p, V value) {
  p->store((T)value, rl::mo_relaxed, RL_INFO);
}
inline uint32_t model_load(uint32_t const *p) {
  return *p;
}
inline void model_store(uint32_t *p, uint32_t value) {
  *p = value;
}

} // namespace

// For td_world_init, which nobody calls in a model.
#define MODEL_MADE_OF_ZERO(type)                                                                   \
  type() {}                                                                                        \
  type(int) {}                                                                                     \
  type &operator=(type const &) {                                                                  \
    return *this;                                                                                  \
  }

#endif
