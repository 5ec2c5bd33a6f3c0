public import SeifBytes
private import SeifCrypto

/// Makes one-time codes. The time is an argument: nothing here reads a clock.
public enum OneTimePassword {
  /// The code of an account at a time; for HOTP that of the counter in its parameters, which don't move by it.
  ///
  /// - Throws: `time` before 1970.
  public static func code(_ parameters: OTPParameters, at time: Timestamp) throws(OTPError) -> OneTimeCode {
    let key = parameters.secret
    switch parameters.kind {
    case .totp(let period):
      let window = try TimeWindow(at: time, period: period)
      let text = try hotp(
        key: key, counter: window.index, algorithm: parameters.algorithm, digits: parameters.digits)
      return OneTimeCode(text: text, window: window)
    case .hotp(let counter):
      let text = try hotp(
        key: key, counter: UInt64(counter.magnitude), algorithm: parameters.algorithm, digits: parameters.digits)
      return OneTimeCode(text: text, window: nil)
    case .steam:
      let window = try TimeWindow(at: time, period: 30)
      return OneTimeCode(text: steam(key: key, counter: window.index), window: window)
    }
  }

  /// The code of a counter of eight bytes (RFC 4226 §5.3), `digits` characters from 0 to 9.
  ///
  /// Most callers want `code(_:at:)`. Beyond 9 digits the first is 0, 1 or 2: the truncated value has 31 bits.
  /// - Throws: `secret` for an empty key, `digits` outside 1 to 10.
  public static func hotp(
    key: SecretValue, counter: UInt64, algorithm: OTPAlgorithm = .sha1, digits: Int = 6
  ) throws(OTPError) -> String {
    guard !key.isEmpty else { throw .secret }
    guard (1...10).contains(digits) else { throw .digits }
    let digest = key.withBytes { mac(algorithm.function, key: $0, counter: counter) }
    var value = UInt32(truncatingIfNeeded: truncate(digest, byteCount: 4)) & 0x7FFF_FFFF
    var text = [UInt8](repeating: 0x30, count: digits)
    for position in text.indices.reversed() {
      text[position] += UInt8(value % 10)
      value /= 10
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Mobile-OTP: the first six hexadecimal digits of MD5(periods of 10 seconds in decimal ‖ secret ‖ PIN).
  ///
  /// - Parameters:
  ///   - secretText: the text as it enters the hash, mostly 16 hexadecimal digits whose case counts; not decoded.
  ///   - pin: UTF-8.
  /// - Throws: `secret` if empty or longer than 2560 bytes, `time` before 1970.
  public static func motp(
    secretText: SecretValue, pin: SecretValue, at time: Timestamp
  ) throws(OTPError) -> OneTimeCode {
    guard (1...OTPParameters.maximumSecretByteCount).contains(secretText.byteCount) else { throw .secret }
    let window = try TimeWindow(at: time, period: 10)
    var message = SecretBuffer()
    message.append(utf8: String(window.index))
    message.append(secretText)
    message.append(pin)
    let digest = message.withBytes { Digest.hash(.md5, $0) }
    return OneTimeCode(text: Base16.encode([UInt8](digest.prefix(3))), window: window)
  }

  /// Yandex: eight letters a-z for 30 seconds.
  ///
  /// The key is SHA-256(PIN ‖ secret), without its first byte where that is zero; of HMAC-SHA256 eight bytes at the
  /// dynamic offset, top bit cleared, modulo 26^8, most significant letter first.
  /// - Parameters:
  ///   - secret: 16 bytes, or longer, of which the first 16 count (an exported secret has 10 bytes of checks after them).
  ///   - pin: UTF-8.
  /// - Throws: `secret` below 16 bytes, `time` before 1970.
  public static func yandex(
    secret: SecretValue, pin: SecretValue, at time: Timestamp
  ) throws(OTPError) -> OneTimeCode {
    guard secret.byteCount >= 16 else { throw .secret }
    let window = try TimeWindow(at: time, period: 30)
    var material = SecretBuffer()
    material.append(pin)
    secret.withBytes { material.append($0.extracting(first: 16)) }
    let key = SecretValue(material.withBytes { Digest.sha256($0) })
    let digest = key.withBytes { key in
      let isShort = key.byte(at: 0) == 0
      return mac(.sha256, key: isShort ? key.extracting(droppingFirst: 1) : key, counter: window.index)
    }
    var value = truncate(digest, byteCount: 8) & 0x7FFF_FFFF_FFFF_FFFF
    var text = [UInt8](repeating: 0x61, count: 8)
    for position in text.indices.reversed() {
      text[position] += UInt8(value % 26)
      value /= 26
    }
    return OneTimeCode(text: String(decoding: text, as: UTF8.self), window: window)
  }

  private static let steamAlphabet = Array("23456789BCDFGHJKMNPQRTVWXY".utf8)

  /// Five characters of Steam's alphabet, least significant first.
  private static func steam(key: SecretValue, counter: UInt64) -> String {
    let digest = key.withBytes { mac(.sha1, key: $0, counter: counter) }
    var value = Int(truncate(digest, byteCount: 4) & 0x7FFF_FFFF)
    var text: [UInt8] = []
    for _ in 0..<5 {
      text.append(steamAlphabet[value % steamAlphabet.count])
      value /= steamAlphabet.count
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func mac(_ function: HashFunction, key: RawSpan, counter: UInt64) -> [UInt8] {
    var message = SecretBuffer(capacity: 16)
    message.appendBigEndian(counter, byteCount: 8)
    return message.withBytes { HMAC.code(function, key: key, message: $0) }
  }

  /// The big-endian number at the dynamic offset (RFC 4226 §5.3): the last four bits say where, at most 15, and the
  /// shortest digest has 20 bytes, so four fit; eight are taken of 32 only.
  private static func truncate(_ digest: [UInt8], byteCount: Int) -> UInt64 {
    let offset = Int((digest.last ?? 0) & 15)
    return digest[offset..<offset + byteCount].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
