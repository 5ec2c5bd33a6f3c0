// Types only: the library is loaded by an agent that finds it (no `link`).
#pragma once
#include <systemd/sd-bus.h>
#include <dlfcn.h>
#include <stddef.h>

#define SEIF_LIBSYSTEMD(ENTRY)                                                                                         \
  ENTRY(sd_bus_open_system) ENTRY(sd_bus_flush_close_unref) ENTRY(sd_bus_get_fd) ENTRY(sd_bus_get_events)              \
  ENTRY(sd_bus_get_timeout) ENTRY(sd_bus_process) ENTRY(sd_bus_set_method_call_timeout) ENTRY(sd_bus_match_signal)     \
  ENTRY(sd_bus_message_new_method_call) ENTRY(sd_bus_message_append_basic) ENTRY(sd_bus_call)                          \
  ENTRY(sd_bus_message_read_basic) ENTRY(sd_bus_message_enter_container) ENTRY(sd_bus_message_exit_container)          \
  ENTRY(sd_bus_message_skip) ENTRY(sd_bus_message_get_path) ENTRY(sd_bus_message_unref) ENTRY(sd_bus_get_property)     \
  ENTRY(sd_bus_error_free)

#define SEIF_FIELD(name) __typeof__(name) *_Nonnull name;
typedef struct { SEIF_LIBSYSTEMD(SEIF_FIELD) } seif_libsystemd;
#undef SEIF_FIELD

// The table, filled; null: the library, or a function of it, isn't there.
static inline const seif_libsystemd *seif_load_libsystemd(const char *file) {
  static seif_libsystemd table;
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return NULL;
#define SEIF_FIND(name)                                                                                                \
  {                                                                                                                    \
    void *function = dlsym(library, #name);                                                                            \
    if (!function) return NULL;                                                                                        \
    table.name = (__typeof__(name) *)function;                                                                         \
  }
  SEIF_LIBSYSTEMD(SEIF_FIND)
#undef SEIF_FIND
  return &table;
}
