package import SeifBytes
package import SeifCrypto
internal import SeifOTP

/// Codes of a second factor: by time, or out of a list.
package enum SecondFactor {
  /// The key that is sealed is good for this alone.
  static let purpose = "totp"
  package static let period: Int64 = 30
  package static let secretByteCount = 20

  /// What a person typed.
  package enum Typed: Sendable, Equatable {
    case totp(SecretValue)
    case signInCode(SecretValue)
  }

  /// Six digits, or sixteen characters of a sign-in code, whatever the spaces and hyphens; nil for all else.
  package static func typed(_ text: SecretValue) -> Typed? {
    guard text.byteCount <= 32 else { return nil }
    let kept = text.withBytes { bytes in
      var kept = SecretBuffer(capacity: 32)
      for offset in 0..<bytes.byteCount {
        let byte = bytes.byte(at: offset)
        if byte == 0x20 || byte == 0x2D { continue }
        kept.append((0x61...0x7A).contains(byte) ? byte - 0x20 : byte)
      }
      return kept.finish()
    }
    let isNumber = kept.withBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { (0x30...0x39).contains(bytes.byte(at: $0)) }
    }
    if isNumber, kept.byteCount == 6 { return .totp(kept) }
    return SignInCodes.isOne(kept) ? .signInCode(kept) : nil
  }

  /// The step, one of now's and its two neighbours', whose code it is; nil: of none.
  package static func step(_ code: SecretValue, secret: SecretValue, at now: Timestamp) -> Int64? {
    let present = now.seconds / period
    var found: Int64?
    // All three are computed, whichever fits.
    for step in [present, present - 1, present + 1] where step >= 0 {
      guard let made = try? OneTimePassword.hotp(key: secret, counter: UInt64(step)) else { continue }
      if SecretValue(utf8: made) == code, found == nil { found = step }
    }
    return found
  }

  /// The address that an authenticator reads from a QR code.
  package static func uri(secret: SecretValue, account: String, issuer: String) -> SecretValue {
    var text = SecretBuffer()
    text.append(utf8: "otpauth://totp/\(issuer):\(account)?secret=")
    text.append(Base32.encode(secret))
    text.append(utf8: "&issuer=\(issuer)&algorithm=SHA1&digits=6&period=\(period)")
    return text.finish()
  }
}

/// Codes that stand in for a second factor that is lost, each good once.
package enum SignInCodes {
  package static let count = 10
  /// 80 bits.
  package static let characterCount = 16
  private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

  package static func make(_ random: RandomSource) -> [SecretValue] {
    (0..<count).map { _ in
      let bytes = random.makeSecret(byteCount: characterCount)
      var code = SecretBuffer(capacity: characterCount)
      bytes.withBytes { bytes in
        // 256 is a multiple of 32.
        for offset in 0..<characterCount { code.append(alphabet[Int(bytes.byte(at: offset) & 31)]) }
      }
      return code.finish()
    }
  }

  /// In four groups, as it is shown.
  package static func grouped(_ code: SecretValue) -> SecretValue {
    var text = SecretBuffer(capacity: 20)
    code.withBytes { bytes in
      for offset in 0..<bytes.byteCount {
        if offset > 0, offset % 4 == 0 { text.append(0x2D) }
        text.append(bytes.byte(at: offset))
      }
    }
    return text.finish()
  }

  static func isOne(_ text: SecretValue) -> Bool {
    text.byteCount == characterCount
      && text.withBytes { bytes in (0..<bytes.byteCount).allSatisfy { alphabet.contains(bytes.byte(at: $0)) } }
  }

  /// As it is stored: bound to the account, so that two accounts' codes can't be compared.
  package static func hash(_ code: SecretValue, account: UUID) -> [UInt8] {
    var text = SecretBuffer()
    text.append(utf8: "seif sign-in code")
    text.append(account.bytes)
    text.append(code)
    return text.withBytes { Digest.sha256($0) }
  }
}

extension RawSpan {
  /// A byte inside its bounds.
  func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
