/* SPDX-License-Identifier: MIT */
#include "bench/simulate/machine/memory.h"

#include "bench/simulate/machine/lines.h"
#include "bench/simulate/machine/window.h"

#include <string.h>
#include <sys/mman.h>

/* A small cache of one way, where most accesses end. It is indexed by the bits of an address that
 * are the same in every run. */
#define NEAR_ENTRIES 64u
#define OWN_SETS 1024u /* the core's own cache: 512 KiB */
#define OWN_WAYS 8u
#define FIRST_LINES 512u /* the first-level cache: 32 KiB */
#define LAST_WAYS 8u     /* of a last cache */
#define NODE_PAGE_LOG2 6 /* lines of a page */

/* What is known of a line, in one word: how often it was written (32 bits), the core that wrote it
 * last (10 bits, NOBODY), whether others have read it since (1 bit) and who was the last of them
 * (10 bits). */
#define NOBODY 1023u
#define OWNER_SHIFT 32
#define SHARED_BIT (UINT64_C(1) << 42)
#define READER_SHIFT 43

struct near_entry {
  uint64_t line; /* line + 1; 0: none */
  uint64_t *word;
  uint32_t version;
};

/* What a look-up reads lies in one line of the machine that simulates. */
struct own_set {
  uint32_t line[OWN_WAYS]; /* line + 1; 0: none */
  uint32_t version[OWN_WAYS];
};

#define STREAMS 32u    /* that a core's prefetcher follows */
#define STREAM_SURE 2u /* steps after which it is ahead */
#define STREAM_STEP 2u /* lines, up or down */

struct stream {
  uint32_t line; /* that was asked for last */
  uint32_t steps;
};

struct core {
  struct near_entry near[NEAR_ENTRIES];
  struct own_set own[OWN_SETS];
  uint64_t ready[OWN_SETS][OWN_WAYS]; /* when they arrive, and from where: enum td_sim_source */
  uint32_t used[OWN_SETS][OWN_WAYS];  /* the number of the last access that got here */
  uint32_t accesses;                  /* that got here, not only to the small cache */
  uint8_t turn[OWN_SETS];             /* the way to be replaced next */
  struct stream stream[STREAMS];
  uint32_t stream_turn; /* the one to be replaced next */
  uint64_t port;        /* when it may ask for another line */
  uint64_t asked;       /* when it asked for the last one */
};

struct last_set {
  uint32_t line[LAST_WAYS]; /* line + 1; 0: none */
  uint32_t turn;            /* the way to be replaced next */
};

struct queue_line { /* a line that is handed from core to core */
  uint32_t line;    /* line + 1 */
  uint64_t free;    /* when it can be handed on */
};
#define QUEUE_LINES 65536u

/* What a node's memory gives, by slots of time: so a core that asks ahead of its clock does not
 * make others wait who ask later for an earlier time. */
#define SLOT_LOG2 16 /* picoseconds */
#define SLOTS 1024u  /* that are remembered: the last 67 us */

struct node_slot {
  uint64_t number; /* the time, in slots */
  uint64_t used;   /* picoseconds of it */
};

static struct {
  const struct td_sim_topology *topology;
  uint64_t ps[TD_COST_COUNT]; /* costs in picoseconds; the pace is in them */
  uint64_t transfer[3];
  uint64_t node_line; /* what a line costs a node */
  struct core *cores;
  struct last_set *last; /* of all last caches, one cache after the other */
  uint32_t last_sets;    /* of each */
  struct node_slot (*node)[SLOTS];
  struct queue_line *queue;
  struct td_sim_memory_counts counts;
} memory;

void td_sim_memory_costs(const struct td_costs *costs) {
  for (unsigned i = 0; i < TD_COST_COUNT; i++)
    memory.ps[i] = (uint64_t)(costs->at[i] * 1000);
  td_sim_window_costs(costs);
  memory.transfer[TD_SIM_SAME_CACHE] = memory.ps[TD_COST_transfer_cache_ns];
  memory.transfer[TD_SIM_SAME_PACKAGE] = memory.ps[TD_COST_transfer_package_ns];
  memory.transfer[TD_SIM_SAME_MACHINE] = memory.ps[TD_COST_transfer_machine_ns];
  memory.node_line = (uint64_t)(64 * 1000 / costs->at[TD_COST_node_gbs]);
}

static size_t last_bytes(void) {
  return (size_t)memory.topology->caches * memory.last_sets * sizeof *memory.last;
}

