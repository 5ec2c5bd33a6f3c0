// Loaded before libc (LD_PRELOAD) into a program under test. Of all calls that change files under SEIF_IO_ROOT (with
// SEIF_IO_READS, where they are to fail with EIO, also of those that read) it can
//   - write down each with its bytes            SEIF_IO_LOG=FILE
//   - end the program at one                    seif_io_arm / SEIF_IO_ARM=kill:CALL
//   - make one, or all from one on, fail        SEIF_IO_ARM=fail:CALL:ERRNO:LASTING
// Files are named by their inode: a file without a name (O_TMPFILE) has nothing else. The program's own writes to
// descriptor 1 are marks in the log: what it had confirmed by then.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

enum { CREATE = 1, WRITE = 2, SYNC = 4, TRUNCATE = 8, LINK = 16, RENAME = 32, UNLINK = 64, FOLDER = 128, OPEN = 256,
       READ = 512, MODE = 1024 };
// What a full disk can refuse; anything can fail with another error.
enum { NEEDS_SPACE = CREATE | WRITE | SYNC | LINK | RENAME | FOLDER };

static const char *root;
static size_t root_length;
static int log_descriptor = -1;
static enum { NOTHING, KILL, FAIL } mode;
static long calls, wanted;
static int fail_code, is_lasting, fired, counts_reads, unnamed_allowed = 1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

// Counting begins anew. mode: 0 nothing, 1 kill, 2 fail.
void seif_io_arm(int new_mode, long call, int code, int lasting) {
  mode = new_mode;
  wanted = call;
  fail_code = code;
  is_lasting = lasting;
  calls = 0;
  fired = 0;
}
long seif_io_calls(void) { return calls; }
// Off: as on a file system without nameless files.
void seif_io_allow_unnamed(int on) { unnamed_allowed = on; }
// The kinds of calls that have failed since.
int seif_io_fired(void) { return fired; }

