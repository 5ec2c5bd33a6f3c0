internal import Glibc
internal import SeifVault

/// What can be known of this machine's TPM 2.0 without a vault.
package enum TPMState: Sendable, Equatable {
  /// The kernel offers none.
  case none
  /// This user may not use it.
  case forbidden
  /// tpm2-tss isn't installed.
  case noLibraries
  /// It doesn't serve; why.
  case refuses(String)
  /// It serves this user.
  case usable(Lockout?)

  /// How a TPM walls off guessing, over all programs of the machine.
  package struct Lockout: Sendable, Equatable {
    /// Wrong authorisations that are counted now, and the number at which none is taken any more.
    package let failures, limit: Int
    /// Seconds without a wrong one after which the count goes down by one.
    package let interval: Int

    package init(failures: Int, limit: Int, interval: Int) {
      self.failures = failures
      self.limit = limit
      self.interval = interval
    }

    package var triesLeft: Int { max(0, limit - failures) }
  }

  /// Asks the TPM.
  ///
  /// - Parameters:
  ///   - address: as tpm2-tss takes it; nil: this machine's own.
  ///   - isQuiet: as of ``TPMProvider``.
  package init(address: String?, isQuiet: Bool) {
    if address == nil, access(TPM.device, F_OK) != 0 {
      self = .none
      return
    }
    if address == nil, access(TPM.device, R_OK | W_OK) != 0 {
      self = .forbidden
      return
    }
    guard (try? LibTSS2.loaded()) != nil else {
      self = .noLibraries
      return
    }
    do throws(VaultError) {
      self = .usable(try QuietErrors.run(isQuiet) { () throws(VaultError) in try TPM(address).lockout() })
    } catch {
      self = .refuses(error.detail)
    }
  }
}
