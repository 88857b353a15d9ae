/* SPDX-License-Identifier: MIT */
/* Does a program use libgc.so.1? */
#ifndef TD_BENCH_EXEC_USES_H
#define TD_BENCH_EXEC_USES_H

#include <stdbool.h>

/* Returns false if the file is an ELF program that neither is linked with libgc.so.1, directly or
 * through other libraries, nor has its name inside, as programs have that load it later. Returns
 * true for scripts and for what cannot be read: nothing is known of them. None of the program is
 * run. */
bool td_exec_may_use_libgc(const char *path);

#endif
