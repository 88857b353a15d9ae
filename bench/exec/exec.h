/* The subcommand `tidemark exec`. */
#ifndef TD_BENCH_EXEC_EXEC_H
#define TD_BENCH_EXEC_EXEC_H

/* Returns the folder of our libgc.so.1, to be freed, or NULL after saying that there is none. */
char *td_exec_library_folder(void);

/* argv[0] is "exec". Returns an exit status; as a rule it does not return. */
int td_command_exec(int argc, char **argv);

#endif
