/* SPDX-License-Identifier: MIT */
#include "bench/marking/instructions.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int td_instructions_open(void) {
  struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof wanted,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
  return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

uint64_t td_instructions_read(int file) {
  uint64_t count = 0;
  return file >= 0 && read(file, &count, sizeof count) == (ssize_t)sizeof count ? count : 0;
}
