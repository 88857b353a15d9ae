#include "bench/simulate/machine/memory.h"

#include "bench/simulate/machine/account.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE_LOG2 6
#define RANGES_MAX 64u
/* A small cache of one way, where most accesses end. It is indexed by the bits of an address that
 * are the same in every run. */
#define NEAR_ENTRIES 64u
#define OWN_SETS 1024u /* the core's own cache: 512 KiB */
#define OWN_WAYS 8u
#define LAST_WAYS 8u     /* of a last cache */
#define NODE_PAGE_LOG2 6 /* lines of a page */
#define FOREIGN_LOG2 20  /* lines outside of all ranges that are known at once */

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

/* Where a line comes from. */
enum source { FROM_CACHE, FROM_MEMORY, FROM_BUSY_MEMORY, FROM_CORE, SOURCES };

/* What a look-up reads lies in one line of the machine that simulates. */
struct own_set {
  uint32_t line[OWN_WAYS]; /* line + 1; 0: none */
  uint32_t version[OWN_WAYS];
};

struct core {
  struct near_entry near[NEAR_ENTRIES];
  struct own_set own[OWN_SETS];
  uint64_t ready[OWN_SETS][OWN_WAYS]; /* when they arrive; the lowest bits say from where: enum
                                       * source */
  uint8_t turn[OWN_SETS];             /* the way to be replaced next */
  uint64_t port;                      /* when it may ask for another line */
};

struct last_set {
  uint32_t line[LAST_WAYS]; /* line + 1; 0: none */
  uint32_t turn;            /* the way to be replaced next */
};

struct range {
  uintptr_t start, end;
  uint32_t first; /* number of its first line */
  uint64_t *words;
};

struct queue_line { /* a line that is handed from core to core */
  uint32_t line;    /* line + 1 */
  uint64_t free;    /* when it can be handed on */
};
#define QUEUE_LINES 65536u

struct foreign {
  uint64_t key; /* line address + 1 */
  uint32_t number;
};

static struct {
  const struct td_sim_topology *topology;
  uint64_t ps[TD_COST_COUNT]; /* costs in picoseconds; the pace is in them */
  uint64_t transfer[3];
  uint64_t node_line; /* what a line costs a node */
  struct core *cores;
  struct last_set *last; /* of all last caches, one cache after the other */
  uint32_t last_sets;    /* of each, a power of two */
  uint64_t node_port[TD_SIM_CORES_MAX];
  struct range range[RANGES_MAX];
  unsigned ranges;
  uint32_t lines; /* numbers given so far */
  struct foreign *foreign;
  uint64_t *foreign_words;
  uint32_t foreign_count;
  struct queue_line *queue;
  struct td_sim_memory_counts counts;
} memory;

/* In huge pages if the system has them: the tables are read here and there. */
static void *reserve(size_t bytes) {
  void *at =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return NULL;
  madvise(at, bytes, MADV_HUGEPAGE);
  return at;
}

void td_sim_memory_costs(const struct td_costs *costs) {
  for (unsigned i = 0; i < TD_COST_COUNT; i++)
    memory.ps[i] = (uint64_t)(costs->at[i] * 1000);
  memory.ps[TD_COST_access_ns] =
      (uint64_t)(costs->at[TD_COST_access_ns] * costs->at[TD_COST_pace] * 1000);
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
  memset(memory.node_port, 0, sizeof memory.node_port);
}

bool td_sim_memory_begin(const struct td_sim_topology *topology, const struct td_costs *costs) {
  memory.topology = topology;
  memory.cores = reserve(topology->cores * sizeof *memory.cores);
  memory.last_sets = 1;
  while (memory.last_sets < topology->cache_bytes / (LAST_WAYS << LINE_LOG2))
    memory.last_sets *= 2;
  memory.last = reserve(last_bytes());
  memory.foreign = reserve(sizeof *memory.foreign << FOREIGN_LOG2);
  memory.foreign_words = reserve(sizeof *memory.foreign_words << FOREIGN_LOG2);
  memory.queue = reserve(QUEUE_LINES * sizeof *memory.queue);
  memory.lines = 1u << FOREIGN_LOG2;
  td_sim_memory_costs(costs);
  return memory.cores && memory.last && memory.foreign && memory.foreign_words && memory.queue;
}

