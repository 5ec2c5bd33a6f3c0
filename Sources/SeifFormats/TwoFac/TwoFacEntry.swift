internal import SeifBytes
internal import SeifCrypto

/// An entry of a file with its types checked; what is sealed isn't opened yet.
struct TwoFacEntry: Sendable {
  enum Content: Sendable {
    case uri(SecretValue)
    /// Both in hexadecimal, not decoded: one wrong entry costs no other.
    case sealed(salt: String, combined: String)
  }

  let content: Content
  /// The clear text beside what is sealed, not authenticated.
  let label: String?
  /// A colour that is known.
  let color: String?
  let hasUnknownColor: Bool
  let opaque: [OpaqueMember]
  /// The entry as it stands.
  let json: JSONValue

  static func read(_ list: JSONValue, named name: String, version: Int64) throws(FormatError) -> [TwoFacEntry] {
    var entries: [TwoFacEntry] = []
    for (index, value) in list.elements.enumerated() {
      entries.append(try TwoFacEntry(value, place: "\(name)[\(index)]", list: name, version: version))
    }
    return entries
  }

  private init(_ value: JSONValue, place: String, list: String, version: Int64) throws(FormatError) {
    json = value
    if list == "accounts" {
      guard let uri = value.secret else { throw .badHeader(field: place, .wrongType) }
      (content, label, color, hasUnknownColor, opaque) = (.uri(uri), nil, nil, false, [])
      return
    }
    guard value.kind == .object else { throw .badHeader(field: place, .wrongType) }
    let reader = HeaderReader(value, prefix: place + ".")
    if list == "plaintextAccounts" {
      content = .uri(try reader.secret("uri"))
      label = nil
    } else {
      label = try reader.string("accountLabel")
      content = .sealed(salt: try reader.string("salt"), combined: try reader.string("encryptedURI"))
    }
    var known = ["uri", "accountLabel", "salt", "encryptedURI"]
    var color: String?
    var isUnknown = false
    if version == 3, let value = value["color"] {
      known.append("color")
      guard value.kind == .string || value.kind == .null else { throw .badHeader(field: place + ".color", .wrongType) }
      color = value.string.flatMap { name in TwoFacFormat.colors.first { utf8Equal($0, name) } }
      isUnknown = value.kind == .string && color == nil
    }
    (self.color, hasUnknownColor) = (color, isUnknown)
    opaque = value.unknownMembers(besides: known)
  }

  /// Why an entry can't be used, in the words of its format.
  struct Fault: Error {
    let reason: String
  }

  /// The URI, opened with the first passkey that fits.
  func uri(passkeys: [SecretValue]) throws(Fault) -> SecretValue {
    switch content {
    case .uri(let uri): return uri
    case .sealed(let saltText, let combinedText):
      guard let salt = try? Base16.decode(saltText), salt.count == 16 else { throw Fault(reason: "salt") }
      guard let combined = try? Base16.decode(combinedText), combined.count > 28 else {
        throw Fault(reason: "encryptedURI")
      }
      for passkey in passkeys {
        guard
          let key = try? PBKDF2.deriveKey(
            passphrase: SecretBytes(copying: passkey), salt: salt, rounds: TwoFacFormat.rounds),
          let cipher = try? AES256GCM(key: key),
          let opened = unsafe try? cipher.openCombined(combined.span.bytes, aad: [UInt8]().span.bytes)
        else { continue }
        guard opened.isUTF8 else { throw Fault(reason: "sealed-not-utf8") }
        return opened
      }
      throw Fault(reason: TwoFacFormat.lockedReason)
    }
  }
}

extension SecretValue {
  /// Whether the bytes are UTF-8; nothing is copied.
  var isUTF8: Bool {
    withBytes { bytes in
      unsafe bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return true }
        let span = unsafe Span<UInt8>(
          _unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: buffer.count)
        return (try? UTF8Span(validating: span)) != nil
      }
    }
  }
}