__attribute__((constructor)) static void begin(void) {
  root = getenv("SEIF_IO_ROOT");
  root_length = root ? strlen(root) : 0;
  const char *log = getenv("SEIF_IO_LOG");
  REAL(open);
  if (log) log_descriptor = real(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  counts_reads = getenv("SEIF_IO_READS") != NULL;
  const char *arm = getenv("SEIF_IO_ARM");
  long call = 0;
  int code = 0, lasting = 0;
  if (arm && sscanf(arm, "kill:%ld", &call) == 1) seif_io_arm(KILL, call, 0, 0);
  if (arm && sscanf(arm, "fail:%ld:%d:%d", &call, &code, &lasting) == 3) seif_io_arm(FAIL, call, code, lasting);
}

// How many calls were made and which kinds failed, for a program that can't ask.
__attribute__((destructor)) static void end(void) {
  const char *report = getenv("SEIF_IO_REPORT");
  if (!report) return;
  REAL(open);
  int descriptor = real(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  dprintf(descriptor, "%ld %d\n", calls, fired);
  close(descriptor);
}

// ---- Which calls are ours

static int inside(const char *path) {
  return root && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

static int descriptor_path(int descriptor, char *path) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static int is_ours(int descriptor) {
  char path[PATH_MAX];
  return root && descriptor > 2 && descriptor_path(descriptor, path) && inside(path);
}

static int is_ours_at(int folder, const char *name) {
  char path[PATH_MAX];
  if (!root) return 0;
  if (name[0] == '/') return inside(name);
  if (folder == AT_FDCWD) return getcwd(path, sizeof path) && inside(path);
  return descriptor_path(folder, path) && inside(path);
}

// ---- What happens to them

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Counts a call. 0: go on; else the error that it must fail with. `half`: a write whose first half gets through.
static int act(int kind, int *half) {
  if (half) *half = 0;
  if (kind == READ && !(counts_reads && mode == FAIL && fail_code == EIO)) return 0;
  if (kind == OPEN && mode != FAIL) return 0;
  calls++;
  if (mode == KILL && calls == wanted) {
    if (half && kind == WRITE && wanted % 2) *half = 1;
    else die();
  }
  if (mode != FAIL || !(is_lasting ? calls >= wanted : calls == wanted)) return 0;
  if (fail_code == ENOSPC && !(kind & NEEDS_SPACE)) return 0;
  if (half && kind == WRITE && fail_code == ENOSPC && is_lasting && !(fired & WRITE)) *half = 1;
  fired |= kind;
  return fail_code;
}

static void note(const char *head, const void *bytes, size_t count) {
  if (log_descriptor < 0) return;
  int code = errno;
  pthread_mutex_lock(&turn);
  struct iovec parts[3] = {{(void *)head, strlen(head)}, {(void *)bytes, count}, {"\n", 1}};
  (void)!writev(log_descriptor, parts, 3);
  pthread_mutex_unlock(&turn);
  errno = code;
}

static unsigned long inode(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

static unsigned long inode_at(int folder, const char *name, int follow) {
  struct stat status;
  return fstatat(folder, name, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 ? status.st_ino : 0;
}

// The inode of the folder that a path stands in, and its last part.
static unsigned long folder_of(int folder, const char *path, const char **name) {
  char text[PATH_MAX];
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  if (!slash) return folder == AT_FDCWD ? inode_at(AT_FDCWD, ".", 1) : inode(folder);
  snprintf(text, sizeof text, "%.*s", (int)(slash - path), path);
  return inode_at(folder, slash == path ? "/" : text, 1);
}

static void note_name(const char *what, int folder, const char *path, unsigned long file) {
  char head[PATH_MAX + 100];
  const char *name;
  unsigned long parent = folder_of(folder, path, &name);
  snprintf(head, sizeof head, "%s\t%lu\t%lu\t%s\t0\t0\n", what, file, parent, name);
  note(head, "", 0);
}

static void note_file(const char *what, unsigned long file, long offset, const void *bytes, size_t count) {
  char head[200];
  snprintf(head, sizeof head, "%s\t%lu\t0\t\t%ld\t%zu\n", what, file, offset, count);
  note(head, bytes, count);
}

// ---- The calls

static int open_any(int folder, const char *path, int flags, mode_t permissions) {
  REAL(openat);
  int unnamed = (flags & O_TMPFILE) == O_TMPFILE, create = flags & O_CREAT;
  if (!is_ours_at(folder, path)) return real(folder, path, flags, permissions);
  int code = act(create || unnamed ? CREATE : OPEN, NULL);
  if (code) return errno = code, -1;
  if (unnamed && !unnamed_allowed) return errno = EOPNOTSUPP, -1;
  int existed = inode_at(folder, path, 1) != 0;
  int descriptor = real(folder, path, flags, permissions);
  if (descriptor < 0) return descriptor;
  if (unnamed) note_file("create", inode(descriptor), 0, "", 0);
  else if (create && !existed) note_name("create", folder, path, inode(descriptor));
  else if (flags & O_TRUNC) note_file("truncate", inode(descriptor), 0, "", 0);
  return descriptor;
}

#define OPEN_MODE(last) \
  mode_t permissions = 0; \
  if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list rest; \
    va_start(rest, last); \
    permissions = va_arg(rest, mode_t); \
    va_end(rest); \
  }
int open(const char *path, int flags, ...) { OPEN_MODE(flags) return open_any(AT_FDCWD, path, flags, permissions); }
int open64(const char *path, int flags, ...) { OPEN_MODE(flags) return open_any(AT_FDCWD, path, flags, permissions); }
int openat(int folder, const char *path, int flags, ...) {
  OPEN_MODE(flags) return open_any(folder, path, flags, permissions);
}
int openat64(int folder, const char *path, int flags, ...) {
  OPEN_MODE(flags) return open_any(folder, path, flags, permissions);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  REAL(pwrite);
  if (!is_ours(descriptor)) return real(descriptor, bytes, count, offset);
  int half, code = act(WRITE, &half);
  if (half && count > 1) count /= 2;
  else if (code) return errno = code, -1;
  ssize_t done = real(descriptor, bytes, count, offset);
  if (done > 0) note_file("write", inode(descriptor), offset, bytes, done);
  if (half && mode == KILL) die();
  return done;
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(write);
  if (!is_ours(descriptor)) {
    ssize_t done = real(descriptor, bytes, count);
    if (descriptor == 1 && done > 0) note_file("mark", 0, 0, bytes, done);
    return done;
  }
  int half, code = act(WRITE, &half);
  if (half && count > 1) count /= 2;
  else if (code) return errno = code, -1;
  long offset = lseek(descriptor, 0, SEEK_CUR);
  ssize_t done = real(descriptor, bytes, count);
  if (done > 0) note_file("write", inode(descriptor), offset, bytes, done);
  if (half && mode == KILL) die();
  return done;
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  REAL(pread);
  int code = is_ours(descriptor) ? act(READ, NULL) : 0;
  return code ? errno = code, -1 : real(descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  return pread(descriptor, bytes, count, offset);
}
ssize_t read(int descriptor, void *bytes, size_t count) {
  REAL(read);
  int code = is_ours(descriptor) ? act(READ, NULL) : 0;
  return code ? errno = code, -1 : real(descriptor, bytes, count);
}

int ftruncate(int descriptor, off_t count) {
  REAL(ftruncate);
  if (!is_ours(descriptor)) return real(descriptor, count);
  int code = act(TRUNCATE, NULL);
  if (code) return errno = code, -1;
  int result = real(descriptor, count);
  if (result == 0) note_file("truncate", inode(descriptor), count, "", 0);
  return result;
}
int ftruncate64(int descriptor, off64_t count) { return ftruncate(descriptor, count); }

static int sync_any(int descriptor, int (*real)(int)) {
  if (!is_ours(descriptor)) return real(descriptor);
  int code = act(SYNC, NULL);
  if (code) return errno = code, -1;
  int result = real(descriptor);
  if (result == 0) note_file("sync", inode(descriptor), 0, "", 0);
  return result;
}
int fsync(int descriptor) { REAL(fsync); return sync_any(descriptor, real); }
int fdatasync(int descriptor) { REAL(fdatasync); return sync_any(descriptor, real); }

int fchmod(int descriptor, mode_t permissions) {
  REAL(fchmod);
  int code = is_ours(descriptor) ? act(MODE, NULL) : 0;
  return code ? errno = code, -1 : real(descriptor, permissions);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  REAL(linkat);
  if (!is_ours_at(to_folder, to)) return real(from_folder, from, to_folder, to, flags);
  int code = act(LINK, NULL);
  if (code) return errno = code, -1;
  int result = real(from_folder, from, to_folder, to, flags);
  if (result == 0) note_name("link", to_folder, to, inode_at(to_folder, to, 0));
  return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

static int rename_any(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  if (!is_ours_at(to_folder, to)) return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  int code = act(RENAME, NULL);
  if (code) return errno = code, -1;
  unsigned long file = inode_at(from_folder, from, 0);
  const char *from_name;
  unsigned long parent = folder_of(from_folder, from, &from_name);
  // Not through `syscall`, which is ours too.
  static long (*real)(long, ...);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  int result = (int)real(SYS_renameat2, from_folder, from, to_folder, to, flags);
  if (result == 0) {
    char head[PATH_MAX * 2 + 100];
    const char *name;
    unsigned long target = folder_of(to_folder, to, &name);
    snprintf(head, sizeof head, "rename\t%lu\t%lu\t%s\t%lu\t%zu\n", file, target, name, parent, strlen(from_name));
    note(head, from_name, strlen(from_name));
  }
  return result;
}
int rename(const char *from, const char *to) { return rename_any(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  return rename_any(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  return rename_any(from_folder, from, to_folder, to, flags);
}
long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int index = 0; index < 6; index++) a[index] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_renameat2 && is_ours_at((int)a[2], (const char *)a[3]))
    return rename_any((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3], (unsigned)a[4]);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  if (!is_ours_at(folder, path)) return real(folder, path, flags);
  int code = act(UNLINK, NULL);
  if (code) return errno = code, -1;
  int result = real(folder, path, flags);
  if (result == 0) note_name("unlink", folder, path, 0);
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *path, mode_t permissions) {
  REAL(mkdirat);
  if (!is_ours_at(folder, path)) return real(folder, path, permissions);
  int code = act(FOLDER, NULL);
  if (code) return errno = code, -1;
  int result = real(folder, path, permissions);
  if (result == 0) note_name("mkdir", folder, path, inode_at(folder, path, 0));
  return result;
}
int mkdir(const char *path, mode_t permissions) { return mkdirat(AT_FDCWD, path, permissions); }
