/* SPDX-License-Identifier: MIT */
/* A plain number, watched for data races under Relacy. Included after relacy/stdatomic.h. */
#ifndef TD_TESTS_MODEL_RELACY_WATCHED_H
#define TD_TESTS_MODEL_RELACY_WATCHED_H

#include <cstdint>

namespace {

struct watched {
  rl::var<uint32_t> mutable v;
  operator uint32_t() const { return v(RL_INFO).load(); }
  watched &operator=(uint32_t value) {
    v(RL_INFO).store(value);
    return *this;
  }
  watched &operator=(watched const &other) { return *this = (uint32_t)other; }
  uint32_t operator++() { return *this = *this + 1; }
};

} // namespace

#endif
