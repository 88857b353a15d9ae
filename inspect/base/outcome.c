/* SPDX-License-Identifier: MIT */
#include "inspect/base/outcome.h"

#include <errno.h>

void td_outcome_fail(struct td_outcome *outcome, enum tide_status status, const char *why) {
  if (outcome->status != TIDE_OK) return;
  outcome->status = status;
  outcome->why = why;
}

void td_outcome_fail_memory(struct td_outcome *outcome) {
  td_outcome_fail(outcome, TIDE_ERROR_MEMORY, "not enough memory");
}

void td_outcome_fail_file(struct td_outcome *outcome, int reason) {
  if (outcome->status == TIDE_OK) outcome->reason = reason ? reason : EIO;
  td_outcome_fail(outcome, TIDE_ERROR_SYSTEM, NULL);
}

void td_outcome_fail_unsteady(struct td_outcome *outcome) {
  td_outcome_fail(
      outcome, TIDE_ERROR_STATE,
      "a trace function or root callback does not report the same references each time");
}

bool td_outcome_is_fine(struct td_outcome *outcome, FILE *file) {
  if (ferror(file)) td_outcome_fail_file(outcome, errno);
  return outcome->status == TIDE_OK;
}
