internal import SeifBackups
package import SeifBytes

extension TransportConformance {
  // MARK: - Contents

  static func contents(_ extent: Extent) -> [Check] {
    let sizes = extent == .full ? [0, 1, 1023, 65_536, 65_537, 1_000_000, 16_000_000] : [0, 1, 65_537, 1_000_000]
    return [
      Check("any byte string comes back as it was") { (trial) in
        for size in sizes {
          let content = bytes(size)
          let name = trial.name("\(size).bin")
          let stored = try trial.store(content, name)
          guard stored.name == name else { throw Finding("\(name) is stored under the name \(stored.name)") }
          guard try trial.transport.download(id: stored.id, limit: max(size, 1)) == content else {
            throw Finding("\(size) bytes came back different")
          }
          guard let listed = try trial.listed().first(where: { $0.id == stored.id }) else {
            throw Finding("a file of \(size) bytes is stored and not listed")
          }
          if let count = listed.byteCount, count != size {
            throw Finding("a file of \(size) bytes is listed with \(count)")
          }
          try trial.delete(stored.id)
        }
      },
      Check("what is larger than the limit isn't taken") { (trial) in
        let stored = try trial.store(bytes(5000), trial.name("large"))
        let refusal = Trial.refusal { () throws(TransportError) in
          _ = try trial.transport.download(id: stored.id, limit: 4999)
        }
        guard refusal?.code == .tooLarge else {
          throw Finding("5000 bytes under a limit of 4999: \(refusal?.description ?? "taken")")
        }
      },
    ]
  }

  // MARK: - Names

  /// Characters that servers, shells and addresses give a meaning of their own.
  package static let oddNames = [
    "a b", "a+b", "a%20b", "a%2Fb", "a&b=c;d", "a#b?c", "a'b", "a\"b", "a(b)[c]{d}", "a~b!c$d^e`f", "a@b:c,d", "ä-ü-ß",
    "日本語", "a\u{301}", "-a", "a.", "a..b", "a\\b", "a|b<c>d*e", "👩‍👩‍👧",
  ]

  static let names: [Check] = [
    Check("a name with any character is one name, or refused") { (trial) in
      for odd in oddNames {
        let name = trial.name(odd)
        let content = SecretValue(utf8: "content of \(odd)")
        let stored: BackupDescriptor
        do throws(TransportError) {
          stored = try trial.store(content, name)
        } catch {
          // A place may have rules of its own; what it refuses must not be there afterwards.
          guard [.notFound, .failed, .badSettings, .noPermission, .badAnswer].contains(error.code) else { throw error }
          guard try !trial.listed().contains(where: { $0.name == name }) else {
            throw Finding("a name with \(odd) is refused and there all the same")
          }
          continue
        }
        guard try trial.listed().contains(where: { $0.name == name && $0.id == stored.id }) else {
          throw Finding("a name with \(odd) isn't listed as it was given")
        }
        guard try trial.transport.download(id: stored.id, limit: 1000) == content else {
          throw Finding("the file with \(odd) in its name has other bytes")
        }
        try trial.delete(stored.id)
      }
    },
    Check("a name that leads elsewhere is refused") { (trial) in
      for name in ["", ".", "..", "../x", "a/../../x", "/x", "a/b", "x\0y", "x\ny"] {
        guard let refusal = Trial.refusal({ () throws(TransportError) in _ = try trial.store(bytes(3), name) }) else {
          throw Finding("a file was stored under a name that leads elsewhere")
        }
        guard refusal.code == .notFound || refusal.code == .failed else { throw refusal }
      }
    },
  ]

  // MARK: - What isn't there

  static let absences: [Check] = [
    Check("what is missing is said to be missing") { (trial) in
      // An identifier of the place's own kind, of a file that is gone.
      let stored = try trial.store(bytes(10), trial.name("gone"))
      try trial.delete(stored.id)
      let fetched = Trial.refusal { () throws(TransportError) in
        _ = try trial.transport.download(id: stored.id, limit: 100)
      }
      guard fetched?.code == .notFound else {
        throw Finding("fetching a missing file: \(fetched?.description ?? "it comes")")
      }
      let deleted = Trial.refusal { () throws(TransportError) in try trial.transport.delete(id: stored.id) }
      guard deleted?.code == .notFound else {
        throw Finding("deleting a missing file: \(deleted?.description ?? "done")")
      }
      guard try !trial.listed().contains(where: { $0.id == stored.id }) else {
        throw Finding("a deleted file is listed")
      }
    },
    Check("finding out whether one can write leaves nothing") { (trial) in
      let before = try Set(trial.transport.listBackups())
      guard trial.transport.isAvailable() else { throw Finding("it says that it isn't available") }
      try trial.transport.checkWriting()
      guard try Set(trial.transport.listBackups()).isSubset(of: before) else { throw Finding("something is left") }
    },
  ]

  // MARK: - Listings

  static func listings(_ extent: Extent) -> [Check] {
    let count = extent == .full ? 1_003 : 12
    return [
      Check("every file is listed, once") { (trial) in
        var expected = Set<String>()
        for index in 0..<count {
          let name = trial.name("page-\(index)")
          _ = try trial.store(bytes(index % 7), name)
          expected.insert(name)
        }
        let listed = try trial.listed().map(\.name)
        guard listed.count == count, Set(listed) == expected else {
          throw Finding("\(count) files are listed as \(listed.count)")
        }
      }
    ]
  }

  /// Bytes of every value, the same for the same size.
  package static func bytes(_ count: Int) -> SecretValue {
    var state: UInt32 = 0x2545_F491
    return SecretValue(
      (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return UInt8(truncatingIfNeeded: state)
      })
  }
}
