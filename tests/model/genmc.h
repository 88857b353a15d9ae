/* SPDX-License-Identifier: MIT */
/* What the programs for GenMC share: a site's order is the second argument of a macro, the
 * mutant's if one is defined for the site. */
#ifndef TD_TESTS_MODEL_GENMC_H
#define TD_TESTS_MODEL_GENMC_H

#define MODEL_SECOND(first, second, ...) second
#define MODEL_PICK(...) MODEL_SECOND(__VA_ARGS__)
#define TD_ORDER(queue, site, order) MODEL_PICK(MUTANT_##queue##_##site, memory_order_##order, 0)
#define TD_STEP(queue, site) MODEL_PICK(SKIPPED_##queue##_##site, 1, 0)
/* The same for tide/bwos.h, which knows nothing of these. Items are whole words. */
#define TIDE_BWOS_ATOMIC(type) _Atomic(type)
#define TIDE_BWOS_ALIGNED _Alignas(64)
#define TIDE_BWOS_ORDER(form, site, order) TD_ORDER(form, site, order)
#define TIDE_BWOS_LINE 1u
#define TIDE_BWOS_RELAXED memory_order_relaxed
#define TIDE_BWOS_STEP(form, site) TD_STEP(form, site)
#define TIDE_BWOS_INIT(pointer, value) atomic_init(pointer, value)
#define TIDE_BWOS_INIT_STORAGE(pointer, value) atomic_init(pointer, value)
#define TIDE_BWOS_INIT_SLOT(pointer) ((void)(pointer))
#define TIDE_BWOS_COPY(to, from, bytes) (*(uint64_t *)(to) = *(const uint64_t *)(from))
#define TIDE_BWOS_ASSUME(condition) assert(condition)
#define TIDE_BWOS_REQUIRE(type) _Static_assert(sizeof(type) % 8 == 0, #type)
/* GenMC cannot copy structures at constant addresses. */
#define TIDE_BWOS_ON_COPY(type, owner, copy, statement)                                            \
  do {                                                                                             \
    type *copy = (owner);                                                                          \
    statement;                                                                                     \
  } while (0)
#define MODEL_ASSERT(condition) assert(condition)

#endif
