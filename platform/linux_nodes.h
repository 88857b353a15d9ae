/* SPDX-License-Identifier: MIT */
/* Nodes of memory as the folders of devices tell them. The files are read below `root`: "" for the
 * system's own; tests have folders of their own. */
#ifndef TD_PLATFORM_LINUX_NODES_H
#define TD_PLATFORM_LINUX_NODES_H

#include "platform/platform.h"

void td_nodes_read(const char *root, struct td_nodes *nodes);

#endif
