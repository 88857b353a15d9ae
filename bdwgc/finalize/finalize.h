/* SPDX-License-Identifier: MIT */
/* Finalizers. */
#ifndef TD_BDWGC_FINALIZE_FINALIZE_H
#define TD_BDWGC_FINALIZE_FINALIZE_H

/* Some are pending perhaps: runs them, or tells the program, whichever it wants. */
void td_bdwgc_finalize_or_notify(void);

#endif
