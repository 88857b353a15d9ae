/* The loops of `tidemark queue` for 'mutex'. */
#include "bench/queue/kind.h"
#include "marker/queue/mutex.h"

extern const struct td_queue_kind td_queue_kind_mutex;

#define QUEUE td_mutex
#define Q(name) td_mutex_##name
#define KIND td_queue_kind_mutex
#define NAME "mutex"
#include "bench/queue/loops.h"
