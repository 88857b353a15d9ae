/* The marking engine 'pool'. */
#include "marker/queue/pool.h"
#define TD_QUEUE pool
#include "marker/engine/engine.h"
