/* The marking engine 'tokio'. */
#include "marker/queue/tokio.h"
#define TD_QUEUE tokio
#include "marker/engine/engine.h"
