/* The live heap in a file. inspect/snapshot.c opens it, numbers the objects and has one of the
 * writers do the rest; the world is stopped meanwhile. */
#ifndef TD_INSPECT_SNAPSHOT_H
#define TD_INSPECT_SNAPSHOT_H

#include <stdio.h>

#include "gc/base/state.h"
#include "gc/base/scan.h"

#define TD_NO_NUMBER UINT64_MAX

/* Objects are numbered from 0 in address order: an object's number is the count of set bits before
 * its own in a bitmap of granules, kept per block and counted inside it. */
struct td_snapshot {
  struct tide_heap *heap;
  FILE *file;
  uint64_t *objects; /* bit per granule below the frontier */
  uint64_t *before;  /* per block: objects in lower blocks */
  uint64_t count;
  /* The first failure; writers set it for all but errors of the file. */
  enum tide_status status;
  const char *why;
  int reason; /* errno of the first failure to write, else 0 */
};

/* TD_NO_NUMBER if the address is no object's. */
uint64_t td_snapshot_number(const struct td_snapshot *snapshot, uintptr_t object);
/* Gives the scanner all roots: those that the last collection saw. */
void td_snapshot_scan_roots(struct td_snapshot *snapshot, struct td_scanner *scanner);
/* Asked soon after writing, while errno still tells why. */
bool td_snapshot_file_failed(struct td_snapshot *snapshot);
void td_snapshot_fail(struct td_snapshot *snapshot, enum tide_status status, const char *why);
/* What was reported a second time differs, so the parts of the file do not fit each other. */
void td_snapshot_fail_unsteady(struct td_snapshot *snapshot);

/* The writers. */
void td_snapshot_devtools(struct td_snapshot *snapshot);
void td_snapshot_thg(struct td_snapshot *snapshot);

#endif
