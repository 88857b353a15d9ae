/* SPDX-License-Identifier: MIT */
/* What things cost in the simulation. All of it is data: measured, read from a file, or the default
 * that is written here, which rests on published figures. The same costs give the same result. */
#ifndef TD_BENCH_SIMULATE_COSTS_H
#define TD_BENCH_SIMULATE_COSTS_H

#include <stdbool.h>
#include <stddef.h>

/* TD_COSTS(X) is X(name, default, source, meaning). Source: LIMIT and OWN are measured by default;
 * OWN by loops of their own, FIT by marking small graphs with one marker
 * (bench/simulate/calibrate.c). PUBLISHED and ASSUMED ones cannot be measured by two cores of one
 * package; docs/simulate.md says where they are from, or why it is assumed. CHOSEN ones are
 * parameters of the simulation. Names end in their unit. */
/* clang-format off */
#define TD_COSTS(X)                                                                                \
  X(instruction_ns, 0.08, FIT, "an instruction, without waiting for lines")                        \
  X(surprise_ns, 4, OWN, "a branch that leads elsewhere than it did before")                       \
  X(window_instructions, 256, OWN, "how far a core is ahead of a load that it waits for")          \
  X(window_stores, 64, ASSUMED, "how many stores wait for their lines")                            \
  X(own_ns, 4, OWN, "a line from the core's own second-level cache")                               \
  X(memory_ns, 110, LIMIT, "a line from memory: until it is there")                                \
  X(line_ns, 10, LIMIT, "a line from memory: what one more costs when many are asked for ahead")   \
  X(load_line_ns, 20, LIMIT, "the same when they are loaded, but not asked for ahead")             \
  X(store_line_ns, 8, LIMIT, "the same when they are stored to")                                   \
  X(stream_ns, 4, LIMIT, "the same when lines are read in order")                                  \
  X(cache_ns, 15, OWN, "a line from the last cache of this core")                                  \
  X(cache_mib, 32, OWN, "what this machine's last cache holds; --topology says it of others")      \
  X(cache_line_ns, 3, OWN, "the same: what one more costs when many are asked for")                \
  X(transfer_cache_ns, 60, LIMIT, "a line from another core below the same last cache")            \
  X(transfer_package_ns, 130, ASSUMED, "a line from another core of the same package")             \
  X(transfer_machine_ns, 250, ASSUMED, "a line from a core of another package")                    \
  X(occupied_ns, 10, ASSUMED,   "how long a line that is handed on cannot be handed to the next")  \
  X(remote_ns, 70, ASSUMED, "memory of another node: later by this")                               \
  X(node_gbs, 378, PUBLISHED, "bytes per nanosecond that the memory of a node gives to all cores") \
  X(atomic_ns, 6, OWN, "an atomic change or a full fence, in the core's own cache")                \
  X(clock_ns, 25, OWN, "asking for the time")                                                      \
  X(pause_ns, 20, OWN, "a pause instruction")                                                      \
  X(wake_call_ns, 1500, OWN, "waking a thread: what it costs the waker")                           \
  X(wake_delay_ns, 8000, OWN, "waking a thread: until it executes")                                \
  X(wake_busy_ns, 8000, OWN, "the same where another thread executes on its core")                 \
  X(sleep_ns, 1000, OWN, "going to sleep, or finding that there is no need")                       \
  X(switch_ns, 2000, OWN, "another thread gets the core")                                          \
  X(slice_ns, 3000000, OWN, "how long a thread keeps its core when others wait for one")           \
  X(lookahead_ns, 100, CHOSEN, "how far a core may be simulated ahead of the others")              \
  X(pace, 1, CHOSEN, "how many times as long work takes, other than waiting: fits a graph")
/* clang-format on */

enum td_cost {
#define TD_COST_NUMBER(name, ...) TD_COST_##name,
  TD_COSTS(TD_COST_NUMBER)
#undef TD_COST_NUMBER
      TD_COST_COUNT
};

enum td_cost_source {
  TD_COST_LIMIT,
  TD_COST_OWN,
  TD_COST_FIT,
  TD_COST_PUBLISHED,
  TD_COST_ASSUMED,
  TD_COST_CHOSEN
};

struct td_cost_entry {
  const char *name, *meaning;
  double value; /* the default */
  enum td_cost_source source;
};
extern const struct td_cost_entry td_cost_entries[TD_COST_COUNT];

struct td_costs {
  double at[TD_COST_COUNT];
};

void td_costs_init(struct td_costs *costs);
/* Returns the number of the cost of that name, of `length` bytes; TD_COST_COUNT if there is none.
 */
enum td_cost td_cost_find(const char *name, size_t length);
/* Returns whether the value makes sense for that cost. */
bool td_cost_is_valid(enum td_cost cost, double value);

#endif
