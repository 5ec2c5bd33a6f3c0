// The walls around what reads hostile pictures.
#pragma once
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define SEIF_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SEIF_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

// Memory, time and descriptors end here, whatever the filter lets through. 0: all were set.
static inline int seif_limit_picture_process(unsigned long memory, unsigned long seconds) {
  struct rlimit space = {memory, memory}, time = {seconds, seconds}, none = {0, 0};
  return setrlimit(RLIMIT_AS, &space) | setrlimit(RLIMIT_CPU, &time) | setrlimit(RLIMIT_NOFILE, &none) |
         setrlimit(RLIMIT_FSIZE, &none) | setrlimit(RLIMIT_CORE, &none);
}

// From now on: reading and writing what is open, memory that isn't executable, and the end. What would open a file is
// refused, since the C library tries that on its own; anything else kills the process. 0: it holds for every thread.
static inline int seif_enter_sandbox(void) {
#ifdef SEIF_AUDIT_ARCH
#define SEIF_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define SEIF_ON(call, action) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)
#define SEIF_ALLOW(call) SEIF_ON(call, SECCOMP_RET_ALLOW)
#define SEIF_REFUSE(call) SEIF_ON(call, SECCOMP_RET_ERRNO | EACCES)
// The lower half of the third argument is the protection (both architectures are little-endian).
#define SEIF_ALLOW_UNLESS_EXECUTABLE(call)                                                                             \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4), SEIF_LOAD(args[2]),                                           \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),      \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  struct sock_filter filter[] = {
      SEIF_LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SEIF_AUDIT_ARCH, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      SEIF_LOAD(nr),
      SEIF_ALLOW(read), SEIF_ALLOW(write), SEIF_ALLOW(close), SEIF_ALLOW(brk), SEIF_ALLOW(munmap), SEIF_ALLOW(mremap),
      SEIF_ALLOW(madvise), SEIF_ALLOW(futex), SEIF_ALLOW(getrandom), SEIF_ALLOW(clock_gettime),
      SEIF_ALLOW(gettimeofday), SEIF_ALLOW(rt_sigreturn), SEIF_ALLOW(rt_sigprocmask), SEIF_ALLOW(exit),
      SEIF_ALLOW(exit_group), SEIF_ALLOW(sched_yield), SEIF_ALLOW(sysinfo) /* of qsort */,
      SEIF_ALLOW_UNLESS_EXECUTABLE(mmap), SEIF_ALLOW_UNLESS_EXECUTABLE(mprotect),
      SEIF_REFUSE(fstat), SEIF_REFUSE(lseek), SEIF_REFUSE(ioctl), SEIF_REFUSE(prlimit64), SEIF_REFUSE(sched_getaffinity),
      SEIF_REFUSE(openat), SEIF_REFUSE(newfstatat), SEIF_REFUSE(readlinkat), SEIF_REFUSE(faccessat),
#ifdef SYS_open
      SEIF_REFUSE(open), SEIF_REFUSE(stat), SEIF_REFUSE(access), SEIF_REFUSE(readlink),
#endif
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
#else
  errno = ENOSYS;
  return -1;
#endif
}
