#pragma once
#include <sqlite3.h>
#include <stddef.h>
#include "../CSeif/loader.h"

// No `link`: the library's relocations are a quarter of the program's start, and many commands never need it. Its
// functions, each with the type that the library's own header gives it, are found when the first is called.
#define SEIF_LIBSQLITE(ENTRY)                                                                                         \
  ENTRY(sqlite3_backup_finish) ENTRY(sqlite3_backup_init) ENTRY(sqlite3_backup_step)                                  \
  ENTRY(sqlite3_bind_blob64) ENTRY(sqlite3_bind_int64) ENTRY(sqlite3_bind_null)                                       \
  ENTRY(sqlite3_bind_text64) ENTRY(sqlite3_bind_zeroblob) ENTRY(sqlite3_busy_timeout)                                 \
  ENTRY(sqlite3_changes64) ENTRY(sqlite3_clear_bindings) ENTRY(sqlite3_close_v2)                                      \
  ENTRY(sqlite3_column_blob) ENTRY(sqlite3_column_bytes) ENTRY(sqlite3_column_count)                                  \
  ENTRY(sqlite3_column_int64) ENTRY(sqlite3_column_name) ENTRY(sqlite3_column_text)                                   \
  ENTRY(sqlite3_column_type) ENTRY(sqlite3_data_count) ENTRY(sqlite3_db_config) ENTRY(sqlite3_errmsg)                 \
  ENTRY(sqlite3_errstr) ENTRY(sqlite3_exec) ENTRY(sqlite3_extended_errcode)                                           \
  ENTRY(sqlite3_extended_result_codes) ENTRY(sqlite3_file_control) ENTRY(sqlite3_finalize)                            \
  ENTRY(sqlite3_get_autocommit) ENTRY(sqlite3_last_insert_rowid) ENTRY(sqlite3_limit)                                 \
  ENTRY(sqlite3_column_value) ENTRY(sqlite3_value_blob) ENTRY(sqlite3_value_bytes)                                    \
  ENTRY(sqlite3_value_int64) ENTRY(sqlite3_value_type)                                                                \
  ENTRY(sqlite3_open_v2) ENTRY(sqlite3_prepare_v2) ENTRY(sqlite3_prepare_v3) ENTRY(sqlite3_reset)                     \
  ENTRY(sqlite3_deserialize) ENTRY(sqlite3_free) ENTRY(sqlite3_malloc64) ENTRY(sqlite3_progress_handler)              \
  ENTRY(sqlite3_serialize) ENTRY(sqlite3_sql) ENTRY(sqlite3_step) ENTRY(sqlite3_system_errno)                         \
  ENTRY(sqlite3_wal_checkpoint_v2)

SEIF_LIBRARY(libsqlite, RTLD_LAZY, SEIF_LIBSQLITE)

// sqlite3_db_config is variadic.
static inline int seif_sqlite3_db_config_flag(const seif_libsqlite *s, sqlite3 *database, int option, int on) {
  int result = 0;
  return s->sqlite3_db_config(database, option, on, &result);
}
static const sqlite3_destructor_type seif_SQLITE_TRANSIENT = (sqlite3_destructor_type)-1;
