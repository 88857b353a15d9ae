/* The marking engine 'abp-sc'. */
#include "marker/queue/abp_sc.h"
#define TD_QUEUE abp_sc
#include "marker/engine/engine.h"
