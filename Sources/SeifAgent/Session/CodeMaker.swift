package import SeifBytes
package import SeifOTP
package import SeifRecords
package import SeifVault

/// The one-time code of an entry, the same whether the agent makes it or the command.
package enum CodeMaker {
  /// The code of an entry at a moment; a counter is stored before its code is made.
  ///
  /// - Parameter next: the code after the present one.
  package static func code(
    of id: UUID, in vault: Vault, at time: Timestamp, next: Bool
  ) throws(VaultUseError) -> OneTimeCode {
    let entry = try vaultCall { () throws(VaultError) in try vault.entry(id).entry }
    func timed(_ otp: OTPParameters) throws(VaultUseError) -> OneTimeCode {
      try make(otp, next ? Timestamp(seconds: time.seconds + Int64(otp.period ?? 30)) : time)
    }
    switch entry {
    case .account(let account):
      guard case .hotp = account.otp.kind else { return try timed(account.otp) }
      if next { throw .agent(AgentRefusal(.countsOnly)) }
      let shown = try vaultCall { () throws(VaultError) in try vault.advanceCounter(id) }
      return try make(shown.otp, time)
    case .password(let login) where !login.totp.isEmpty:
      guard let uri = try? KeyURI(parsing: login.totp) else {
        throw .agent(AgentRefusal(.badCode, "the login's Key URI can't be read"))
      }
      // Only accounts have a counter that is kept: this one stays where the login's URI has it.
      if next, case .hotp = uri.parameters.kind { throw .agent(AgentRefusal(.countsOnly)) }
      return try timed(uri.parameters)
    case .otherAccount(let other):
      let step: Int64 = other.type == "motp" ? 10 : 30
      guard let code = OtherCodes.code(other, at: next ? Timestamp(seconds: time.seconds + step) : time) else {
        throw .agent(AgentRefusal(.badCode, "codes of the kind \(other.type) can't be computed here"))
      }
      return code
    default: throw .agent(AgentRefusal(.noCode))
    }
  }

  private static func make(_ otp: OTPParameters, _ time: Timestamp) throws(VaultUseError) -> OneTimeCode {
    do throws(OTPError) {
      return try OneTimePassword.code(otp, at: time)
    } catch {
      throw .agent(AgentRefusal(.badCode, "\(error)"))
    }
  }
}

/// Codes of accounts of other kinds.
package enum OtherCodes {
  /// The code of an mOTP or Yandex account that has a PIN; nil for any other.
  package static func code(_ entry: OtherAccount, at time: Timestamp) -> OneTimeCode? {
    guard let text = entry.secret, let pin = entry.pin else { return nil }
    guard let secret = try? text.withBytes({ (bytes) throws(EncodingError) in try Base32.decodeLeniently(bytes) })
    else { return nil }
    switch entry.type {
    case "motp": return try? OneTimePassword.motp(secretText: secret, pin: pin, at: time)
    case "yandex": return try? OneTimePassword.yandex(secret: secret, pin: pin, at: time)
    default: return nil
    }
  }
}
