internal import SeifCrypto

/// What an authenticator signs (WebAuthn level 2 §6.1).
package struct AuthenticatorData: Sendable, Equatable {
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let userPresent = Flags(rawValue: 0x01)
    package static let userVerified = Flags(rawValue: 0x04)
    package static let backupEligible = Flags(rawValue: 0x08)
    package static let backedUp = Flags(rawValue: 0x10)
    package static let attested = Flags(rawValue: 0x40)
    package static let extensions = Flags(rawValue: 0x80)
  }

  package struct Attested: Sendable, Equatable {
    /// 1 to 1023 bytes.
    package var credentialID: [UInt8]
    /// An uncompressed point, 65 bytes, that is on the curve.
    package var publicKey: [UInt8]
  }

  package static let maximumByteCount = 4096

  package let flags: Flags
  package let signCount: UInt32
  package let attested: Attested?

  /// Reads it and checks for whom it is and that a person was there and verified.
  ///
  /// - Throws: the first check that failed.
  package init(_ bytes: [UInt8], for party: RelyingParty, attested isAttested: Bool) throws(WebAuthnError) {
    guard (37...Self.maximumByteCount).contains(bytes.count) else { throw .authenticatorData }
    guard Array(bytes[..<32]) == Digest.sha256(Array(party.id.utf8).span.bytes) else { throw .relyingParty }
    let flags = Flags(rawValue: bytes[32])
    guard flags.contains(.userPresent) else { throw .notPresent }
    guard flags.contains(.userVerified) else { throw .notVerified }
    guard !flags.contains(.backedUp) || flags.contains(.backupEligible) else { throw .backupFlags }
    guard flags.contains(.attested) == isAttested else { throw .authenticatorData }
    var position = 37
    if isAttested {
      let (attested, end) = try Self.attested(bytes, from: position)
      self.attested = attested
      position = end
    } else {
      attested = nil
    }
    if flags.contains(.extensions) {
      let (value, end): (CBORValue, Int)
      do throws(CBORError) {
        (value, end) = try CBORReader.readPrefix(bytes, from: position)
      } catch {
        throw .extensions
      }
      guard value.map != nil else { throw .extensions }
      position = end
    }
    guard position == bytes.count else { throw .authenticatorData }
    self.flags = flags
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func attested(
    _ bytes: [UInt8], from start: Int
  ) throws(WebAuthnError) -> (Attested, end: Int) {
    // 16 bytes say which model it is: nobody here asks.
    guard bytes.count >= start + 18 else { throw .authenticatorData }
    let length = Int(bytes[start + 16]) << 8 | Int(bytes[start + 17])
    let begin = start + 18
    guard (1...1023).contains(length), bytes.count - begin >= length else { throw .credentialID }
    let (value, end): (CBORValue, Int)
    do throws(CBORError) {
      (value, end) = try CBORReader.readPrefix(bytes, from: begin + length)
    } catch {
      throw .key
    }
    let key = try COSEKey.point(value)
    return (Attested(credentialID: Array(bytes[begin..<begin + length]), publicKey: key), end)
  }
}

/// Keys as authenticators write them (RFC 9053 §7.1), of the one kind that is taken.
package enum COSEKey {
  /// The uncompressed point of an ES256 key: kind EC2, curve P-256, both coordinates, nothing else.
  package static func point(_ value: CBORValue) throws(WebAuthnError) -> [UInt8] {
    guard let map = value.map, let kind = map[.integer(1)]?.integer else { throw .key }
    guard kind == 2, map[.integer(3)]?.integer == -7, map[.integer(-1)]?.integer == 1 else { throw .algorithm }
    guard map.keys.count == 5, let x = map[.integer(-2)]?.bytes, let y = map[.integer(-3)]?.bytes,
      x.count == 32, y.count == 32
    else { throw .key }
    let point = [4] + x + y
    do throws(ES256KeyError) { _ = try ES256PublicKey(uncompressed: point) } catch { throw .key }
    return point
  }
}