void td_sim_memory_range(const void *start, size_t bytes) {
  size_t lines = (bytes >> LINE_LOG2) + 1;
  if (memory.ranges == RANGES_MAX || lines > UINT32_MAX - memory.lines) return;
  uint64_t *words = reserve(lines * sizeof *words);
  if (!words) return;
  memory.range[memory.ranges++] = (struct range){.start = (uintptr_t)start,
                                                 .end = (uintptr_t)start + bytes,
                                                 .first = memory.lines,
                                                 .words = words};
  memory.lines += (uint32_t)lines;
}

static const struct range *range_of(uintptr_t address) {
  for (unsigned i = 0; i < memory.ranges; i++)
    if (address - memory.range[i].start < memory.range[i].end - memory.range[i].start)
      return &memory.range[i];
  return NULL;
}

bool td_sim_memory_has(uintptr_t address) {
  return range_of(address) != NULL;
}

struct td_sim_memory_counts td_sim_memory_counts(void) {
  return memory.counts;
}

static void too_large(void) {
  fputs("tidemark: simulate: the heap is too large for the simulated machine: 64 MiB of queues, or "
        "a heap limit over 200 GiB\n",
        stderr);
  _exit(4);
}

/* Lines outside of all ranges are numbered in the order in which they are first used. */
static uint32_t foreign_number(uint64_t key) {
  uint32_t mask = (1u << FOREIGN_LOG2) - 1;
  uint32_t at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) & mask;
  while (memory.foreign[at].key != key + 1) {
    if (memory.foreign[at].key == 0) {
      if (memory.foreign_count == mask) too_large();
      memory.foreign[at] = (struct foreign){.key = key + 1, .number = memory.foreign_count++};
      memory.foreign_words[memory.foreign[at].number] = (uint64_t)NOBODY << OWNER_SHIFT;
    }
    if (memory.foreign[at].key != key + 1) at = (at + 1) & mask;
  }
  return memory.foreign[at].number;
}

