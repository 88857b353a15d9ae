/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "bench/simulate/machine/code.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "bench/simulate/machine/lines.h"

#define CALL 0xE8u /* with four bytes of distance */
#define CALL_BYTES 5u
#define HOOK_BYTES 9u        /* the call, and an instruction for its argument */
#define INSTRUCTION_BYTES 5u /* with what the calls make necessary; see docs/simulate.md */
#define BLOCK_MOST 1024u     /* bytes: what is longer contains data, or other functions */

void __sanitizer_cov_trace_pc(void);
/* They have other types where they are defined; only their addresses matter. */
extern const char __tsan_read1[], __tsan_read2[], __tsan_read4[], __tsan_read8[], __tsan_read16[],
    __tsan_write1[], __tsan_write2[], __tsan_write4[], __tsan_write8[], __tsan_write16[],
    __tsan_unaligned_read8[], __tsan_unaligned_write8[], __tsan_atomic8_load[],
    __tsan_atomic16_load[], __tsan_atomic32_load[], __tsan_atomic64_load[], __tsan_atomic8_store[],
    __tsan_atomic16_store[], __tsan_atomic32_store[], __tsan_atomic64_store[], td_sim_prefetch[];
static const char *const hooks[] = {
    __tsan_read1,         __tsan_read2,          __tsan_read4,           __tsan_read8,
    __tsan_read16,        __tsan_write1,         __tsan_write2,          __tsan_write4,
    __tsan_write8,        __tsan_write16,        __tsan_unaligned_read8, __tsan_unaligned_write8,
    __tsan_atomic8_load,  __tsan_atomic16_load,  __tsan_atomic32_load,   __tsan_atomic64_load,
    __tsan_atomic8_store, __tsan_atomic16_store, __tsan_atomic32_store,  __tsan_atomic64_store,
    td_sim_prefetch};

struct td_sim_block *td_sim_blocks;
uintptr_t td_sim_text;
size_t td_sim_text_bytes;
uintptr_t td_sim_bias;

static int find_text(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    td_sim_text = info->dlpi_addr + part->p_vaddr;
    td_sim_text_bytes = part->p_memsz;
    td_sim_bias = info->dlpi_addr;
  }
  return 1; /* the program is the first, and no other is asked for */
}

/* Returns to where a call leads, if the byte begins one. */
static uintptr_t target_of(const uint8_t *at) {
  int32_t distance;
  if (*at != CALL) return 0;
  memcpy(&distance, at + 1, sizeof distance);
  return (uintptr_t)at + CALL_BYTES + (uintptr_t)(intptr_t)distance;
}

static bool is_hook(uintptr_t target) {
  for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
    if (target == (uintptr_t)hooks[i]) return true;
  return false;
}

static void end_block(const uint8_t *begin, const uint8_t *end, uint32_t hooked) {
  if (!begin) return;
  size_t bytes = (size_t)(end - begin);
  if (bytes > BLOCK_MOST) bytes = BLOCK_MOST;
  bytes = bytes > hooked * HOOK_BYTES ? bytes - hooked * HOOK_BYTES : 0;
  td_sim_block_at((uintptr_t)begin)->instructions =
      (uint16_t)((bytes + INSTRUCTION_BYTES / 2) / INSTRUCTION_BYTES);
}

bool td_sim_code_begin(void) {
  dl_iterate_phdr(find_text, NULL);
  td_sim_blocks = td_sim_reserve((td_sim_text_bytes + 1) * sizeof *td_sim_blocks);
  if (!td_sim_blocks) return false;
  const uint8_t *text = (const uint8_t *)td_sim_text, *begin = NULL;
  uint32_t hooked = 0;
  for (size_t i = 0; i + CALL_BYTES < td_sim_text_bytes; i++) {
    uintptr_t target = target_of(text + i);
    if (target == (uintptr_t)&__sanitizer_cov_trace_pc) {
      end_block(begin, text + i, hooked);
      begin = text + i + CALL_BYTES;
      hooked = 0;
    } else if (target && is_hook(target)) {
      hooked++;
    }
  }
  return true;
}
