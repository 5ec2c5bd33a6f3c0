internal import CSQLite

/// SQLite's functions.
///
/// The library is loaded when the first is called. At start-up it would cost every command, `--version` and a code from
/// the agent among them, a quarter of its time; those that open a vault lose nothing. A package that installs Seif has to
/// name it, since `ldd` doesn't.
nonisolated(unsafe) let libsqlite: UnsafePointer<seif_libsqlite> = {
  // The name with the version of its interface, as the linker would note it: security updates keep both.
  let name = "libsqlite3.so.0"
  guard let functions = seif_load_libsqlite(name) else { seif_end_for_want_of(name, "libsqlite3-0") }
  return functions
}()

// By the names that they have in C: a declaration of this module goes before one that is imported.
nonisolated(unsafe) let sqlite3_backup_init = libsqlite.pointee.sqlite3_backup_init
nonisolated(unsafe) let sqlite3_backup_step = libsqlite.pointee.sqlite3_backup_step
nonisolated(unsafe) let sqlite3_bind_blob64 = libsqlite.pointee.sqlite3_bind_blob64
nonisolated(unsafe) let sqlite3_bind_int64 = libsqlite.pointee.sqlite3_bind_int64
nonisolated(unsafe) let sqlite3_bind_text64 = libsqlite.pointee.sqlite3_bind_text64
nonisolated(unsafe) let sqlite3_bind_zeroblob = libsqlite.pointee.sqlite3_bind_zeroblob
nonisolated(unsafe) let sqlite3_changes64 = libsqlite.pointee.sqlite3_changes64
nonisolated(unsafe) let sqlite3_column_blob = libsqlite.pointee.sqlite3_column_blob
nonisolated(unsafe) let sqlite3_column_bytes = libsqlite.pointee.sqlite3_column_bytes
nonisolated(unsafe) let sqlite3_column_count = libsqlite.pointee.sqlite3_column_count
nonisolated(unsafe) let sqlite3_column_int64 = libsqlite.pointee.sqlite3_column_int64
nonisolated(unsafe) let sqlite3_column_name = libsqlite.pointee.sqlite3_column_name
nonisolated(unsafe) let sqlite3_column_text = libsqlite.pointee.sqlite3_column_text
nonisolated(unsafe) let sqlite3_column_type = libsqlite.pointee.sqlite3_column_type
nonisolated(unsafe) let sqlite3_column_value = libsqlite.pointee.sqlite3_column_value
nonisolated(unsafe) let sqlite3_data_count = libsqlite.pointee.sqlite3_data_count
nonisolated(unsafe) let sqlite3_deserialize = libsqlite.pointee.sqlite3_deserialize
nonisolated(unsafe) let sqlite3_errmsg = libsqlite.pointee.sqlite3_errmsg
nonisolated(unsafe) let sqlite3_errstr = libsqlite.pointee.sqlite3_errstr
nonisolated(unsafe) let sqlite3_extended_errcode = libsqlite.pointee.sqlite3_extended_errcode
nonisolated(unsafe) let sqlite3_file_control = libsqlite.pointee.sqlite3_file_control
nonisolated(unsafe) let sqlite3_free = libsqlite.pointee.sqlite3_free
nonisolated(unsafe) let sqlite3_get_autocommit = libsqlite.pointee.sqlite3_get_autocommit
nonisolated(unsafe) let sqlite3_last_insert_rowid = libsqlite.pointee.sqlite3_last_insert_rowid
nonisolated(unsafe) let sqlite3_malloc64 = libsqlite.pointee.sqlite3_malloc64
nonisolated(unsafe) let sqlite3_open_v2 = libsqlite.pointee.sqlite3_open_v2
nonisolated(unsafe) let sqlite3_prepare_v2 = libsqlite.pointee.sqlite3_prepare_v2
nonisolated(unsafe) let sqlite3_prepare_v3 = libsqlite.pointee.sqlite3_prepare_v3
nonisolated(unsafe) let sqlite3_progress_handler = libsqlite.pointee.sqlite3_progress_handler
nonisolated(unsafe) let sqlite3_serialize = libsqlite.pointee.sqlite3_serialize
nonisolated(unsafe) let sqlite3_sql = libsqlite.pointee.sqlite3_sql
nonisolated(unsafe) let sqlite3_step = libsqlite.pointee.sqlite3_step
nonisolated(unsafe) let sqlite3_system_errno = libsqlite.pointee.sqlite3_system_errno
nonisolated(unsafe) let sqlite3_value_blob = libsqlite.pointee.sqlite3_value_blob
nonisolated(unsafe) let sqlite3_value_bytes = libsqlite.pointee.sqlite3_value_bytes
nonisolated(unsafe) let sqlite3_value_int64 = libsqlite.pointee.sqlite3_value_int64
nonisolated(unsafe) let sqlite3_value_type = libsqlite.pointee.sqlite3_value_type
nonisolated(unsafe) let sqlite3_wal_checkpoint_v2 = libsqlite.pointee.sqlite3_wal_checkpoint_v2

// What these return is known before or said again by what follows, so it may be left.
@discardableResult
func sqlite3_reset(_ handle: OpaquePointer?) -> Int32 { libsqlite.pointee.sqlite3_reset(handle) }
@discardableResult
func sqlite3_finalize(_ handle: OpaquePointer?) -> Int32 { libsqlite.pointee.sqlite3_finalize(handle) }
@discardableResult
func sqlite3_close_v2(_ handle: OpaquePointer?) -> Int32 { libsqlite.pointee.sqlite3_close_v2(handle) }
@discardableResult
func sqlite3_clear_bindings(_ handle: OpaquePointer?) -> Int32 { libsqlite.pointee.sqlite3_clear_bindings(handle) }
@discardableResult
func sqlite3_backup_finish(_ handle: OpaquePointer?) -> Int32 { libsqlite.pointee.sqlite3_backup_finish(handle) }
@discardableResult
func sqlite3_extended_result_codes(_ database: OpaquePointer?, _ value: Int32) -> Int32 {
  libsqlite.pointee.sqlite3_extended_result_codes(database, value)
}
@discardableResult
func sqlite3_busy_timeout(_ database: OpaquePointer?, _ value: Int32) -> Int32 {
  libsqlite.pointee.sqlite3_busy_timeout(database, value)
}
@discardableResult
func sqlite3_limit(_ database: OpaquePointer?, _ limit: Int32, _ value: Int32) -> Int32 {
  libsqlite.pointee.sqlite3_limit(database, limit, value)
}
@discardableResult
func sqlite3_bind_null(_ handle: OpaquePointer?, _ parameter: Int32) -> Int32 {
  libsqlite.pointee.sqlite3_bind_null(handle, parameter)
}
@discardableResult
func sqlite3_exec(
  _ database: OpaquePointer?, _ sql: UnsafePointer<CChar>?,
  _ callback: (
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32
  )?, _ context: UnsafeMutableRawPointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  libsqlite.pointee.sqlite3_exec(database, sql, callback, context, message)
}
