private import Glibc
internal import SeifBytes
internal import SeifCrypto

/// Seals and opens the values of one table, each bound to its row, column and revision.
///
/// The key schedule, the additional data's buffer and a supply of random bytes are kept between calls: an import seals
/// three hundred thousand values.
final class TableSealer {
  private let cipher: AES256GCM
  private let prefix: [UInt8]
  private let random: RandomSource
  private var spare: [UInt8] = []
  private var supply: [UInt8] = []

  init(table: String, key: borrowing SecretBytes, random: RandomSource) throws(VaultError) {
    do throws(CryptoError) {
      cipher = try AES256GCM(key: key)
    } catch {
      throw VaultError(.outOfMemory)
    }
    prefix = Array("seif-row:1:\(table):".utf8)
    self.random = random
  }

  /// `nonce ‖ ciphertext ‖ tag`.
  func seal(_ plaintext: RawSpan, row: UUID, column: String, revision: Int64) throws(VaultError) -> [UInt8] {
    let nonce = makeNonce()
    let aad = context(row, column, revision)
    defer { spare = aad }
    do throws(CryptoError) {
      return try cipher.sealCombined(plaintext, nonce: nonce, aad: aad.span.bytes)
    } catch {
      throw VaultError(.internalFailure, "sealing")
    }
  }

  func seal(_ plaintext: SecretValue, row: UUID, column: String, revision: Int64) throws(VaultError) -> [UInt8] {
    try plaintext.withBytes { (bytes) throws(VaultError) in
      try seal(bytes, row: row, column: column, revision: revision)
    }
  }

  /// The plaintext, or `damaged` if the value isn't one that was sealed for exactly this place.
  func open(_ sealed: RawSpan, row: UUID, column: String, revision: Int64) throws(VaultError) -> SecretValue {
    let aad = context(row, column, revision)
    defer { spare = aad }
    do throws(CryptoError) {
      return try cipher.openCombined(sealed, aad: aad.span.bytes)
    } catch {
      throw VaultError(.damaged, "\(column) of a row doesn't open at its place")
    }
  }

  /// Opens one column of many rows.
  func opener(_ column: String) -> ColumnOpener { ColumnOpener(sealer: self, prefix: prefix, column: column) }

  fileprivate func open(
    _ sealed: RawSpan, aad: [UInt8], into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) -> Int {
    try cipher.openCombined(sealed, aad: aad.span.bytes, into: output)
  }

  // The buffer is taken out while it is filled: as a property, each append would be checked for exclusive access.
  private func context(_ row: UUID, _ column: String, _ revision: Int64) -> [UInt8] {
    var aad = spare
    spare = []
    aad.removeAll(keepingCapacity: true)
    aad.append(contentsOf: prefix)
    row.appendText(to: &aad)
    aad.append(UInt8(ascii: ":"))
    aad.append(contentsOf: column.utf8)
    aad.append(UInt8(ascii: ":"))
    if (0..<10).contains(revision) {
      aad.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: revision))
    } else {
      aad.append(contentsOf: String(revision).utf8)
    }
    return aad
  }

  private func makeNonce() -> [UInt8] {
    if supply.isEmpty { supply = random.makeBytes(AES256GCM.nonceByteCount * 64) }
    let nonce = Array(supply.suffix(AES256GCM.nonceByteCount))
    supply.removeLast(AES256GCM.nonceByteCount)
    return nonce
  }
}

/// Opens one column of row after row into one buffer, wiped in the end: only the identifier and the revision change in
/// the additional data.
struct ColumnOpener: ~Copyable {
  private let sealer: TableSealer
  private let column: String
  private let idOffset: Int
  private let revisionOffset: Int
  private var revision: Int64 = 0
  private var aad: [UInt8]
  private var output: UnsafeMutableRawBufferPointer

  fileprivate init(sealer: TableSealer, prefix: [UInt8], column: String) {
    self.sealer = sealer
    self.column = column
    idOffset = prefix.count
    aad = prefix + [UInt8](repeating: 0, count: UUID.characterCount) + Array(":\(column):".utf8)
    revisionOffset = aad.count
    output = .allocate(byteCount: 1024, alignment: 16)
  }

  deinit { Self.release(output) }

  private static func release(_ buffer: UnsafeMutableRawBufferPointer) {
    if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
    buffer.deallocate()
  }

  /// What `body` makes of the plaintext, or `damaged` if the value isn't one that was sealed for exactly this place.
  mutating func open<Result>(
    _ sealed: RawSpan, row: UUID, revision: Int64, _ body: (RawSpan) -> Result
  ) throws(VaultError) -> Result {
    if sealed.byteCount > output.count {
      Self.release(output)
      output = .allocate(byteCount: 2 * sealed.byteCount, alignment: 16)
    }
    if revision != self.revision {
      self.revision = revision
      aad.removeSubrange(revisionOffset...)
      aad.append(contentsOf: String(revision).utf8)
    }
    let idOffset = idOffset
    aad.withUnsafeMutableBufferPointer { row.write(to: UnsafeMutableBufferPointer(rebasing: $0[idOffset...])) }
    let byteCount: Int
    do throws(CryptoError) {
      byteCount = try sealer.open(sealed, aad: aad, into: output)
    } catch {
      throw VaultError(.damaged, "\(column) of a row doesn't open at its place")
    }
    return body(UnsafeRawBufferPointer(rebasing: output[..<byteCount]).bytes)
  }
}

extension UUID {
  /// Appends the 36 characters of the lower-case text.
  func appendText(to buffer: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.characterCount) { text in
      write(to: text)
      buffer.append(contentsOf: text)
    }
  }
}
