/* The loops of `tidemark queue` for 'bwos'. */
#include "bench/queue/kind.h"
#include "marker/queue/bwos.h"

extern const struct td_queue_kind td_queue_kind_bwos;

#define QUEUE td_bwos
#define Q(name) td_bwos_##name
#define KIND td_queue_kind_bwos
#define NAME "bwos"
#include "bench/queue/loops.h"
