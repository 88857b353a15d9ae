/* How large the heap gets. */
#ifndef TD_BDWGC_SIZING_H
#define TD_BDWGC_SIZING_H

/* The factor by which the heap grows, by the free-space divisor. */
double td_bdwgc_growth(void);

#endif
