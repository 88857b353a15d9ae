/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all.
 *
 * A file is written under a name of its own beside its place and renamed at the end. The name is
 * chosen at random and the file is created exclusively, so nothing that is there already is
 * followed, truncated or shared, be it a link that was planted or the file of another thread
 * or process that writes to the same path. Of several such writers the last to finish wins. */
#ifndef TD_INSPECT_BASE_WHOLE_FILE_H
#define TD_INSPECT_BASE_WHOLE_FILE_H

#include <stdio.h>

struct td_whole_file {
  FILE *file; /* refers to this structure, which stays where it is until commit or discard */
  int descriptor;
  int reason; /* errno of the first write that failed, else 0 */
  char *path;
  char *temporary;
};

/* What is wrong if path names something that is no regular file: instead of an errno. */
#define TD_NOT_A_FILE (-1)

/* Both return 0, an errno or TD_NOT_A_FILE; then nothing is left behind. Commit makes sure that
 * the contents are on disk before it renames, so that a power cut cannot leave an empty file. */
int td_whole_file_create(struct td_whole_file *whole, const char *path);
int td_whole_file_commit(struct td_whole_file *whole);
/* Closes and removes it. An all-zero one is ignored. */
void td_whole_file_discard(struct td_whole_file *whole);

/* A phrase for what create or commit returned. It may be overwritten by the next call, as that of
 * strerror. */
const char *td_whole_file_reason(int result);

#endif
