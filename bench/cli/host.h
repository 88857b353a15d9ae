/* SPDX-License-Identifier: MIT */
/* The machine and the build that measurements come from. */
#ifndef TD_BENCH_CLI_HOST_H
#define TD_BENCH_CLI_HOST_H

#include <stdint.h>
#include <stdio.h>

#include "bench/cli/json.h"
#include "bench/cli/noise.h"

struct td_host {
  char cpu[128];
  unsigned cores, hardware_threads; /* of the machine */
  unsigned packages, numa_nodes;
  unsigned cpus_allowed;                 /* by affinity and by the cgroup's quota, at least 1 */
  uint64_t l1_bytes, l2_bytes, l3_bytes; /* of one core, one core, one package; 0: unknown */
  uint64_t memory_bytes;
  char kernel[200];
  char huge_pages[64]; /* the mode of transparent huge pages in force */
  char compiler[128];
  char time[32]; /* when td_host_read was called, in UTC */
  const char *version;
  struct td_noise noise; /* all zero until something has been measured */
};

void td_host_read(struct td_host *host);
void td_host_json(const struct td_host *host, struct td_json *json, const char *key);
/* Prints two lines, and one or two about noise. */
void td_host_print(const struct td_host *host, FILE *out);

/* Returns how many CPUs this process may use, by affinity and by the cgroup's quota. */
unsigned td_host_cpus_allowed(void);

/* Returns the memory that can be had without swapping, as the kernel estimates it, or nearly
 * UINT64_MAX if it does not tell. */
uint64_t td_host_memory_available(void);

#endif