void td_sim_memory_forget(void) {
  /* The system gives zeroes for what is touched again. */
  madvise(memory.cores, memory.topology->cores * sizeof *memory.cores, MADV_DONTNEED);
  madvise(memory.last, last_bytes(), MADV_DONTNEED);
  madvise(memory.queue, QUEUE_LINES * sizeof *memory.queue, MADV_DONTNEED);
  madvise(memory.node, memory.topology->nodes * sizeof *memory.node, MADV_DONTNEED);
  td_sim_window_forget();
}

bool td_sim_memory_begin(const struct td_sim_topology *topology, const struct td_costs *costs) {
  memory.topology = topology;
  memory.cores = td_sim_reserve(topology->cores * sizeof *memory.cores);
  memory.last_sets = (uint32_t)(topology->cache_bytes / (LAST_WAYS << TD_SIM_LINE_LOG2));
  if (memory.last_sets == 0) memory.last_sets = 1;
  memory.last = td_sim_reserve(last_bytes());
  memory.queue = td_sim_reserve(QUEUE_LINES * sizeof *memory.queue);
  memory.node = td_sim_reserve(topology->nodes * sizeof *memory.node);
  td_sim_memory_costs(costs);
  return memory.cores && memory.last && memory.queue && memory.node &&
         td_sim_lines_begin((uint64_t)NOBODY << OWNER_SHIFT);
}

struct td_sim_memory_counts td_sim_memory_counts(void) {
  return memory.counts;
}

static unsigned owner_of(uint64_t word) {
  return (unsigned)(word >> OWNER_SHIFT) & NOBODY;
}

/* ---- The core's own cache ---------------------------------------------------------------- */

/* Returns the way of its set in which the line is, OWN_WAYS if it is in none. */
static unsigned find_own(const struct core *core, uint32_t line) {
  const struct own_set *set = &core->own[line % OWN_SETS];
  unsigned way = 0;
  while (way < OWN_WAYS && set->line[way] != line + 1)
    way++;
  return way;
}

static bool has_own(const struct core *core, uint32_t line) {
  return find_own(core, line) < OWN_WAYS;
}

/* ---- Last caches ------------------------------------------------------------------------- */

static struct last_set *last_set(unsigned cache, uint32_t line) {
  uint32_t set = (uint32_t)((uint64_t)(line * 0x9E3779B1u) * memory.last_sets >> 32);
  return &memory.last[(size_t)cache * memory.last_sets + set];
}

static bool in_last(unsigned cache, uint32_t line) {
  const struct last_set *set = last_set(cache, line);
  for (unsigned way = 0; way < LAST_WAYS; way++)
    if (set->line[way] == line + 1) return true;
  return false;
}

static void put_last(unsigned cache, uint32_t line) {
  struct last_set *set = last_set(cache, line);
  if (!in_last(cache, line)) set->line[set->turn++ % LAST_WAYS] = line + 1;
}

/* ---- Where a line comes from ------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Clocks of cores are apart by as much as they may be ahead. So that a core which is ahead does not
 * make others wait until its time, what is shared may be used up to that much earlier. */
static uint64_t use(uint64_t *free, uint64_t now, uint64_t length) {
  uint64_t slack = 2 * memory.ps[TD_COST_lookahead_ns];
  uint64_t begin = later(now, *free);
  *free = later(*free, now > slack ? now - slack : 0) + length;
  return begin;
}

/* Returns when a node serves a line that it is asked for at `issue`: in the first slot from then on
 * that has room. A slot that is no longer remembered counts as having room. */
static uint64_t serve(struct node_slot *slots, uint64_t issue) {
  for (uint64_t number = issue >> SLOT_LOG2;; number++) {
    struct node_slot *slot = &slots[number % SLOTS];
    if (slot->number < number) *slot = (struct node_slot){.number = number};
    if (slot->number > number) return issue;
    if (slot->used + memory.node_line > UINT64_C(1) << SLOT_LOG2) continue;
    uint64_t begin = (number << SLOT_LOG2) + slot->used;
    slot->used += memory.node_line;
    return later(issue, begin);
  }
}

static uint64_t from(enum td_sim_source source, uint64_t time) {
  return (time & ~(uint64_t)3) | source;
}

/* Returns when a line that is handed from core to core arrives, if it is asked for at `now` and
 * takes `latency`. Nobody else gets it for `held`. */
