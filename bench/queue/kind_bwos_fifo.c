/* The loops of `tidemark queue` for 'bwos-fifo'. */
#include "bench/queue/kind.h"
#include "marker/queue/bwos_fifo.h"

extern const struct td_queue_kind td_queue_kind_bwos_fifo;

#define QUEUE td_bwos_fifo
#define Q(name) td_bwos_fifo_##name
#define KIND td_queue_kind_bwos_fifo
#define NAME "bwos-fifo"
#include "bench/queue/loops.h"
