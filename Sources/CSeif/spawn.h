// Starting a program that ends with the thread that starts it, whatever ends that: posix_spawn has no attribute for it.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// What a program finds before it begins, in this order: a descriptor of ours under a number (`path` null), or a file opened
// under it.
typedef struct {
  const char *_Nullable path;
  int flags, descriptor, number;
} seif_spawn_step;

// In the new process, where only what a signal handler may call is allowed; gives the error that it ends with.
static inline int seif_become(
    const char *_Nonnull path, char *_Nullable const *_Nonnull words, char *_Nullable const *_Nonnull environment,
    const char *_Nullable folder, const seif_spawn_step *_Nonnull steps, int count, int leads_session,
    const sigset_t *_Nonnull mask, const sigset_t *_Nonnull defaults, pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
  // One that was gone before that tells nobody any more.
  if (getppid() != parent) return ECHILD;
  if (leads_session && setsid() < 0) return errno;
  for (const seif_spawn_step *step = steps; step < steps + count; step++) {
    int descriptor = step->path ? open(step->path, step->flags, 0) : step->descriptor;
    if (descriptor < 0) return errno;
    if (descriptor == step->number) {
      // Handed on under its own number: it stays open for the program.
      if (fcntl(descriptor, F_SETFD, 0) != 0) return errno;
      continue;
    }
    if (dup2(descriptor, step->number) < 0) return errno;
    if (step->path) close(descriptor);
  }
  if (folder && chdir(folder) != 0) return errno;
  struct sigaction usual = {0};
  usual.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; number++)
    if (sigismember(defaults, number) == 1) sigaction(number, &usual, NULL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  execve(path, words, environment);
  return errno;
}

// Starts it; 0 and its process, or the error.
static inline int seif_spawn_tied(
    pid_t *_Nonnull process, const char *_Nonnull path, char *_Nullable const *_Nonnull words,
    char *_Nullable const *_Nonnull environment, const char *_Nullable folder, const seif_spawn_step *_Nonnull steps,
    int count, int leads_session, const sigset_t *_Nonnull mask, const sigset_t *_Nonnull defaults) {
  int report[2];
  if (syscall(SYS_pipe2, report, O_CLOEXEC) != 0) return errno;
  // Above all numbers that the program gets.
  int writer = fcntl(report[1], F_DUPFD_CLOEXEC, 100);
  int failure = errno;
  close(report[1]);
  if (writer < 0) {
    close(report[0]);
    return failure;
  }
  sigset_t all, before;
  sigfillset(&all);
  // A signal that comes in between must not run our handlers in the new process.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = fork();
  failure = errno;
  if (child == 0) {
    failure = seif_become(path, words, environment, folder, steps, count, leads_session, mask, defaults, parent);
    ssize_t told = write(writer, &failure, sizeof failure);
    _exit(told == sizeof failure ? 127 : 126);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(writer);
  if (child < 0) {
    close(report[0]);
    return failure;
  }
  // Closed by the start of the program; what comes instead is why there is none.
  int why = 0;
  ssize_t count_read;
  while ((count_read = read(report[0], &why, sizeof why)) < 0 && errno == EINTR) {}
  close(report[0]);
  if (count_read == 0) {
    *process = child;
    return 0;
  }
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return count_read == sizeof why ? why : EIO;
}
