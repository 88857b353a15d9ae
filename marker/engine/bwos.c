/* The marking engine 'bwos'. */
#include "marker/queue/bwos.h"
#define TD_QUEUE bwos
#include "marker/engine/engine.h"
