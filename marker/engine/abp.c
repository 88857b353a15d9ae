/* The marking engine 'abp'. */
#include "marker/queue/abp.h"
#define TD_QUEUE abp
#include "marker/engine/engine.h"
