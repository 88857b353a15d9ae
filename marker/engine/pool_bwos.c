/* The marking engine 'pool-bwos'. */
#include "marker/queue/pool_bwos.h"
#define TD_QUEUE pool_bwos
#include "marker/engine/engine.h"
