/* SPDX-License-Identifier: MIT */
/* Importing a heap dump as a recorded graph.
 *
 * HPROF (JAVA PROFILE 1.0.1 and 1.0.2), V8's .heapsnapshot and graphs (which are only compressed
 * anew) are told apart by content, not by name.  The first two may be stored with gzip.  An input
 * named "-" is standard input.  What each importer keeps, leaves out and assumes is written in
 * docs/importing.md. */
#ifndef TD_WORKLOADS_IMPORT_H
#define TD_WORKLOADS_IMPORT_H

#include "workloads/import_summary.h"
#include "workloads/thg.h"

/* Reads the dump `input` and writes the graph to `output`, all or nothing.
 * progress and summary may be NULL.  Returns whether it succeeded; if not, *error says why and
 * `output` is as it was. */
bool td_import_file(const char *input, const char *output, const struct td_thg_progress *progress,
                    struct td_import_summary *summary, struct td_thg_error *error);

/* The same, but leaving the graph in memory: *graph is to be freed by td_thg_free. */
bool td_import_graph(const char *input, const struct td_thg_progress *progress,
                     struct td_thg *graph, struct td_import_summary *summary,
                     struct td_thg_error *error);

/* The same from bytes in memory, with name standing in for the path in messages. */
bool td_import_bytes(const void *bytes, uint64_t length, const char *name, struct td_thg *graph,
                     struct td_import_summary *summary, struct td_thg_error *error);

/* Returns the name that the graph of an input gets where none is given: the input's, with .thg in
 * place of .hprof or .heapsnapshot, and without .gz.  To be freed; NULL where there is no memory.
 */
char *td_import_output_name(const char *input);

#endif
