// How a library is loaded that only some commands need: by `dlopen` instead of `link`, since a library's relocations cost
// every start. Its functions, each with the type that the library's own header gives it, are found in one table when the
// first is called. Included by the shims; textual, so that each module gets its own.
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
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

// Ends the process where a library is missing without which nothing goes on: exit 69, in the words of a command's failure.
// Not a trap, which would leave a core file and the name of a source file.
static inline _Noreturn void seif_end_without_library(const char *file, const char *package) {
  dprintf(2, "seif: the library %s isn't installed; on Debian: apt install %s.\n", file, package);
  _exit(69);
}
