// How a library is loaded that only some commands need: by `dlopen` instead of `link`, since a library's relocations cost
// every start. Its functions, each with the type that the library's own header gives it, are found in one table when the
// first is called. Included by the shims; textual, so that each module gets its own.
#pragma once
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SEIF_FIELD(name) __typeof__(name) *_Nonnull name;
#define SEIF_FIND(name)                                                                                                \
  {                                                                                                                    \
    void *function = dlsym(library, #name);                                                                            \
    if (!function) return NULL;                                                                                        \
    table.name = (__typeof__(name) *)function;                                                                         \
  }
// Fills part of a table from one library; leaves the function with null where the library, or a function, isn't there.
#define SEIF_FILL(file, when, FUNCTIONS)                                                                               \
  {                                                                                                                    \
    void *library = dlopen(file, when | RTLD_LOCAL);                                                                   \
    if (!library) return NULL;                                                                                         \
    FUNCTIONS(SEIF_FIND)                                                                                               \
  }

// Declares the table `seif_NAME` and `seif_load_NAME`, which gives it filled, or null. `when`: RTLD_LAZY, or RTLD_NOW for
// a process that walls itself in afterwards.
#define SEIF_LIBRARY(NAME, when, FUNCTIONS)                                                                            \
  typedef struct { FUNCTIONS(SEIF_FIELD) } seif_##NAME;                                                                \
  static inline const seif_##NAME *seif_load_##NAME(const char *file) {                                                \
    static seif_##NAME table;                                                                                          \
    SEIF_FILL(file, when, FUNCTIONS)                                                                                   \
    return &table;                                                                                                     \
  }

// Whether this process was asked for a document: `--json` before any `--`. From the kernel, since what is missing here may
// be what all else stands on.
static inline int seif_was_asked_for_json(void) {
  int descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC), found = 0, ended = 0;
  if (descriptor < 0) return 0;
  char bytes[512], word[6];
  size_t length = 0;
  ssize_t count;
  while (!found && !ended && (count = read(descriptor, bytes, sizeof bytes)) > 0) {
    for (ssize_t place = 0; place < count && !found && !ended; place++) {
      if (bytes[place]) {
        if (length < sizeof word) word[length] = bytes[place];
        length++;
        continue;
      }
      found = length == 6 && memcmp(word, "--json", 6) == 0;
      ended = length == 2 && memcmp(word, "--", 2) == 0;
      length = 0;
    }
  }
  close(descriptor);
  return found;
}

// Ends the process where a library is missing without which nothing goes on: exit 69, in the words of a command's failure,
// and as its document. Not a trap, which would leave a core file and the name of a source file.
static inline _Noreturn void seif_end_for_want_of(const char *file, const char *package) {
  if (seif_was_asked_for_json())
    dprintf(1,
        "{\n  \"schema\": \"seif-error\",\n  \"version\": 1,\n  \"error\": {\n    \"code\": \"unavailable\",\n"
        "    \"exit\": 69,\n    \"what\": \"the library %s isn't installed; on Debian: apt install %s\"\n  }\n}\n",
        file, package);
  dprintf(2, "seif: the library %s isn't installed; on Debian: apt install %s.\n", file, package);
  _exit(69);
}
