/* SPDX-License-Identifier: MIT */
/* Lines on stderr, warnings, and the end. */
#ifndef TD_BDWGC_SAY_H
#define TD_BDWGC_SAY_H

#include "bdwgc/types.h"

/* One line on stderr, beginning with the library's name. */
void td_bdwgc_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* To where the program or the environment wants the log. */
EXPORT void GC_log_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* To the file that GC_LOG_FILE names, from here on. */
void td_bdwgc_open_log(void);
/* Goes to the program's warning hook. The format takes the argument with %lu or %lx, or not. */
void td_bdwgc_warn(const char *format, GC_word argument);
/* Hands the line to the program's abort hook and ends the process. */
_Noreturn void td_bdwgc_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
