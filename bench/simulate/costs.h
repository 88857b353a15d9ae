/* What things cost in the simulation. All of it is data: measured, read from a file, or the default
 * that is written here, which rests on published figures. The same costs give the same result. */
#ifndef TD_BENCH_SIMULATE_COSTS_H
#define TD_BENCH_SIMULATE_COSTS_H

#include <stdbool.h>
#include <stddef.h>

/* TD_COSTS(X) is X(name, default, source, meaning). Source: LIMIT and OWN are measured by default,
 * ASSUMED are not. Names end in their unit. */
/* clang-format off */
#define TD_COSTS(X)                                                                                \
  X(access_ns, 0.30, ASSUMED, "an access to memory that is in the core's own cache")               \
  X(block_ns, 0.30, ASSUMED, "instructions up to the next branch, without their accesses")         \
  X(surprise_ns, 4, OWN, "a branch that leads elsewhere than it did before")                       \
  X(memory_ns, 110, LIMIT, "a line from memory: until it is there")                                \
  X(line_ns, 10, LIMIT, "a line from memory: what one more costs when many are asked for")         \
  X(stream_ns, 4, LIMIT, "the same when lines are read in order")                                  \
  X(cache_ns, 20, OWN, "a line from the last cache of this core")                                  \
  X(cache_mib, 32, OWN, "what this machine's last cache holds; --topology says it of others")      \
  X(cache_line_ns, 3, ASSUMED, "the same: what one more costs when many are asked for")            \
  X(transfer_cache_ns, 60, LIMIT, "a line from another core below the same last cache")            \
  X(transfer_package_ns, 130, ASSUMED, "a line from another core of the same package")             \
  X(transfer_machine_ns, 250, ASSUMED, "a line from a core of another package")                    \
  X(occupied_ns, 10, ASSUMED, "how long a line that is handed on cannot be handed to the next")    \
  X(remote_ns, 70, ASSUMED, "memory of another node: so much later")                               \
  X(node_gbs, 378, ASSUMED, "bytes per nanosecond that the memory of a node gives to all cores")   \
  X(hidden_ns, 30, ASSUMED, "how much of a wait for a line other work of the core hides")          \
  X(atomic_ns, 6, ASSUMED, "an atomic change or a full fence, in the core's own cache")            \
  X(clock_ns, 25, OWN, "asking for the time")                                                      \
  X(pause_ns, 20, OWN, "a pause instruction")                                                      \
  X(wake_call_ns, 1500, OWN, "waking a thread: what it costs the waker")                           \
  X(wake_delay_ns, 8000, OWN, "waking a thread: until it executes")                                \
  X(sleep_ns, 1000, ASSUMED, "going to sleep, or finding that there is no need")                   \
  X(switch_ns, 2000, ASSUMED, "another thread gets the core")                                      \
  X(slice_ns, 3000000, ASSUMED, "how long a thread keeps its core when others wait for one")       \
  X(lookahead_ns, 100, ASSUMED, "how far a core may be simulated ahead of the others")             \
  X(pace, 1, ASSUMED, "how many times as long work takes, other than waiting: fits a graph")
/* clang-format on */

enum td_cost {
#define TD_COST_NUMBER(name, ...) TD_COST_##name,
  TD_COSTS(TD_COST_NUMBER)
#undef TD_COST_NUMBER
      TD_COST_COUNT
};

enum td_cost_source { TD_COST_LIMIT, TD_COST_OWN, TD_COST_ASSUMED };

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
