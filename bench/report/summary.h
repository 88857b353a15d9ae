/* SPDX-License-Identifier: MIT */
/* The report's beginning: the result in short. */
#ifndef TD_BENCH_REPORT_SUMMARY_H
#define TD_BENCH_REPORT_SUMMARY_H

#include "bench/report/page.h"

void td_report_summary(struct td_page *page);

#endif
