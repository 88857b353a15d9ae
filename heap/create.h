/* SPDX-License-Identifier: MIT */
/* Creating a space: the reservation and the side tables. */
#ifndef TD_HEAP_CREATE_H
#define TD_HEAP_CREATE_H

#include "heap/space/space.h"
#include "heap/space/tables.h"

/* Reserves reserve_bytes of address space, or less until the system agrees, down to 16 MiB. Then
 * half of it is the program's, too, and who comes first has it. max_bytes is the hard limit of what
 * objects may use. Returns false with `error` set (NULL is allowed) if there is no room; then the
 * space is all zero.
 *
 * If the space has_young, it tells young objects from old ones. The range and the table of marks
 * are laid out so that the bits of any address, masked by mark_span - 1 granules, find a byte of
 * the table: an object's own mark, or for what is no object some other byte. tide_write needs that.
 */
bool td_space_init(struct td_space *space, bool has_young, size_t reserve_bytes, size_t max_bytes,
                   struct tide_error *error);
/* Asks the system for small pages: for what objects will lie in, and for the marks of the first
 * TD_SMALL_MARKS_BYTES of them. Behind huge_from_bytes, if not 0, huge pages are asked for where
 * they will be used: see heap/memory/backing.c. Before anything is allocated. */
void td_space_use_small_pages(struct td_space *space, size_t huge_from_bytes);
/* Returns whether a space can live on system pages of this size: blocks must begin and end with a
 * page, because memory is given back by the block and by the slab. td_space_init refuses others. */
static inline bool td_space_can_use_pages(size_t page_bytes) {
  return page_bytes > 0 && TD_BLOCK_BYTES % page_bytes == 0;
}
/* Returns what objects may use if they, the side tables and the rest of the program are to fit into
 * memory_bytes. The tables take a sixteenth of what objects use; as much is left for the program.
 */
static inline size_t td_space_share_of(size_t memory_bytes) {
  return memory_bytes - memory_bytes / 8;
}
/* All objects are gone. Does nothing for a space that is all zero. */
void td_space_deinit(struct td_space *space);

#endif
