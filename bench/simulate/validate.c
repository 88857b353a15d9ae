/* SPDX-License-Identifier: MIT */
#include "bench/simulate/validate.h"

#include <stdlib.h>

#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "bench/cli/samples.h"
#include "bench/simulate/calm.h"
#include "bench/subject/subject.h"

#define TRIES_MOST 10u /* to mark without being disturbed */

/* Marks until others have not slowed the machine down meanwhile. If they always do, the last try
 * counts. Each try is the second of two markings, because who has waited finds caches and
 * predictors that others have used. */
static int mark_calmly(const struct td_real_marking *m, const struct td_cpus *cpus,
                       struct td_subject *subject, size_t engine, size_t markers, double *ns) {
  static struct td_cycle_record record;
  uint64_t objects;
  int status = TD_EXIT_OK;
  for (unsigned i = 0; i < TRIES_MOST && status == TD_EXIT_OK; i++) {
    td_wait_for_calm(cpus);
    for (unsigned warm = 0; warm < 2 && status == TD_EXIT_OK; warm++)
      status = td_subject_mark(subject, m->engines[engine], (unsigned)m->markers[markers], &record,
                               &objects);
    *ns = (double)record.all.mark_ns;
    if (td_is_calm(cpus)) break;
  }
  return status;
}

/* One round; the first one of all warms up and is not counted. */
static int mark_round(const struct td_real_marking *m, const struct td_cpus *cpus,
                      struct td_subject *subject, bool counts, struct td_samples *samples) {
  int status = TD_EXIT_OK;
  for (size_t e = 0; e < m->engine_count; e++)
    for (size_t i = 0; i < m->marker_count && status == TD_EXIT_OK; i++) {
      double ns = 0;
      status = mark_calmly(m, cpus, subject, e, i, &ns);
      bool kept =
          !counts || status != TD_EXIT_OK || td_samples_add(&samples[e * m->marker_count + i], ns);
      if (!kept) status = td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
    }
  return status;
}

static int mark_rounds(const struct td_real_marking *m, struct td_subject *subject,
                       struct td_samples *samples) {
  struct td_cpus cpus;
  if (!td_cpus_read(&cpus)) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  int status = td_subject_set_policy(subject, m->policy);
  for (unsigned round = 0; round <= m->rounds && status == TD_EXIT_OK; round++) {
    td_progress("marking on this machine", round, m->rounds);
    status = mark_round(m, &cpus, subject, round > 0, samples);
  }
  td_cpus_free(&cpus);
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
    ns[i] = status == TD_EXIT_OK ? td_samples_summary(&samples[i]).min : 0;
    td_samples_free(&samples[i]);
  }
  free(samples);
  return status;
}
