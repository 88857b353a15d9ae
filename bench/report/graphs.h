/* SPDX-License-Identifier: MIT */
/* The report graph by graph: times, what markers did, the frontier. */
#ifndef TD_BENCH_REPORT_GRAPHS_H
#define TD_BENCH_REPORT_GRAPHS_H

#include "bench/report/page.h"

void td_report_graphs(struct td_page *page);

#endif
