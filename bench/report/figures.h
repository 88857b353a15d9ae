/* SPDX-License-Identifier: MIT */
/* The report's end: all figures. */
#ifndef TD_BENCH_REPORT_FIGURES_H
#define TD_BENCH_REPORT_FIGURES_H

#include "bench/report/page.h"

void td_report_figures(struct td_page *page);

#endif
