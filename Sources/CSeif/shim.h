// The few calls that Swift can't say: variadic C functions with fixed arguments, and macros.
#pragma once
// Not _GNU_SOURCE: with it fd_set has another spelling than in the Glibc module, which a debug build refuses.
#include <sys/select.h>
#include <stddef.h>
#include <string.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <sys/un.h>
#include <time.h>
#include <termios.h>
#include <unistd.h>

static inline int seif_open(const char *path, int flags, unsigned int mode) { return open(path, flags, mode); }
static inline int seif_openat(int folder, const char *path, int flags, unsigned int mode) {
  return openat(folder, path, flags, mode);
}
static inline int seif_set_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static inline int seif_fcntl_getfl(int descriptor) { return fcntl(descriptor, F_GETFL); }
static inline int seif_fcntl_setfl(int descriptor, int flags) { return fcntl(descriptor, F_SETFL, flags); }
static inline int seif_fcntl_setfd(int descriptor, int flags) { return fcntl(descriptor, F_SETFD, flags); }
// An entry of a folder has the length that its name needs: taking the whole array would read beyond it.
static inline const char *seif_entry_name(const struct dirent *entry) { return entry->d_name; }
static inline int seif_terminal_columns(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
// Rows times 65536 and columns, 0 if there is no answer.
static inline int seif_terminal_size(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? ((int)size.ws_row << 16) + size.ws_col : 0;
}
// 0: the kernel says that the clock is synchronised; 1: it says that it isn't; -1: no answer.
static inline int seif_clock_unsynchronised(void) {
  struct timex state = {0};
  int result = adjtimex(&state);
  return result < 0 ? -1 : (result == TIME_ERROR || (state.status & STA_UNSYNC)) ? 1 : 0;
}
// 1: core files and tracing by others are possible; 0: they aren't.
static inline int seif_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
// The number by which statfs(2) tells file systems apart, 32 bits; -1: no answer.
static inline int64_t seif_file_system_type(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (int64_t)(uint32_t)status.f_type : -1;
}
static const int seif_no_such_host = -1, seif_no_answer = -2;
// Sends one datagram to a host and gives the length of its answer, and the times of sending and receiving. Tries the
// first three addresses, each for so long; how long a name takes is the resolver's matter (usually some seconds).
static inline long seif_ask_by_datagram(
    const char *host, const char *port, const void *question, size_t length, void *answer, size_t room,
    int milliseconds, struct timespec *sent, struct timespec *received) {
  struct addrinfo hints = {0}, *found = NULL;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICSERV;
  if (getaddrinfo(host, port, &hints, &found) != 0) return seif_no_such_host;
  long result = seif_no_answer;
  int tries = 0;
  for (struct addrinfo *next = found; next && result < 0 && tries < 3; next = next->ai_next, tries++) {
    int descriptor = socket(next->ai_family, next->ai_socktype | SOCK_CLOEXEC, next->ai_protocol);
    if (descriptor < 0) continue;
    // Connected, so that only that address can answer.
    if (connect(descriptor, next->ai_addr, next->ai_addrlen) == 0) {
      clock_gettime(CLOCK_REALTIME, sent);
      if (send(descriptor, question, length, MSG_NOSIGNAL) == (long)length) {
        struct pollfd wait = {descriptor, POLLIN, 0};
        if (poll(&wait, 1, milliseconds) == 1) {
          result = recv(descriptor, answer, room, MSG_DONTWAIT);
          clock_gettime(CLOCK_REALTIME, received);
          if (result < 0) result = seif_no_answer;
        }
      }
    }
    close(descriptor);
  }
  freeaddrinfo(found);
  return result;
}
static const int seif_O_TMPFILE = __O_TMPFILE | O_DIRECTORY;
// Gives the nameless file behind a descriptor a name; fails with EEXIST where there is one.
static inline int seif_link_unnamed(int descriptor, int folder, const char *name) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW);
}
// Renames within a folder, never over an existing file; by link and unlink where the file system lacks the flag.
static inline int seif_rename_new(int folder, const char *from, const char *to) {
  if (syscall(SYS_renameat2, folder, from, folder, to, 1 /* RENAME_NOREPLACE */) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (linkat(folder, from, folder, to, 0) != 0) return -1;
  return unlinkat(folder, from, 0);
}
// A pipe that no child inherits; in one step, since another thread may start a child at any time.
static inline int seif_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }
static inline int seif_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }
// Whether whoever started us wants a signal ignored, as nohup does with SIGHUP.
static inline int seif_ignores(int signal) {
  struct sigaction action;
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Sockets of this machine. Glibc declares what follows only under _GNU_SOURCE.
static inline int seif_unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }
static inline int seif_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC);
}
static inline int seif_unix_name(struct sockaddr_un *name, const char *path) {
  size_t length = strlen(path);
  if (length >= sizeof name->sun_path) return ENAMETOOLONG;
  memset(name, 0, sizeof *name);
  name->sun_family = AF_UNIX;
  memcpy(name->sun_path, path, length);
  return 0;
}
static inline int seif_connect(int descriptor, const char *path) {
  struct sockaddr_un name;
  int refusal = seif_unix_name(&name, path);
  if (refusal) return refusal;
  return connect(descriptor, (struct sockaddr *)&name, sizeof name) == 0 ? 0 : errno;
}
static inline int seif_bind_and_listen(int descriptor, const char *path, int backlog) {
  struct sockaddr_un name;
  int refusal = seif_unix_name(&name, path);
  if (refusal) return refusal;
  if (bind(descriptor, (struct sockaddr *)&name, sizeof name) != 0) return errno;
  return listen(descriptor, backlog) == 0 ? 0 : errno;
}
// Who connected, as the kernel noted it then: process and user.
static inline int seif_peer(int descriptor, int *process, unsigned int *user) {
  struct { pid_t pid; uid_t uid; gid_t gid; } who;
  socklen_t length = sizeof who;
  if (getsockopt(descriptor, SOL_SOCKET, 17 /* SO_PEERCRED */, &who, &length) != 0) return errno;
  if (length != sizeof who) return EINVAL;
  *process = who.pid;
  *user = who.uid;
  return 0;
}
static inline int seif_is_listening_unix_socket(int descriptor) {
  int value = 0, domain = 0;
  socklen_t length = sizeof value;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) != 0 || !value) return 0;
  length = sizeof domain;
  return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX;
}
// Sends without waiting and without a signal where the other side is gone.
static inline long seif_send(int descriptor, const void *bytes, size_t length) {
  return send(descriptor, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}
static inline long seif_receive(int descriptor, void *bytes, size_t length) {
  return recv(descriptor, bytes, length, MSG_DONTWAIT);
}
// Milliseconds since the machine started, the time it slept included.
static inline int64_t seif_milliseconds_since_boot(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
// The place of a needle in a haystack, or -1.
void *memmem(const void *, size_t, const void *, size_t);
static inline long seif_find(const void *hay, size_t hays, const void *needle, size_t needles) {
  const char *found = (const char *)memmem(hay, hays, needle, needles);
  return found ? (long)(found - (const char *)hay) : -1;
}
// For a child that is to have nothing of ours: no descriptor from `first` on, and no folder that a disk waits for.
#include <spawn.h>
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
static inline int seif_spawn_apart(posix_spawn_file_actions_t *actions, int first) {
  int refusal = posix_spawn_file_actions_addclosefrom_np(actions, first);
  return refusal ? refusal : posix_spawn_file_actions_addchdir_np(actions, "/");
}
static inline int seif_device_major(uint64_t device) {
  return (int)(((device >> 8) & 0xfff) | ((device >> 32) & ~0xfffULL));
}
static inline int seif_device_minor(uint64_t device) {
  return (int)((device & 0xff) | ((device >> 12) & ~0xffULL));
}
// Overwrites what the calls that have returned left on this thread's stack: it is kept for the next thread.
static __attribute__((noinline)) void seif_wipe_stack(void) {
  char left[192 * 1024];
  memset(left, 0, sizeof left);
  __asm__ volatile("" : : "r"(left) : "memory");
}
// Overwrites what is given back to the C library's heap, from now on.
static inline int seif_wipe_freed_memory(void) { return mallopt(M_PERTURB, 0x5a); }
// The C library keeps small pieces that were given back in a cache of each thread, seven of a size and as they were: takes
// all that this thread's cache may hold, overwrites them, and gives them back.
static inline void seif_wipe_cached_memory(void) {
  for (size_t size = 24; size <= 1032; size += 16) {
    void *taken[7];
    for (int i = 0; i < 7; i++)
      if ((taken[i] = malloc(size))) explicit_bzero(taken[i], size);
    for (int i = 0; i < 7; i++) free(taken[i]);
  }
}
// Marks every descriptor from 3 up to be closed when another program takes this process over.
static inline void seif_close_others_on_exec(void) {
  if (syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0) return;
  long limit = sysconf(_SC_OPEN_MAX);
  if (limit < 0 || limit > 65536) limit = 65536;
  for (int descriptor = 3; descriptor < limit; descriptor++) {
    int flags = fcntl(descriptor, F_GETFD);
    if (flags >= 0) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
  }
}
static inline int seif_duplicate_from(int descriptor, int lowest) { return fcntl(descriptor, F_DUPFD_CLOEXEC, lowest); }
// The size of one terminal for another.
static inline void seif_copy_window_size(int from, int to) {
  struct winsize size;
  if (ioctl(from, TIOCGWINSZ, &size) == 0) ioctl(to, TIOCSWINSZ, &size);
}
// Waits for one of the signals; says whether a terminal or the kernel sent it and not another process.
static inline int seif_wait_for_signal(const sigset_t *signals, int *is_from_kernel) {
  siginfo_t info;
  int number = sigwaitinfo(signals, &info);
  *is_from_kernel = number > 0 && info.si_code > 0;
  return number;
}
// Closes every descriptor from 3 up.
static inline void seif_close_others(void) {
  if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
  long limit = sysconf(_SC_OPEN_MAX);
  if (limit < 0 || limit > 65536) limit = 65536;
  for (int descriptor = 3; descriptor < limit; descriptor++) close(descriptor);
}
// A search for many byte strings: a bit for each hash of their first four bytes.
static const int seif_filter_byte_count = 1 << 17;
static inline uint32_t seif_filter_hash(uint32_t beginning) { return (beginning * 2654435761u) >> 12; }
// The next place whose first four bytes have their bit set, or -1.
static inline long seif_filter_next(const void *bytes, long length, long place, const uint8_t *filter) {
  const uint8_t *all = (const uint8_t *)bytes;
  for (; place + 4 <= length; place++) {
    uint32_t beginning;
    memcpy(&beginning, all + place, 4);
    uint32_t hash = seif_filter_hash(beginning);
    if (filter[hash >> 3] & (1 << (hash & 7))) return place;
  }
  return -1;
}
static inline int seif_spawn_in(posix_spawn_file_actions_t *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}
// Writes all of it, also where a signal or a full pipe comes between; 0, or the error.
// Holds back the signal that a pipe or socket without a reader raises, in this thread; and lets it come again, without the
// one that came meanwhile. errno stays as it is.
typedef struct {
  sigset_t before;
  int was_pending;
} seif_held_pipe_signal;
static inline seif_held_pipe_signal seif_hold_pipe_signal(void) {
  seif_held_pipe_signal held;
  sigset_t pipe, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  held.was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &held.before);
  return held;
}
static inline void seif_release_pipe_signal(seif_held_pipe_signal held) {
  int code = errno;
  sigset_t pipe;
  struct timespec now = {0};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  if (!held.was_pending) sigtimedwait(&pipe, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &held.before, NULL);
  errno = code;
}
static inline int seif_write_all(int descriptor, const void *bytes, size_t length) {
  const char *rest = (const char *)bytes;
  while (length > 0) {
    ssize_t count = write(descriptor, rest, length);
    if (count > 0) { rest += count; length -= (size_t)count; }
    else if (count == 0 || errno != EINTR) return count == 0 ? EIO : errno;
  }
  return 0;
}
