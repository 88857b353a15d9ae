/* SPDX-License-Identifier: MIT */
/* Why reading or writing a graph failed, and how far it has come: shared by the graph file and the
 * importers. */
#ifndef TD_WORKLOADS_THG_ERROR_H
#define TD_WORKLOADS_THG_ERROR_H

#include <stdbool.h>
#include <stdint.h>

enum td_thg_error_kind {
  TD_THG_OK = 0,
  TD_THG_BAD_INPUT,    /* exit status 3 */
  TD_THG_NO_RESOURCES, /* exit status 4: memory, disk, or not allowed to write */
};

/* The text is one line without a newline. It names the file and, where there is one, the offset. */
struct td_thg_error {
  enum td_thg_error_kind kind;
  uint64_t offset; /* of the offending byte in the input; 0 if none */
  char text[600];
};

/* The life of the temporary file that a graph is written to. */
enum td_thg_temporary {
  TD_THG_TEMPORARY_COMES, /* it is about to be made */
  TD_THG_TEMPORARY_IS_THERE,
  TD_THG_TEMPORARY_IS_GONE, /* removed or renamed, or it could not be made */
};

/* Called now and then during long work, and never after the call it was given to has returned.
 * phase is a few words such as "compressing"; done <= total, but total is 0 where it is unknown. */
struct td_thg_progress {
  void (*report)(void *context, const char *phase, uint64_t done, uint64_t total);
  /* For callers who want to remove the file if a signal ends the process; may be NULL. path is set
   * when the file is there; the callee makes a copy if it needs one. */
  void (*temporary)(void *context, enum td_thg_temporary state, const char *path);
  void *context;
};

/* Formats the message.  Returns false, so that callers can return it.  error may be NULL. */
bool td_thg_fail(struct td_thg_error *error, enum td_thg_error_kind kind, uint64_t offset,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Reports that there is no memory for `what` of the file or graph `name`.  Returns false. */
bool td_thg_fail_memory(struct td_thg_error *error, const char *name, const char *what);

/* Reports that the file cannot be opened, for the reason that errno gives.  It is the input's fault
 * unless we have run out of something.  Returns false. */
bool td_thg_fail_open(struct td_thg_error *error, const char *name, int why);

/* Reports progress if anyone listens. */
void td_thg_report(const struct td_thg_progress *progress, const char *phase, uint64_t done,
                   uint64_t total);

#endif
