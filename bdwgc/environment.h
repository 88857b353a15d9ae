/* The variables GC_… that mean the same here. */
#ifndef TD_BDWGC_ENVIRONMENT_H
#define TD_BDWGC_ENVIRONMENT_H

/* Puts what they say into the settings. Ends the process for a value that means nothing. */
void td_bdwgc_environment(void);

#endif
