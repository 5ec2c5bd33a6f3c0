internal import CSeif
internal import SeifBytes
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// The one-time code of an entry.
struct EntryCode {
  private let stored: StoredEntry
  private let query: String
  private let isNext: Bool
  private let clock: ClockOptions

  /// - Parameters:
  ///   - query: what was asked for, for messages.
  ///   - isNext: the code after the present one.
  init(_ stored: StoredEntry, query: String, isNext: Bool, clock: ClockOptions) {
    self.stored = stored
    self.query = query
    self.isNext = isNext
    self.clock = clock
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

  /// The code. A counter is stored before its code is given.
  func code(_ vault: Vault, _ folder: String, _ context: Context) throws(CommandFailure) -> OneTimeCode {
    var time = Timestamp(seconds: clock.clock(context).now())
    if let timed = try timed() {
      warnOfClock(context)
      if isNext { time = Timestamp(seconds: time.seconds + Int64(period)) }
      return try timed(time)
    }
    if isNext {
      throw CommandFailure(
        .usage, "this account counts, so its next code is that of the next call", hint: "Leave out --next.")
    }
    if case .password(let login) = stored.entry, let uri = try? KeyURI(parsing: login.totp) {
      // Only accounts have a counter that is kept: this one stays where the login's URI has it.
      return try Self.code(uri.parameters, at: time)
    }
    let shown = try withVaultErrors(folder) { () throws(VaultError) in try vault.advanceCounter(stored.id) }
    return try Self.code(shown.otp, at: time)
  }

  /// Seconds from one code to the next.
  private var period: Int {
    switch stored.entry {
    case .account(let account): account.otp.period ?? 30
    case .password(let login): (try? KeyURI(parsing: login.totp))?.parameters.period ?? 30
    case .otherAccount(let other): other.type == "motp" ? 10 : 30
    default: 30
    }
  }

  func warnOfClock(_ context: Context) {
    if clock.at == nil, seif_clock_unsynchronised() == 1 {
      context.talk.say(.warn, "the kernel says that the clock isn't synchronised; codes may be refused")
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
