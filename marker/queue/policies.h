/* SPDX-License-Identifier: MIT */
/* The victim policies that there are. Their table is in a unit of its own, as td_engines of
 * marker/engine/engines.h: a program that is linked with the static library may define another. */
#ifndef TD_MARKER_QUEUE_POLICIES_H
#define TD_MARKER_QUEUE_POLICIES_H

#include <string.h>

#include "marker/queue/policy.h"

/* The default first, and NULL behind the last. */
extern const struct td_policy_kind *const td_policies[];

/* Returns the name of the kind of that index, or NULL past the last. */
static inline const char *td_policy_name(size_t index) {
  size_t at = 0;
  while (at < index && td_policies[at])
    at++;
  return td_policies[at] ? td_policies[at]->name : NULL;
}

/* Returns the kind of that name, or NULL if there is none. */
static inline const struct td_policy_kind *td_policy_find(const char *name) {
  size_t at = 0;
  while (name && td_policies[at] && strcmp(td_policies[at]->name, name) != 0)
    at++;
  return name ? td_policies[at] : NULL;
}

#endif
