/* SPDX-License-Identifier: MIT */
/* What inject.c and inject_memory.c say to each other. */
#ifndef TD_TESTS_FAULT_INJECT_H
#define TD_TESTS_FAULT_INJECT_H

/* The system call that a process makes where counting begins, and its first argument. The system
 * knows no such thing to do for it. */
#define INJECT_BEGIN SYS_prctl
#define INJECT_WORD 0x74696465

#endif
