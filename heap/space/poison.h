/* SPDX-License-Identifier: MIT */
/* AddressSanitizer, where the program is built with it; the library need not be. What is poisoned
 * may not be touched: the sanitizer ends the program with a report. */
#ifndef TD_HEAP_SPACE_POISON_H
#define TD_HEAP_SPACE_POISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether the sanitizer is there. If not, the other two must not be called. */
bool td_poison_is_possible(void);
void td_poison(uintptr_t start, size_t bytes);
void td_unpoison(uintptr_t start, size_t bytes);

#endif
