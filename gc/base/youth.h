/* When a young collection is due. Pure: figures in, a number of bytes out. */
#ifndef TD_GC_BASE_YOUTH_H
#define TD_GC_BASE_YOUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_youth {
  size_t due_bytes; /* to be allocated until the next young collection */
};

#endif
