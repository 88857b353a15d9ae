/* Boehm GC with a graph, in a child process (bench/boehm/child.c) that lives until stopped.
 *
 * Errors are said on stderr; functions return an exit status, 0 if all is well. */
#ifndef TD_BENCH_BOEHM_GUEST_H
#define TD_BENCH_BOEHM_GUEST_H

#include <stdbool.h>
#include <stdint.h>

struct td_boehm;

/* Was the child's program built, and can it be found? */
bool td_boehm_is_there(void);

/* Starts a child and waits until the graph is built. heap_max_bytes 0: no limit. */
int td_boehm_start(const char *spec, unsigned markers, bool typed, uint64_t heap_max_bytes,
                   struct td_boehm **boehm);
/* One full collection; *mark_ns is its mark phase. */
int td_boehm_mark(struct td_boehm *boehm, uint64_t *mark_ns);
/* Objects of the graph that the last collection marked, and the bytes of all it marked. */
int td_boehm_count(struct td_boehm *boehm, uint64_t *objects, uint64_t *bytes);
/* Compares these marks, object by object, with a serial search over a recording of the graph:
 * how many it reaches that are not marked, and the other way round. */
int td_boehm_check(struct td_boehm *boehm, uint64_t *missing, uint64_t *extra);
/* Ends the child and waits for it. NULL is allowed. */
void td_boehm_stop(struct td_boehm *boehm);

#endif
