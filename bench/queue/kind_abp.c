/* The loops of `tidemark queue` for 'abp'. */
#include "bench/queue/kind.h"
#include "marker/queue/abp.h"

extern const struct td_queue_kind td_queue_kind_abp;

#define QUEUE td_abp
#define Q(name) td_abp_##name
#define KIND td_queue_kind_abp
#define NAME "abp"
#include "bench/queue/loops.h"