static uint64_t hand_on(uint32_t line, uint64_t now, uint64_t latency, uint64_t held) {
  struct queue_line *queue = &memory.queue[line * 0x9E3779B1u % QUEUE_LINES];
  if (queue->line != line + 1) *queue = (struct queue_line){.line = line + 1};
  memory.counts.transfers++;
  return from(TD_SIM_FROM_CORE, use(&queue->free, now, held) + latency);
}

/* Returns whether lines are asked for in order, so that the core's prefetcher has asked before. */
static bool is_streaming(struct core *core, uint32_t line) {
  for (uint32_t i = 0; i < STREAMS; i++) {
    struct stream *stream = &core->stream[i];
    if (line - stream->line + STREAM_STEP > 2 * STREAM_STEP) continue;
    stream->line = line;
    return ++stream->steps > STREAM_SURE;
  }
  core->stream[core->stream_turn++ % STREAMS] = (struct stream){.line = line};
  return false;
}

static uint64_t from_memory(struct core *core, unsigned number, uint32_t line,
                            enum td_sim_access access, uint64_t now) {
  static const enum td_cost apart[] = {[TD_SIM_READ] = TD_COST_load_line_ns,
                                       [TD_SIM_WRITE] = TD_COST_store_line_ns,
                                       [TD_SIM_CHANGE] = TD_COST_load_line_ns,
                                       [TD_SIM_PREFETCH] = TD_COST_line_ns};
  const struct td_sim_core_place *place = &memory.topology->core[number];
  unsigned node = (line >> NODE_PAGE_LOG2) % memory.topology->nodes;
  bool streams = is_streaming(core, line);
  uint64_t issue = core->asked = later(now, core->port);
  core->port = issue + memory.ps[streams ? TD_COST_stream_ns : apart[access]];
  uint64_t served = serve(memory.node[node], issue);
  memory.counts.lines++;
  uint64_t latency = memory.ps[streams ? TD_COST_stream_ns : TD_COST_memory_ns];
  if (node != place->node && !streams) latency += memory.ps[TD_COST_remote_ns];
  return from(served > issue + latency ? TD_SIM_FROM_BUSY_MEMORY : TD_SIM_FROM_MEMORY,
              served + latency);
}

/* The line is not in the core's own cache, or has been written elsewhere since. Returns when it
 * arrives. */
static uint64_t fetch(struct core *core, unsigned number, uint32_t line, uint64_t word,
                      uint64_t now, enum td_sim_access access) {
  bool alone = access == TD_SIM_WRITE || access == TD_SIM_CHANGE;
  unsigned owner = owner_of(word);
  unsigned mine = memory.topology->core[number].cache;
  if (owner != NOBODY && owner != number) {
    uint64_t latency = memory.transfer[td_sim_distance(memory.topology, number, owner)];
    unsigned its = memory.topology->core[owner].cache;
    if (has_own(&memory.cores[owner], line) || (its != mine && in_last(its, line))) {
      put_last(mine, line);
      return hand_on(line, now, latency, alone ? latency : memory.ps[TD_COST_occupied_ns]);
    }
  }
  if (in_last(mine, line)) {
    uint64_t issue = core->asked = later(now, core->port);
    core->port = issue + memory.ps[TD_COST_cache_line_ns];
    enum td_cost latency = is_streaming(core, line) ? TD_COST_own_ns : TD_COST_cache_ns;
    return from(TD_SIM_FROM_CACHE, issue + memory.ps[latency]);
  }
  uint64_t ready = from_memory(core, number, line, access, now);
  put_last(mine, line);
  return ready;
}

/* ---- Accesses ---------------------------------------------------------------------------- */

static uint64_t written_by(uint64_t word, unsigned number) {
  return (uint32_t)((uint32_t)word + 1) | (uint64_t)number << OWNER_SHIFT;
}

static uint64_t read_by(uint64_t word, unsigned number) {
  if (owner_of(word) == number || owner_of(word) == NOBODY) return word;
  uint64_t reader = (uint64_t)number << READER_SHIFT;
  return (word & ((UINT64_C(1) << READER_SHIFT) - 1)) | SHARED_BIT | reader;
}

static bool has_copy(unsigned number, uint32_t line) {
  return number != NOBODY && has_own(&memory.cores[number], line);
}

/* Makes the line the core's alone, which has it. Returns when it is. */
static uint64_t take_over(unsigned number, uint32_t line, uint64_t word, uint64_t now) {
  if ((word & SHARED_BIT) == 0) return now;
  unsigned other = (unsigned)(word >> READER_SHIFT) & NOBODY;
  if (other == number) other = owner_of(word);
  if (other == number || !has_copy(other, line)) return now;
  uint64_t latency = memory.transfer[td_sim_distance(memory.topology, number, other)];
  return hand_on(line, now, latency, latency);
}

