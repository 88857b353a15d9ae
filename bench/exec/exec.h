/* SPDX-License-Identifier: MIT */
/* The subcommand `tidemark exec`. */
#ifndef TD_BENCH_EXEC_EXEC_H
#define TD_BENCH_EXEC_EXEC_H

/* Returns the folder of our libgc.so.1, to be freed, or NULL after saying that there is none. */
char *td_exec_library_folder(void);

/* Looks the program up as execvp does. Returns a path to be freed, or NULL. */
char *td_exec_look_up(const char *name);

/* argv[0] is "exec". Returns an exit status; as a rule it does not return. */
int td_command_exec(int argc, char **argv);

#endif
