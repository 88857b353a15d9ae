/* SPDX-License-Identifier: MIT */
/* Lets the n-th system call of a kind fail in a program and all that it starts.
 *
 * Usage: inject [--call CALL --at N [--later]] [--counts FILE] -- PROGRAM [ARGUMENT…]
 *
 * The program runs under ptrace, with a seccomp filter that stops it at the calls asked for: what
 * the C library calls by itself is met too.  Counting begins in each process where the library
 * inject_memory.c says so, which is behind the loader's own work, and goes on over all its threads
 * and forks.  Without --call nothing fails.  --counts writes how often each call was made.
 * Exit status: the program's; 128 and the signal if one ended it; 125 for an error of this tool. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault/inject.h"

enum { FAILED = 125, THREADS_MOST = 4096, NUMBERS_MOST = 3 };

static const struct call {
  const char *name;
  int numbers[NUMBERS_MOST];
  int why;
  bool happens; /* the call does its work all the same, and its answer is changed */
} calls[] = {
    {"mmap", {SYS_mmap}, ENOMEM, false},
    {"mprotect", {SYS_mprotect}, ENOMEM, false},
    {"madvise", {SYS_madvise}, EINVAL, false},
    {"munmap", {SYS_munmap}, ENOMEM, false},
    {"pthread_create", {SYS_clone, SYS_clone3}, EAGAIN, false},
    {"fork", {SYS_clone, SYS_clone3, SYS_vfork}, EAGAIN, false},
    {"open", {SYS_open, SYS_openat}, EMFILE, false},
    {"read", {SYS_read, SYS_pread64, SYS_readv}, EIO, false},
    {"write", {SYS_write, SYS_pwrite64, SYS_writev}, ENOSPC, false},
    {"close", {SYS_close}, EIO, true},
    {"rename", {SYS_rename, SYS_renameat, SYS_renameat2}, EACCES, false},
    {"futex", {SYS_futex}, EINTR, false},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static uint64_t counts[CALLS];
static int wanted = -1;
static uint64_t refuse_at;
static bool refuse_later;

/* One thread of the program. */
struct thread {
  pid_t id;
  bool counts;  /* it has said that it begins */
  int changing; /* the call whose answer is to be changed, or -1 */
};
static struct thread threads[THREADS_MOST];

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
  exit(FAILED);
}

static struct thread *find(pid_t id) {
  struct thread *unused = NULL;
  for (size_t i = 0; i < THREADS_MOST; i++) {
    if (threads[i].id == id) return &threads[i];
    if (!unused && threads[i].id == 0) unused = &threads[i];
  }
  if (!unused) give_up("too many threads");
  *unused = (struct thread){.id = id, .changing = -1};
  return unused;
}

/* ---- The filter ---- */

static void put(struct sock_filter *program, size_t *length, struct sock_filter step) {
  program[(*length)++] = step;
}

static void stop_at(struct sock_filter *program, size_t *length, int number) {
  put(program, length,
      (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1));
  put(program, length, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
}

/* Stops at the calls that count, and at the one that says where to begin. */
static void set_filter(void) {
  struct sock_filter program[4 + 2 * NUMBERS_MOST * (CALLS + 1)];
  size_t length = 0;
  put(program, &length,
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
  stop_at(program, &length, INJECT_BEGIN);
  for (int i = 0; i < (int)CALLS; i++) {
    for (int j = 0; j < NUMBERS_MOST; j++) {
      if (wanted >= 0 && wanted != i) continue;
      if (j > 0 && calls[i].numbers[j] == 0) continue;
      stop_at(program, &length, calls[i].numbers[j]);
    }
  }
  put(program, &length, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  struct sock_fprog filter = {(unsigned short)length, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    give_up("seccomp");
}

/* ---- Calls ---- */

static bool makes_thread(pid_t id, const struct user_regs_struct *registers) {
  uint64_t flags = registers->rdi;
  if (registers->orig_rax == SYS_clone3)
    flags = (uint64_t)ptrace(PTRACE_PEEKDATA, id, registers->rdi, NULL);
  return registers->orig_rax != SYS_vfork && flags & CLONE_THREAD;
}

static bool is_call(int which, pid_t id, const struct user_regs_struct *registers) {
  bool listed = false;
  for (int j = 0; j < NUMBERS_MOST; j++) /* read has the number 0 */
    listed = listed || ((j == 0 || calls[which].numbers[j] != 0) &&
                        registers->orig_rax == (uint64_t)calls[which].numbers[j]);
  if (!listed) return false;
  const char *name = calls[which].name;
  if (strcmp(name, "pthread_create") == 0) return makes_thread(id, registers);
  if (strcmp(name, "fork") == 0) return !makes_thread(id, registers);
  if (strcmp(name, "futex") == 0) {
    int command = (int)registers->rsi & FUTEX_CMD_MASK;
    return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
  }
  return true;
}

/* The call is left out if its number is none; then its answer is what the register holds. */
static void refuse(struct thread *thread, struct user_regs_struct *registers, int which) {
  registers->orig_rax = (unsigned long long)-1;
  registers->rax = (unsigned long long)-(long long)calls[which].why;
  /* It may have been killed meanwhile. */
  if (ptrace(PTRACE_SETREGS, thread->id, NULL, registers) && errno != ESRCH)
    give_up("PTRACE_SETREGS");
}

static void meet_call(struct thread *thread) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers)) return; /* it has been killed */
  if (registers.orig_rax == INJECT_BEGIN) {
    thread->counts = thread->counts || registers.rdi == INJECT_WORD;
    return;
  }
  for (int which = 0; thread->counts && which < (int)CALLS; which++) {
    if (!is_call(which, thread->id, &registers)) continue;
    uint64_t now = ++counts[which];
    if (which != wanted || !(now == refuse_at || (refuse_later && now > refuse_at))) continue;
    if (calls[which].happens)
      thread->changing = which;
    else
      refuse(thread, &registers, which);
  }
}

/* The call has been made: its answer becomes an error. */
static void change_answer(struct thread *thread) {
  struct user_regs_struct registers;
  int which = thread->changing;
  thread->changing = -1;
  if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers)) return;
  registers.rax = (unsigned long long)-(long long)calls[which].why;
  ptrace(PTRACE_SETREGS, thread->id, NULL, &registers);
}

