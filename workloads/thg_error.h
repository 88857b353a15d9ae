/* Filling in a struct td_thg_error: shared by the graph file and the importers. */
#ifndef TD_WORKLOADS_THG_ERROR_H
#define TD_WORKLOADS_THG_ERROR_H

#include "workloads/thg.h"

/* Format the message, always false so that callers can return it.  error may be NULL. */
bool td_thg_fail(struct td_thg_error *error, enum td_thg_error_kind kind, uint64_t offset,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Out of memory for `what` of the file or graph `name`. */
bool td_thg_fail_memory(struct td_thg_error *error, const char *name, const char *what);

/* Report progress if anyone listens. */
void td_thg_report(const struct td_thg_progress *progress, const char *phase, uint64_t done,
                   uint64_t total);

#endif
