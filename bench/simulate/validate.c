#include "bench/simulate/validate.h"

#include <stdlib.h>

#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "bench/cli/samples.h"
#include "bench/subject/subject.h"

/* One round; the first one of all warms up and is not counted. */
static int mark_round(const struct td_real_marking *m, struct td_subject *subject, bool counts,
                      struct td_samples *samples, struct td_cycle_record *record) {
  uint64_t objects;
  int status = TD_EXIT_OK;
  for (size_t e = 0; e < m->engine_count; e++)
    for (size_t i = 0; i < m->marker_count && status == TD_EXIT_OK; i++) {
      status = td_subject_mark(subject, m->engines[e], (unsigned)m->markers[i], record, &objects);
      bool kept = !counts || status != TD_EXIT_OK ||
                  td_samples_add(&samples[e * m->marker_count + i], (double)record->all.mark_ns);
      if (!kept) status = td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
    }
  return status;
}

static int mark_rounds(const struct td_real_marking *m, struct td_subject *subject,
                       struct td_samples *samples) {
  struct td_cycle_record *record = malloc(sizeof *record);
  if (!record) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  int status = td_subject_set_policy(subject, m->policy);
  for (unsigned round = 0; round <= m->rounds && status == TD_EXIT_OK; round++) {
    td_progress("marking on this machine", round, m->rounds);
    status = mark_round(m, subject, round > 0, samples, record);
  }
  free(record);
  return status;
}

int td_mark_really(const struct td_real_marking *m, double *ns) {
  size_t count = m->engine_count * m->marker_count;
  struct td_samples *samples = calloc(count, sizeof *samples);
  if (!samples) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  struct td_subject subject;
  const struct td_subject_build build = {.heap_max_bytes = m->heap_max_bytes};
  td_progress_begin();
  int status = td_subject_create(m->spec, &build, &subject);
  if (status == TD_EXIT_OK) {
    status = mark_rounds(m, &subject, samples);
    td_subject_destroy(&subject);
  }
  td_progress_end();
  for (size_t i = 0; i < count; i++) {
    ns[i] = status == TD_EXIT_OK ? td_samples_summary(&samples[i]).median : 0;
    td_samples_free(&samples[i]);
  }
  free(samples);
  return status;
}
