/* SPDX-License-Identifier: MIT */
/* For programs for GenMC that contain the library's own code: a site is the text of an atomic
 * operation, and a mutant has another order there. */
#ifndef TD_TESTS_MODEL_GENMC_SITES_H
#define TD_TESTS_MODEL_GENMC_SITES_H

#ifndef MUTANT_SITE
#define MUTANT_SITE ""
#define MUTANT_ORDER memory_order_relaxed
#endif
/* Compared when compiled: an order must be a constant. */
#define MODEL_ORDER_OF(site, order)                                                                \
  (__builtin_strcmp(site, MUTANT_SITE) == 0 ? MUTANT_ORDER : order)

#endif