/* Returns when the core has the line and, if it writes, nobody else has. */
static uint64_t get(unsigned number, uint32_t line, uint64_t *word, enum td_sim_access access,
                    uint64_t issue, unsigned *at) {
  struct core *core = &memory.cores[number];
  bool writes = access == TD_SIM_WRITE || access == TD_SIM_CHANGE;
  uint32_t number_of_set = line % OWN_SETS;
  struct own_set *set = &core->own[number_of_set];
  unsigned way = find_own(core, line);
  uint64_t near = issue; /* when a line that it has can be used */
  if (way == OWN_WAYS || set->version[way] != (uint32_t)*word) {
    uint64_t ready = fetch(core, number, line, *word, issue, access);
    if (way == OWN_WAYS) way = core->turn[number_of_set]++ % OWN_WAYS;
    set->line[way] = line + 1;
    core->ready[number_of_set][way] = ready;
    if (writes) *word &= ~SHARED_BIT;
  } else if (core->accesses - core->used[number_of_set][way] > FIRST_LINES) {
    near = from(TD_SIM_FROM_CACHE, issue + memory.ps[TD_COST_own_ns]);
  }
  core->used[number_of_set][way] = core->accesses++;
  uint64_t *ready = &core->ready[number_of_set][way];
  if (writes) {
    *ready = later(*ready, take_over(number, line, *word, issue));
    *word = written_by(*word, number);
  } else {
    *word = read_by(*word, number);
  }
  *at = set->version[way] = (uint32_t)*word;
  return later(*ready, near);
}

static uint64_t access_slowly(unsigned number, uintptr_t address, enum td_sim_access access,
                              uint64_t value, uint64_t issue, uint64_t now) {
  struct core *core = &memory.cores[number];
  uint64_t *word;
  uint32_t line = td_sim_line_of(address, &word);
  unsigned version;
  core->asked = 0;
  uint64_t ready = get(number, line, word, access, issue, &version);
  /* What is under way is not put into the small cache: who reads it then has to wait. */
  if (ready <= now || access == TD_SIM_CHANGE)
    core->near[(address >> TD_SIM_LINE_LOG2) % NEAR_ENTRIES] =
        (struct near_entry){(address >> TD_SIM_LINE_LOG2) + 1, word, version};
  switch (access) {
  case TD_SIM_READ:
    return ready > now ? td_sim_window_load(number, ready, value, now) : now;
  case TD_SIM_WRITE:
    return td_sim_window_store(number, ready, now);
  case TD_SIM_CHANGE:
    return td_sim_wait(ready, now, td_sim_here);
  default: /* it is done when the line has been asked for: their number is bounded */
    return core->asked > now
               ? td_sim_window_load(number, from(TD_SIM_FROM_MEMORY, core->asked), 0, now)
               : now;
  }
}

uint64_t td_sim_memory_access(unsigned number, uintptr_t address, enum td_sim_access access,
                              uint64_t value, uint64_t now) {
  struct core *core = &memory.cores[number];
  memory.counts.accesses++;
  if (access == TD_SIM_CHANGE) now = td_sim_window_work(number, memory.ps[TD_COST_atomic_ns], now);
  uint64_t issue = now;
  if (td_sim_window_is_busy(number, now)) {
    if (access == TD_SIM_CHANGE) now = td_sim_window_drain(number, now);
    issue = td_sim_window_known(number, address, now);
  }
  struct near_entry *near = &core->near[(address >> TD_SIM_LINE_LOG2) % NEAR_ENTRIES];
  if (near->line == (address >> TD_SIM_LINE_LOG2) + 1 && near->version == (uint32_t)*near->word) {
    uint64_t word = *near->word;
    bool reads = access == TD_SIM_READ || access == TD_SIM_PREFETCH;
    /* Or nobody has a copy that could be stale. */
    if (reads || (owner_of(word) == number && (word & SHARED_BIT) == 0)) {
      if (access == TD_SIM_WRITE) return td_sim_window_store(number, issue, now);
      bool waits = access == TD_SIM_READ && issue > now;
      return waits ? td_sim_window_load(number, issue, value, now) : now;
    }
  }
  return access_slowly(number, address, access, value, issue, now);
}
