/* SPDX-License-Identifier: MIT */
#include "workloads/allowance.h"

#include <inttypes.h>

#include "platform/platform.h"

uint64_t td_allowance_bytes(uint64_t file_bytes) {
  return td_thg_allowance(file_bytes, TD_ALLOWANCE_BASE_BYTES);
}

bool td_allowance_covers(const char *name, uint64_t file_bytes, const char *what, uint64_t wanted,
                         struct td_thg_error *error) {
  if (wanted > td_allowance_bytes(file_bytes)) {
    return td_thg_fail(error, TD_THG_BAD_INPUT, 0,
                       "%s: %s: %" PRIu64 " bytes of memory are too many for a file of %" PRIu64
                       " bytes, which may take %" PRIu64 " (256 MiB and %u times its length)",
                       name, what, wanted, file_bytes, td_allowance_bytes(file_bytes),
                       TD_THG_ALLOWANCE_RATIO);
  }
  if (wanted <= TD_ALLOWANCE_BASE_BYTES / 8) return true; /* spares small files the question */
  uint64_t there = td_plat_memory_bytes();
  if (wanted <= there) return true;
  return td_thg_fail(error, TD_THG_NO_RESOURCES, 0,
                     "%s: %s: %" PRIu64 " bytes of memory are needed; the machine or the control "
                     "group has %" PRIu64,
                     name, what, wanted, there);
}