/* ---- Following the program ---- */

static int meet_event(struct thread *thread, int status) {
  unsigned long other;
  int signal = WSTOPSIG(status), event = status >> 16;
  if (signal == (SIGTRAP | 0x80)) {
    if (thread->changing >= 0) change_answer(thread);
    return 0;
  }
  switch (event) {
  case 0:
    return signal; /* one of the program's own */
  case PTRACE_EVENT_SECCOMP:
    meet_call(thread);
    break;
  case PTRACE_EVENT_EXEC:
    thread->counts = false;
    break;
  case PTRACE_EVENT_FORK:
  case PTRACE_EVENT_VFORK:
  case PTRACE_EVENT_CLONE:
    if (ptrace(PTRACE_GETEVENTMSG, thread->id, NULL, &other) == 0)
      find((pid_t)other)->counts = thread->counts;
    break;
  default:
    break;
  }
  return 0;
}

/* Returns the exit status of the program, when all that it started has ended. */
static int follow(pid_t program) {
  int status, result = FAILED;
  for (pid_t id; (id = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
    if (id < 0) continue;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      *find(id) = (struct thread){0};
      if (id == program) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    struct thread *thread = find(id);
    int signal = meet_event(thread, status);
    /* How a call ends is seen only where its answer is to be changed. */
    ptrace(thread->changing >= 0 ? PTRACE_SYSCALL : PTRACE_CONT, id, NULL, (long)signal);
  }
  return result;
}

static pid_t start(char **words) {
  pid_t program = fork();
  if (program < 0) give_up("fork");
  if (program == 0) {
    raise(SIGSTOP); /* until it is followed */
    set_filter();
    execv(words[0], words);
    give_up(words[0]);
  }
  int status;
  if (waitpid(program, &status, WUNTRACED) != program || !WIFSTOPPED(status)) give_up("start");
  long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP |
                 PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                 PTRACE_O_TRACEVFORK;
  if (ptrace(PTRACE_SEIZE, program, NULL, options)) give_up("PTRACE_SEIZE");
  kill(program, SIGCONT);
  return program;
}

static int which_call(const char *name) {
  for (int i = 0; i < (int)CALLS; i++)
    if (strcmp(calls[i].name, name) == 0) return i;
  errno = EINVAL;
  give_up(name);
}

int main(int count, char **words) {
  const char *counts_path = NULL;
  int i = 1;
  for (; i < count && strcmp(words[i], "--"); i++) {
    bool more = i + 1 < count;
    if (strcmp(words[i], "--later") == 0)
      refuse_later = true;
    else if (strcmp(words[i], "--call") == 0 && more)
      wanted = which_call(words[++i]);
    else if (strcmp(words[i], "--at") == 0 && more)
      refuse_at = strtoull(words[++i], NULL, 10);
    else if (strcmp(words[i], "--counts") == 0 && more)
      counts_path = words[++i];
    else
      return fprintf(stderr, "inject: unknown argument '%s'\n", words[i]), FAILED;
  }
  if (i + 1 >= count) return fprintf(stderr, "inject: no program\n"), FAILED;
  pid_t program = start(words + i + 1);
  int result = follow(program);
  FILE *file = counts_path ? fopen(counts_path, "w") : NULL;
  for (int which = 0; file && which < (int)CALLS; which++)
    fprintf(file, "%s %lu\n", calls[which].name, counts[which]);
  if (counts_path && (!file || fclose(file))) give_up(counts_path);
  return result;
}
