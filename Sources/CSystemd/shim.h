// Types only: the library is loaded by what asks a bus, where it is there (no `link`).
#pragma once
#include <systemd/sd-bus.h>
#include <stddef.h>
#include "../CSeif/loader.h"

#define SEIF_LIBSYSTEMD(ENTRY)                                                                                         \
  ENTRY(sd_bus_open_system) ENTRY(sd_bus_flush_close_unref) ENTRY(sd_bus_get_fd) ENTRY(sd_bus_get_events)              \
  ENTRY(sd_bus_get_timeout) ENTRY(sd_bus_process) ENTRY(sd_bus_set_method_call_timeout) ENTRY(sd_bus_match_signal)     \
  ENTRY(sd_bus_message_new_method_call) ENTRY(sd_bus_message_append_basic) ENTRY(sd_bus_call)                          \
  ENTRY(sd_bus_message_read_basic) ENTRY(sd_bus_message_enter_container) ENTRY(sd_bus_message_exit_container)          \
  ENTRY(sd_bus_message_skip) ENTRY(sd_bus_message_get_path) ENTRY(sd_bus_message_unref) ENTRY(sd_bus_get_property)     \
  ENTRY(sd_bus_error_free) ENTRY(sd_bus_new) ENTRY(sd_bus_set_address) ENTRY(sd_bus_set_bus_client)                   \
  ENTRY(sd_bus_start) ENTRY(sd_bus_get_property_trivial)

SEIF_LIBRARY(libsystemd, RTLD_NOW, SEIF_LIBSYSTEMD)
