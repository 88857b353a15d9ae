/* SPDX-License-Identifier: MIT */
#include "bench/cli/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli/cleanup.h"
#include "bench/cli/complain.h"

extern char **environ;

/* Returns 0 or an error number, as all functions of posix_spawn do. */
static int redirect(posix_spawn_file_actions_t *actions, const struct td_child_start *start) {
  const int wanted[] = {start->in, start->out, start->errors};
  int error = 0;
  for (int i = 0; i <= STDERR_FILENO && error == 0; i++)
    if (wanted[i] >= 0) error = posix_spawn_file_actions_adddup2(actions, wanted[i], i);
  return error;
}

static int spawn(const struct td_child_start *start, const sigset_t *mask, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGXFSZ);
  /* The signals are held while this runs, and SIGXFSZ is ignored: the child must begin neither
   * with the ones held nor with the other ignored. */
  posix_spawnattr_setsigmask(&attributes, mask);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = redirect(&actions, start);
  if (error == 0)
    error =
        posix_spawnp(child, start->arguments[0], &actions, &attributes, start->arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int td_child_start(const struct td_child_start *start, pid_t *child) {
  sigset_t before;
  td_cleanup_hold(&before);
  int error = spawn(start, &before, child);
  if (error == 0 && !td_cleanup_note_child(*child)) {
    td_child_kill(*child);
    error = EAGAIN;
  }
  td_cleanup_release(&before);
  return error;
}

int td_child_wait(pid_t child) {
  int ended;
  while (waitpid(child, &ended, 0) < 0)
    if (errno != EINTR) {
      ended = -1;
      break;
    }
  td_cleanup_forget_child(child);
  return ended;
}

void td_child_kill(pid_t child) {
  kill(child, SIGKILL);
  td_child_wait(child);
}

int td_child_complain(const char *name, int ended) {
  if (ended == -1) return td_complain(TD_EXIT_RESOURCES, "%s: lost: %s", name, strerror(errno));
  if (!WIFSIGNALED(ended))
    return td_complain(TD_EXIT_RESOURCES, "%s: its process ended early, with status %d", name,
                       WEXITSTATUS(ended));
  int number = WTERMSIG(ended);
  return td_complain(TD_EXIT_RESOURCES, "%s: its process was ended by signal %d (%s)%s", name,
                     number, strsignal(number),
                     number == SIGKILL ? "; perhaps the machine is out of memory" : "");
}
