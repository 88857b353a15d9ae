/* The loops of `tidemark queue` for 'abp-sc'. */
#include "bench/queue/kind.h"
#include "marker/queue/abp_sc.h"

extern const struct td_queue_kind td_queue_kind_abp_sc;

#define QUEUE td_abp_sc
#define Q(name) td_abp_sc_##name
#define KIND td_queue_kind_abp_sc
#define NAME "abp-sc"
#include "bench/queue/loops.h"
