internal import CSeif
internal import CTSS2
internal import Glibc
internal import SeifVault

/// The TPM's libraries, loaded when the first vault needs them.
enum LibTSS2 {
  private nonisolated(unsafe) static let table: UnsafePointer<seif_tss2>? = seif_load_tss2(
    "libtss2-esys.so.0", "libtss2-tctildr.so.0", "libtss2-mu.so.0")

  static func loaded() throws(VaultError) -> UnsafePointer<seif_tss2> {
    guard let table else {
      throw VaultError(.deviceMissing, "the libraries libtss2-esys and libtss2-mu aren't installed")
    }
    return table
  }
}

/// The TPM's libraries write what they think of an answer to standard error, from which only variables would keep them.
enum QuietErrors {
  /// - Parameter isOn: off where other threads write there meanwhile.
  static func run<Result: ~Copyable, Failure: Error>(
    _ isOn: Bool, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard isOn else { return try body() }
    let kept = seif_duplicate(2)
    let none = seif_open("/dev/null", O_WRONLY | O_CLOEXEC, 0)
    if kept >= 0, none >= 0 { dup2(none, 2) }
    defer {
      if kept >= 0 {
        if none >= 0 { dup2(kept, 2) }
        close(kept)
      }
      if none >= 0 { close(none) }
    }
    return try body()
  }
}
