/* What the programs for GenMC share: a site's order is the second argument of a macro, the
 * mutant's if one is defined for the site. */
#ifndef TD_TESTS_MODEL_GENMC_H
#define TD_TESTS_MODEL_GENMC_H

#define MODEL_SECOND(first, second, ...) second
#define MODEL_PICK(...) MODEL_SECOND(__VA_ARGS__)
#define TD_ORDER(queue, site, order) MODEL_PICK(MUTANT_##queue##_##site, memory_order_##order, 0)
#define TD_STEP(queue, site) MODEL_PICK(SKIPPED_##queue##_##site, 1, 0)
#define TD_ASSUME(condition) assert(condition)
/* GenMC cannot copy structures at constant addresses. */
#define TD_ON_COPY(type, owner, copy, statement)                                                   \
  do {                                                                                             \
    type *copy = (owner);                                                                          \
    statement;                                                                                     \
  } while (0)
#define MODEL_ASSERT(condition) assert(condition)

#endif
