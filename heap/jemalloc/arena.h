/* A jemalloc arena inside one reserved range. jemalloc chooses the addresses. What is given back it
 * keeps for its decay time and then gives to the system.
 * Threads: one at a time may take and give. Any thread may call the other functions. */
#ifndef TD_HEAP_JEMALLOC_ARENA_H
#define TD_HEAP_JEMALLOC_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct td_arena;

/* Opens an arena over a range that is reserved and not committed. Returns NULL with errno set if
 * that fails. */
struct td_arena *td_arena_open(void *start, size_t bytes);
/* Closes the arena; NULL is allowed. What was taken is gone, and the range may be released then. */
void td_arena_close(struct td_arena *arena);

/* Takes at least *bytes of committed memory, aligned to `align`, and stores in *bytes how much it
 * is. *zero tells whether the memory is fresh from the system. Returns NULL if there is no room in
 * the range, or no memory. */
void *td_arena_take(struct td_arena *arena, size_t *bytes, size_t align, bool *zero);
void td_arena_give(struct td_arena *arena, void *start);
/* Gives to the system what was kept for its decay time. */
void td_arena_decay(struct td_arena *arena);
/* Returns the bytes that the arena has from the system, jemalloc's bookkeeping included. */
size_t td_arena_committed_bytes(const struct td_arena *arena);

#endif
