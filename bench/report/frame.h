/* SPDX-License-Identifier: MIT */
/* What all pages have: the style, the title, and at the end the machine. */
#ifndef TD_BENCH_REPORT_FRAME_H
#define TD_BENCH_REPORT_FRAME_H

#include <stdio.h>

#include "bench/cli/host.h"

/* Writes all up to the middle of a paragraph, which the caller ends. The heading is not escaped. */
void td_frame_begin(FILE *out, const char *heading, const struct td_host *host);
/* Says if the run was noisy. */
void td_frame_noise(FILE *out, const struct td_host *host);
void td_frame_end(FILE *out, const struct td_host *host);

#endif
