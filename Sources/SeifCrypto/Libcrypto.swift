internal import COpenSSL

/// OpenSSL's functions: `libcrypto.pointee.EVP_Digest(…)`.
///
/// The library is loaded when the first is called. At start-up it would cost every command, `--version` among them, half
/// of its time; those that need it lose nothing. A package that installs Seif has to name it, since `ldd` doesn't.
nonisolated(unsafe) let libcrypto: UnsafePointer<seif_libcrypto> = {
  // The name with the version of its interface, as the linker would note it: security updates keep both.
  let name = "libcrypto.so.3"
  guard let functions = unsafe seif_load_libcrypto(name) else { unsafe seif_end_for_want_of(name, "libssl3") }
  return unsafe functions
}()
