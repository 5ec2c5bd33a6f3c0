internal import SeifCommandLine
internal import CSeif
internal import SeifAgent
internal import SeifBytes
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// The one-time code of an entry over time, without the vault.
struct EntryCode {
  private let stored: StoredEntry
  private let query: String

  /// - Parameter query: what was asked for, for messages.
  init(_ stored: StoredEntry, query: String) {
    self.stored = stored
    self.query = query
  }

  /// What gives the code of a moment, without the vault; nil where codes count instead of following the clock.
  func timed() throws(CommandFailure) -> ((Timestamp) throws(CommandFailure) -> OneTimeCode)? {
    switch stored.entry {
    case .account(let account):
      if case .hotp = account.otp.kind { return nil }
      return { (time) throws(CommandFailure) in try Self.code(account.otp, at: time) }
    case .password(let login) where !login.totp.isEmpty:
      guard let uri = try? KeyURI(parsing: login.totp) else {
        throw CommandFailure(.badInput, "the login's one-time code can't be read")
      }
      if case .hotp = uri.parameters.kind { return nil }
      return { (time) throws(CommandFailure) in try Self.code(uri.parameters, at: time) }
    case .otherAccount(let other):
      return { (time) throws(CommandFailure) in
        guard let code = OtherCodes.code(other, at: time) else {
          throw CommandFailure(.badInput, "codes of the kind \(other.type) can't be computed here")
        }
        return code
      }
    default:
      throw CommandFailure(.notFound, "\"\(query)\" has no one-time code")
    }
  }

  private static func code(_ otp: OTPParameters, at time: Timestamp) throws(CommandFailure) -> OneTimeCode {
    do throws(OTPError) {
      return try OneTimePassword.code(otp, at: time)
    } catch {
      throw CommandFailure(.badInput, "there is no code for this entry: \(error)")
    }
  }
}

extension ClockOptions {
  /// Says if the kernel's clock can't be trusted for a code.
  func warnOfClock(_ context: Context) {
    if at == nil, seif_clock_unsynchronised() == 1 {
      context.talk.say(.warn, "the kernel says that the clock isn't synchronised; codes may be refused")
    }
  }
}
