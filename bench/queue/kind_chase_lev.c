/* The loops of `tidemark queue` for 'chase-lev'. */
#include "bench/queue/kind.h"
#include "marker/queue/chase_lev.h"

extern const struct td_queue_kind td_queue_kind_chase_lev;

#define QUEUE td_chase_lev
#define Q(name) td_chase_lev_##name
#define KIND td_queue_kind_chase_lev
#define NAME "chase-lev"
#include "bench/queue/loops.h"
