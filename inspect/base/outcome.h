/* SPDX-License-Identifier: MIT */
/* How the writing of a file goes. The first failure stays; the file is then thrown away. */
#ifndef TD_INSPECT_BASE_OUTCOME_H
#define TD_INSPECT_BASE_OUTCOME_H

#include <stdbool.h>
#include <stdio.h>

#include "tide/tide.h"

struct td_outcome {
  enum tide_status status;
  const char *why; /* a phrase; NULL for a file that cannot be written */
  int reason;      /* its errno, else 0 */
};

void td_outcome_fail(struct td_outcome *outcome, enum tide_status status, const char *why);
void td_outcome_fail_memory(struct td_outcome *outcome);
void td_outcome_fail_file(struct td_outcome *outcome, int reason);
/* What is reported a second time differs, so that the parts of the file do not fit each other. */
void td_outcome_fail_unsteady(struct td_outcome *outcome);

/* Notes an error of the file. Returns true if nothing has failed. Asked soon after writing, while
 * errno still tells why. */
bool td_outcome_is_fine(struct td_outcome *outcome, FILE *file);

#endif
