/* SPDX-License-Identifier: MIT */
#include "marker/queue/list.h"

TD_QUEUES(TD_QUEUE_DEFINE)
