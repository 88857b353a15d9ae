/* SPDX-License-Identifier: MIT */
/* A JSON document on its way to a file: opened with what every document of the program begins with,
 * closed and moved into place at the end. */
#ifndef TD_BENCH_CLI_DOCUMENT_H
#define TD_BENCH_CLI_DOCUMENT_H

#include "bench/cli/host.h"
#include "bench/cli/json.h"
#include "bench/cli/output.h"

struct td_document {
  struct td_json json; /* inside the document's object */
  struct td_output output;
};

/* Writes "version" and, unless host is NULL, "host". Both say what went wrong on stderr and return
 * an exit status, 0 if all is well; then the document is to be committed. */
int td_document_begin(struct td_document *document, const char *path, const struct td_host *host);
int td_document_commit(struct td_document *document);

#endif
