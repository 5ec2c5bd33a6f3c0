public import SeifBytes

/// The rows of a document vault's ways in, as `wraps.json` and `GET /key-wraps` have them.
public struct KeyWraps: Sendable {
  /// Rows that can be used or shown.
  public private(set) var rows: [KeyWrap] = []
  /// What is wrong with the others, by their position.
  public private(set) var faults: [(index: Int, error: DocumentFormatError)] = []

  /// Reads a list; a bad row costs no other.
  ///
  /// - Throws: `badRow("list")` for what is no list; `badRow("rows")` for more than a vault may have.
  public init(parsing text: SecretValue) throws(DocumentFormatError) {
    let policy = JSONPolicy(
      isStrict: true, maximumByteCount: 1 << 20, maximumDepth: 32, maximumValueCount: 10_000)
    guard let root = try? JSONDocument(parsing: text, policy: policy).root, root.kind == .array else {
      throw .badRow("list")
    }
    for (index, value) in root.elements.enumerated() {
      guard index < DocumentLimits.keyWrapCount else { throw .badRow("rows") }
      do throws(DocumentFormatError) { rows.append(try KeyWrap(value)) } catch { faults.append((index, error)) }
    }
  }

  /// The master key by a recovery code, and the row that it opened.
  ///
  /// - Throws: `cannotOpen` where no recovery row opens.
  public func open(
    with code: borrowing DocumentRecoveryCode
  ) throws(DocumentFormatError) -> OpenedKeyWrap {
    for row in rows {
      guard case .recovery(let salt) = row.kind else { continue }
      if let key = try? row.open(with: code.deriveKey(salt: salt)) {
        return OpenedKeyWrap(masterKey: key, row: row)
      }
    }
    throw .cannotOpen
  }

  /// The master key by a passkey's PRF result: the row with the credential that the ceremony returned, else every row of
  /// the kind.
  ///
  /// - Throws: `noKey`; `cannotOpen` where no row opens.
  public func open(
    prfOutput: borrowing SecretBytes, credentialID: [UInt8]
  ) throws(DocumentFormatError) -> OpenedKeyWrap {
    let key = try PasskeyKey.deriveKey(prfOutput: prfOutput)
    let named = rows.filter { $0.kind == .passkey(credentialID: credentialID) }
    let others = rows.filter { if case .passkey = $0.kind { !named.contains($0) } else { false } }
    for row in named + others {
      if let master = try? row.open(with: key) { return OpenedKeyWrap(masterKey: master, row: row) }
    }
    throw .cannotOpen
  }
}

/// A master key, and the row that gave it.
public struct OpenedKeyWrap: ~Copyable, Sendable {
  /// 32 bytes.
  public let masterKey: SecretBytes
  /// The row that opened.
  public let row: KeyWrap

  init(masterKey: consuming SecretBytes, row: KeyWrap) {
    self.masterKey = masterKey
    self.row = row
  }

  /// The key alone.
  public consuming func takeMasterKey() -> SecretBytes { masterKey }
}
