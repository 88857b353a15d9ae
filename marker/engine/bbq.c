/* The marking engine 'bbq'. */
#include "marker/queue/bbq.h"
#define TD_QUEUE bbq
#include "marker/engine/engine.h"
