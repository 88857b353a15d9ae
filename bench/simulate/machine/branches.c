/* SPDX-License-Identifier: MIT */
/* Instructions. The compiler calls a function at the beginning of every basic block
 * (-fsanitize-coverage=trace-pc). Its instructions cost time, and a block that was not expected to
 * come next costs more: the processor has begun to execute another one.
 *
 * A core expects what came after this block when the branches before it went the same way, the more
 * of them the better: tables for histories of several lengths, of which the longest that knows
 * decides, as in Seznec and Michaud, A case for (partially) tagged geometric history length branch
 * prediction, 2006. Blocks that always had the same successor are not part of histories.
 *
 * Only the first cores have such a predictor. All execute the same code, so on the others
 * a block is as often a surprise as on the first ones. */
#include "bench/simulate/machine/branches.h"

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulate/machine/account.h"
#include "bench/simulate/machine/code.h"
#include "bench/simulate/machine/threads.h"
#include "bench/simulate/machine/window.h"

#define BLOCKS_LOG2 13
#define TABLE_LOG2 13
#define LENGTHS 4u
#define PREDICTORS 4u   /* cores that have one */
#define RATE_ONE 32768u /* a block that is always a surprise */
#define RATE_SHIFT 6    /* a rate moves by a 64th towards what was seen */
#define LONGEST 256u    /* a power of two */

static const unsigned lengths[LENGTHS] = {4, 16, 64, 255}; /* branches */

struct expected {
  uint32_t next;  /* the block that comes next; 0: nothing is known */
  uint16_t tag;   /* in a table: of which block and history */
  uint8_t trust;  /* 0 to 3: how often it was right of late */
  bool branching; /* of a block: there have been several successors */
};

struct core {
  uint32_t block;                  /* that executes */
  uint32_t branch[LONGEST], count; /* where the last branches led; the next one comes to count */
  uint32_t history[LENGTHS];       /* of each length, folded */
  struct expected after[1u << BLOCKS_LOG2];
  struct expected table[LENGTHS][1u << TABLE_LOG2];
};

static struct core cores[PREDICTORS];
static uint32_t owed[TD_SIM_CORES_MAX]; /* of cores without a predictor: parts of a surprise */
static uint64_t instruction_ps, surprise_ps;
struct td_sim_branch_counts td_sim_branch_counts;

void td_sim_branches_begin(const struct td_costs *costs) {
  double pace = costs->at[TD_COST_pace] * 1000;
  instruction_ps = (uint64_t)(costs->at[TD_COST_instruction_ns] * pace);
  surprise_ps = (uint64_t)(costs->at[TD_COST_surprise_ns] * pace);
}

static uint32_t scatter(uint32_t word) {
  word *= 0x9E3779B1u;
  return word ^ word >> 15;
}

static uint32_t turn(uint32_t word, unsigned by) {
  by %= 32;
  return by ? word << by | word >> (32 - by) : word;
}

static void learn(struct expected *e, uint32_t block) {
  if (e->next == block)
    e->trust = (uint8_t)(e->trust < 3 ? e->trust + 1 : 3);
  else if (e->trust > 0)
    e->trust--;
  else
    e->next = block;
}

static void remember(struct core *core, uint32_t block) {
  uint32_t mixed = scatter(block);
  for (unsigned i = 0; i < LENGTHS; i++) {
    uint32_t oldest = core->branch[(core->count - lengths[i]) % LONGEST];
    core->history[i] = turn(core->history[i], 1) ^ mixed ^ turn(oldest, lengths[i]);
  }
  core->branch[core->count++ % LONGEST] = mixed;
}

/* A surprise is remembered in the table of the next longer history that can do without what it
 * has. */
static void allocate(struct expected *const *entry, const uint16_t *tag, unsigned from,
                     uint32_t block) {
  for (unsigned i = from; i < LENGTHS; i++) {
    if (entry[i]->trust == 0) {
      *entry[i] = (struct expected){.next = block, .tag = tag[i]};
      return;
    }
    entry[i]->trust--;
  }
}

static bool is_expected_branch(struct core *core, struct expected *after, uint32_t from,
                               uint32_t block) {
  struct expected *entry[LENGTHS], *best = after;
  uint16_t tag[LENGTHS];
  unsigned longer = 0;
  for (unsigned i = 0; i < LENGTHS; i++) {
    uint32_t key = scatter(core->history[i] ^ turn(from, 3 * i + 1));
    entry[i] = &core->table[i][key >> (32 - TABLE_LOG2)];
    tag[i] = (uint16_t)key;
    if (entry[i]->next == 0 || entry[i]->tag != tag[i]) continue;
    best = entry[i];
    longer = i + 1;
  }
  bool right = best->next == block;
  if (!right) allocate(entry, tag, longer, block);
  learn(best, block);
  remember(core, block);
  return right;
}

static bool is_expected(struct core *core, uint32_t block) {
  uint32_t from = core->block;
  struct expected *after = &core->after[scatter(from) >> (32 - BLOCKS_LOG2)];
  core->block = block;
  if (!after->branching) {
    if (after->next == block) return true;
    if (after->next == 0) {
      after->next = block;
      return false;
    }
    after->branching = true;
  }
  return is_expected_branch(core, after, from, block);
}

static bool is_surprise(uint32_t block, struct td_sim_block *known) {
  unsigned core = td_sim_now.core;
  if (core >= PREDICTORS) {
    owed[core] += known->rate;
    if (owed[core] < RATE_ONE) return false;
    owed[core] -= RATE_ONE;
    return true;
  }
  bool surprise = !is_expected(&cores[core], block);
  known->rate = (uint16_t)(known->rate - (known->rate >> RATE_SHIFT) +
                           (surprise ? RATE_ONE >> RATE_SHIFT : 0));
  return surprise;
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  if (!td_sim_now.counts) return;
  uintptr_t at = (uintptr_t)__builtin_return_address(0);
  struct td_sim_block *known = td_sim_block_at(at);
  unsigned core = td_sim_now.core;
  uint64_t now = td_sim_now.now;
  /* The same in every run, wherever the program lies. */
  if (is_surprise((uint32_t)(at - (uintptr_t)&__sanitizer_cov_trace_pc), known)) {
    now = td_sim_window_surprise(core, now) + surprise_ps;
    td_sim_book(TD_SPENT_WORK, surprise_ps);
    td_sim_branch_counts.surprises++;
  }
  td_sim_branch_counts.instructions += known->instructions;
  /* The next access looks whether others come first. */
  td_sim_now.now = td_sim_window_work(core, known->instructions * instruction_ps, now);
}
