/* tidemark simulate: marking with many markers, predicted. */
#ifndef TD_BENCH_SIMULATE_SIMULATE_H
#define TD_BENCH_SIMULATE_SIMULATE_H

/* argv[0] is "simulate". Returns an exit status. */
int td_command_simulate(int argc, char **argv);

#endif
