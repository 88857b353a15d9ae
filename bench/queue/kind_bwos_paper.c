/* The loops of `tidemark queue` for 'bwos-paper'. */
#include "bench/queue/kind.h"
#include "marker/queue/bwos_paper.h"

extern const struct td_queue_kind td_queue_kind_bwos_paper;

#define QUEUE td_bwos_paper
#define Q(name) td_bwos_paper_##name
#define KIND td_queue_kind_bwos_paper
#define NAME "bwos-paper"
#include "bench/queue/loops.h"
