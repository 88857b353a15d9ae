/* SPDX-License-Identifier: MIT */
/* A process of Boehm GC with a graph on its heap (bench/boehm/child.c). It lives until it is
 * stopped.
 *
 * Errors are said on stderr. Functions return an exit status, 0 if all is well. */
#ifndef TD_BENCH_BOEHM_GUEST_H
#define TD_BENCH_BOEHM_GUEST_H

#include <stdbool.h>
#include <stdint.h>

struct td_boehm;

/* Returns whether the child's program was built and can be found. */
bool td_boehm_is_there(void);

/* Starts a child and waits until its graph is built. heap_max_bytes 0: no limit. */
int td_boehm_start(const char *spec, unsigned markers, bool typed, uint64_t heap_max_bytes,
                   struct td_boehm **boehm);
/* Collects once, fully. *mark_ns is how long its mark phase took. */
int td_boehm_mark(struct td_boehm *boehm, uint64_t *mark_ns);
/* Counts the objects of the graph that the last collection marked, and the bytes of all that it
 * marked. */
int td_boehm_count(struct td_boehm *boehm, uint64_t *objects, uint64_t *bytes);
/* Compares these marks, object by object, with a serial search over a recording of the graph.
 * *missing counts reachable objects that are not marked, *extra the opposite. */
int td_boehm_check(struct td_boehm *boehm, uint64_t *missing, uint64_t *extra);
/* Ends the child and waits for it. NULL is allowed. */
void td_boehm_stop(struct td_boehm *boehm);

#endif
