/* SPDX-License-Identifier: MIT */
#include "bench/cli/document.h"

#include "bench/cli/complain.h"
#include "tide/tide.h"

int td_document_begin(struct td_document *document, const char *path, const struct td_host *host) {
  int status = td_output_open(&document->output, path);
  if (status != TD_EXIT_OK) return status;
  td_json_begin(&document->json, document->output.file);
  td_json_object_begin(&document->json, NULL);
  td_json_string(&document->json, "version", tide_version());
  if (host) td_host_json(host, &document->json, "host");
  return TD_EXIT_OK;
}

int td_document_commit(struct td_document *document) {
  td_json_object_end(&document->json);
  td_json_end(&document->json);
  return td_output_commit(&document->output);
}