static uint32_t line_of(uintptr_t address, uint64_t **word) {
  const struct range *range = range_of(address);
  if (!range) {
    uint32_t number = foreign_number(address >> LINE_LOG2);
    *word = &memory.foreign_words[number];
    return number;
  }
  uint32_t offset = (uint32_t)((address >> LINE_LOG2) - (range->start >> LINE_LOG2));
  *word = &range->words[offset];
  if (**word == 0) **word = (uint64_t)NOBODY << OWNER_SHIFT;
  return range->first + offset;
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
  uint32_t set = (line * 0x9E3779B1u >> 8) & (memory.last_sets - 1);
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
 * make others wait until its time, what is shared is taken to be used up to so much earlier. */
static uint64_t use(uint64_t *free, uint64_t now, uint64_t length) {
  uint64_t slack = 2 * memory.ps[TD_COST_lookahead_ns];
  uint64_t begin = later(now, *free);
  *free = later(*free, now > slack ? now - slack : 0) + length;
  return begin;
}

static uint64_t from(enum source source, uint64_t time) {
  return (time & ~(uint64_t)3) | source;
}

/* Returns how long to wait at `now` for what is ready then, if `hidden` of it does not count. */
static uint64_t wait_for(uint64_t ready, uint64_t now, uint64_t hidden) {
  static const enum td_spent spent[SOURCES] = {[FROM_CACHE] = TD_SPENT_WORK,
                                               [FROM_MEMORY] = TD_SPENT_MEMORY,
                                               [FROM_BUSY_MEMORY] = TD_SPENT_BANDWIDTH,
                                               [FROM_CORE] = TD_SPENT_TRANSFER};
  if (ready <= now + hidden) return 0;
  td_sim_book(spent[ready & 3], ready - hidden - now);
  return ready - hidden - now;
}

/* Returns when a line that is handed from core to core arrives, if it is asked for at `now` and
 * takes `latency`. Nobody else gets it for `held`. */
static uint64_t hand_on(uint32_t line, uint64_t now, uint64_t latency, uint64_t held) {
  struct queue_line *queue = &memory.queue[line * 0x9E3779B1u % QUEUE_LINES];
  if (queue->line != line + 1) *queue = (struct queue_line){.line = line + 1};
  memory.counts.transfers++;
  return from(FROM_CORE, use(&queue->free, now, held) + latency);
}

static uint64_t from_memory(struct core *core, unsigned number, uint32_t line, uint64_t now) {
  const struct td_sim_core_place *place = &memory.topology->core[number];
  unsigned node = (line >> NODE_PAGE_LOG2) % memory.topology->nodes;
  bool streams = has_own(core, line - 1) || has_own(core, line + 1);
  uint64_t issue = later(now, core->port);
  core->port = issue + memory.ps[streams ? TD_COST_stream_ns : TD_COST_line_ns];
  uint64_t served = use(&memory.node_port[node], issue, memory.node_line);
  memory.counts.lines++;
  uint64_t latency = memory.ps[streams ? TD_COST_stream_ns : TD_COST_memory_ns];
  if (node != place->node && !streams) latency += memory.ps[TD_COST_remote_ns];
  return from(served > issue + latency ? FROM_BUSY_MEMORY : FROM_MEMORY, served + latency);
}

/* The line is not in the core's own cache, or has been written elsewhere since. Returns when it
 * arrives. */
static uint64_t fetch(struct core *core, unsigned number, uint32_t line, uint64_t word,
                      uint64_t now, bool alone) {
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
    uint64_t issue = later(now, core->port);
    core->port = issue + memory.ps[TD_COST_cache_line_ns];
    return from(FROM_CACHE, issue + memory.ps[TD_COST_cache_ns]);
  }
  uint64_t ready = from_memory(core, number, line, now);
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

static uint64_t access_slowly(unsigned number, uintptr_t address, enum td_sim_access access,
                              uint64_t now) {
  struct core *core = &memory.cores[number];
  uint64_t *word;
  uint32_t line = line_of(address, &word);
  bool writes = access == TD_SIM_WRITE || access == TD_SIM_CHANGE;
  struct own_set *set = &core->own[line % OWN_SETS];
  unsigned way = find_own(core, line);
  if (way == OWN_WAYS || set->version[way] != (uint32_t)*word) {
    uint64_t ready = fetch(core, number, line, *word, now, writes);
    if (way == OWN_WAYS) way = core->turn[line % OWN_SETS]++ % OWN_WAYS;
    set->line[way] = line + 1;
    core->ready[line % OWN_SETS][way] = ready;
    if (writes) *word &= ~SHARED_BIT;
  }
  uint64_t *ready = &core->ready[line % OWN_SETS][way];
  if (writes) {
    *ready = later(*ready, take_over(number, line, *word, now));
    *word = written_by(*word, number);
  } else {
    *word = read_by(*word, number);
  }
  set->version[way] = (uint32_t)*word;
  bool waits = access == TD_SIM_READ || access == TD_SIM_CHANGE;
  /* What is under way is not put into the small cache: who reads it then has to wait. */
  if (waits || *ready <= now)
    core->near[(address >> LINE_LOG2) % NEAR_ENTRIES] =
        (struct near_entry){(address >> LINE_LOG2) + 1, word, set->version[way]};
  uint64_t hidden = access == TD_SIM_READ ? memory.ps[TD_COST_hidden_ns] : 0;
  return waits ? now + wait_for(*ready, now, hidden) : now;
}

uint64_t td_sim_memory_access(unsigned number, uintptr_t address, enum td_sim_access access,
                              uint64_t now) {
  struct core *core = &memory.cores[number];
  memory.counts.accesses++;
  uint64_t work = access != TD_SIM_PREFETCH ? memory.ps[TD_COST_access_ns] : 0;
  if (access == TD_SIM_CHANGE) work += memory.ps[TD_COST_atomic_ns];
  td_sim_book(TD_SPENT_WORK, work);
  now += work;
  struct near_entry *near = &core->near[(address >> LINE_LOG2) % NEAR_ENTRIES];
  if (near->line == (address >> LINE_LOG2) + 1 && near->version == (uint32_t)*near->word) {
    uint64_t word = *near->word;
    if (access == TD_SIM_READ || access == TD_SIM_PREFETCH) return now;
    /* Nobody has a copy that could be stale. */
    if (owner_of(word) == number && (word & SHARED_BIT) == 0) return now;
  }
  return access_slowly(number, address, access, now);
}
