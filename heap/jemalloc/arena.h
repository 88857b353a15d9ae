/* A jemalloc arena that lives inside one reserved range. jemalloc chooses the addresses, keeps what
 * is given back for its decay time, and gives it to the system then.
 * Threads: one at a time in take and give; decay and the question may come from any. */
#ifndef TD_HEAP_JEMALLOC_ARENA_H
#define TD_HEAP_JEMALLOC_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct td_arena;

/* The range is reserved, not committed. NULL: errno says why. */
struct td_arena *td_arena_open(void *start, size_t bytes);
/* The range may be released then; what was taken is gone. */
void td_arena_close(struct td_arena *arena);

/* At least *bytes, aligned to `align`; *bytes becomes what was given. *zero: the memory is fresh
 * from the system. NULL: no room in the range, or no memory. */
void *td_arena_take(struct td_arena *arena, size_t *bytes, size_t align, bool *zero);
void td_arena_give(struct td_arena *arena, void *start);
/* Does what is due by the clock. */
void td_arena_decay(struct td_arena *arena);
/* What the arena has from the system, its own bookkeeping included. */
size_t td_arena_committed_bytes(const struct td_arena *arena);

#endif
