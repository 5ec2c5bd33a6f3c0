#pragma once
#include <sqlite3.h>

// sqlite3_config and sqlite3_db_config are variadic.
static inline int seif_sqlite3_db_config_flag(sqlite3 *database, int option, int on) {
  int result = 0;
  return sqlite3_db_config(database, option, on, &result);
}
static const sqlite3_destructor_type seif_SQLITE_TRANSIENT = (sqlite3_destructor_type)-1;
