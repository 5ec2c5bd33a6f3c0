package import SeifBytes
package import SeifRecords
package import SeifVault

/// What a client asks for. A vault is named by its absolute folder.
package enum AgentRequest: Sendable {
  /// What opens a vault. The secret beside it is the passphrase, the code, or a device's PIN, empty for none.
  package enum Way: UInt8, Sendable, CaseIterable {
    case passphrase = 1
    case recoveryCode = 2
    case tpm2 = 3
    case fido2 = 4
    case keyring = 5

    /// The kind of its rows.
    package var kind: WayIn.Kind {
      switch self {
      case .passphrase: .passphrase
      case .recoveryCode: .recovery
      case .tpm2: .tpm2
      case .fido2: .fido2
      case .keyring: .keyring
      }
    }

    /// Nil for a kind of another version.
    package init?(_ kind: WayIn.Kind) {
      guard let way = Self.allCases.first(where: { $0.kind == kind }) else { return nil }
      self = way
    }
  }

  /// The vaults that are open, and when each locks.
  case status
  /// Opens a vault; the secret comes in and nothing of it goes out again.
  case unlock(folder: String, stateFolder: String, Way, SecretValue, LockAfter?)
  /// Locks one vault or, with nil, all.
  case lock(folder: String?)
  /// What became of the backups.
  case ledger(folder: String)
  /// Nothing, of a vault that is open.
  case isOpen(folder: String)
  /// All summaries.
  case list(folder: String)
  /// The same for who only looks what names there are: no use that keeps the vault open, or that it locks after.
  case names(folder: String)
  /// The entries that a query fits best.
  case find(folder: String, query: String, onlyCodes: Bool)
  /// The code of the entry that a query fits.
  case code(folder: String, query: String, next: Bool, at: Int64)
  /// An entry with stand-ins for its secrets.
  case entry(folder: String, UUID)
  /// One secret of an entry.
  case reveal(folder: String, UUID, field: String)
  /// Changes, as one whole.
  case apply(folder: String, [VaultChange], expected: Int64?)
  /// Takes the last change back; with a step only if it is that one.
  case undo(folder: String, step: Int64?)
  /// What that would take back.
  case lastChange(folder: String)
  /// The bin, with stand-ins for secrets.
  case bin(folder: String)
  /// How many lie in the bin.
  case binnedCount(folder: String)
  /// Everything, secrets too, for a file.
  case records(folder: String, Purpose)

  /// Takes the entries of a file in, or says what that would do.
  case merge(folder: String, Records, ImportOptions)
  /// Looks at every value.
  case verify(folder: String)
  /// Takes a snapshot to the destinations that were approved for that, or to one of them.
  case backUp(folder: String, destination: String?, onlyIfChanged: Bool)

  /// What everything is asked for, as the person is told.
  package enum Purpose: UInt8, Sendable { case export = 1, backup = 2 }

  package var payload: SecretValue {
    var writer = WireWriter()
    switch self {
    case .status: writer.byte(1)
    case .unlock(let folder, let stateFolder, let way, let secret, let lockAfter):
      writer.byte(2)
      writer.text(folder)
      writer.text(stateFolder)
      writer.byte(way.rawValue)
      writer.secret(secret)
      writer.optional(lockAfter) { $0.number($1.wireNumber) }
    case .lock(let folder):
      writer.byte(3)
      writer.optional(folder) { $0.text($1) }
    case .list(let folder):
      writer.byte(4)
      writer.text(folder)
    case .names(let folder):
      writer.byte(17)
      writer.text(folder)
    case .find(let folder, let query, let onlyCodes):
      writer.byte(5)
      writer.text(folder)
      writer.text(query)
      writer.bool(onlyCodes)
    case .code(let folder, let query, let next, let at):
      writer.byte(6)
      writer.text(folder)
      writer.text(query)
      writer.bool(next)
      writer.number(at)
    case .entry(let folder, let id):
      writer.byte(7)
      writer.text(folder)
      writer.id(id)
    case .reveal(let folder, let id, let field):
      writer.byte(8)
      writer.text(folder)
      writer.id(id)
      writer.text(field)
    case .apply(let folder, let changes, let expected):
      writer.byte(9)
      writer.text(folder)
      writer.optional(expected) { $0.number($1) }
      writer.count(changes.count)
      for change in changes { writer.change(change) }
    case .undo(let folder, let step):
      writer.byte(10)
      writer.text(folder)
      writer.optional(step) { $0.number($1) }
    case .lastChange(let folder):
      writer.byte(19)
      writer.text(folder)
    case .bin(let folder):
      writer.byte(11)
      writer.text(folder)
    case .binnedCount(let folder):
      writer.byte(18)
      writer.text(folder)
    case .ledger(let folder):
      writer.byte(14)
      writer.text(folder)
    case .isOpen(let folder):
      writer.byte(13)
      writer.text(folder)
    case .merge(let folder, let records, let options):
      writer.byte(15)
      writer.text(folder)
      writer.bool(options.fromBin)
      writer.bool(options.deletedToo)
      writer.bool(options.isDryRun)
      writer.optional(options.restored) { writer, restored in
        writer.text(restored.destination)
        writer.text(restored.name)
        writer.secret(SecretValue(restored.sha256))
        writer.count(restored.byteCount)
      }
      writer.records(records)
    case .verify(let folder):
      writer.byte(16)
      writer.text(folder)
    case .backUp(let folder, let destination, let onlyIfChanged):
      writer.byte(20)
      writer.text(folder)
      writer.optional(destination) { $0.text($1) }
      writer.bool(onlyIfChanged)
    case .records(let folder, let purpose):
      writer.byte(12)
      writer.text(folder)
      writer.byte(purpose.rawValue)
    }
    return writer.finish()
  }

  package init(_ payload: SecretValue) throws(AgentRefusal) {
    var reader = WireReader(payload)
    self = try Self.read(&reader)
    try reader.end()
  }

  private static func read(_ reader: inout WireReader) throws(AgentRefusal) -> AgentRequest {
    let number = try reader.byte()
    switch number {
    case 1: return .status
    case 3: return .lock(folder: try reader.optional { (reader) throws(AgentRefusal) in try reader.folder() })
    default: break
    }
    let folder = try reader.folder()
    switch number {
    case 2:
      let stateFolder = try reader.folder()
      guard let way = Way(rawValue: try reader.byte()) else { throw AgentRefusal(.badMessage, "way") }
      let secret = try reader.secret()
      let lockAfter = try reader.optional { (reader) throws(AgentRefusal) in
        guard let value = LockAfter(wireNumber: try reader.number()) else { throw AgentRefusal(.badMessage, "time") }
        return value
      }
      return .unlock(folder: folder, stateFolder: stateFolder, way, secret, lockAfter)
    case 4: return .list(folder: folder)
    case 5: return .find(folder: folder, query: try reader.text(), onlyCodes: try reader.bool())
    case 6:
      let (query, next) = (try reader.text(), try reader.bool())
      return .code(folder: folder, query: query, next: next, at: try reader.number())
    case 7: return .entry(folder: folder, try reader.id())
    case 8:
      let id = try reader.id()
      return .reveal(folder: folder, id, field: try reader.text())
    case 9:
      let expected = try reader.optional { (reader) throws(AgentRefusal) in try reader.number() }
      let changes = try reader.list(leastByteCount: 5) { (reader) throws(AgentRefusal) in try reader.change() }
      return .apply(folder: folder, changes, expected: expected)
    case 10:
      return .undo(folder: folder, step: try reader.optional { (reader) throws(AgentRefusal) in try reader.number() })
    case 11: return .bin(folder: folder)
    case 12:
      guard let purpose = Purpose(rawValue: try reader.byte()) else { throw AgentRefusal(.badMessage, "purpose") }
      return .records(folder: folder, purpose)
    case 13: return .isOpen(folder: folder)
    case 14: return .ledger(folder: folder)
    case 15:
      var options = ImportOptions(
        fromBin: try reader.bool(), deletedToo: try reader.bool(), isDryRun: try reader.bool())
      options.restored = try reader.optional { (reader) throws(AgentRefusal) in try reader.restored() }
      return .merge(folder: folder, try reader.records(), options)
    case 16: return .verify(folder: folder)
    case 17: return .names(folder: folder)
    case 18: return .binnedCount(folder: folder)
    case 19: return .lastChange(folder: folder)
    case 20:
      let destination = try reader.optional { (reader) throws(AgentRefusal) in try reader.text() }
      return .backUp(folder: folder, destination: destination, onlyIfChanged: try reader.bool())
    default: throw AgentRefusal(.badMessage, "request")
    }
  }
}

extension WireReader {
  fileprivate mutating func restored() throws(AgentRefusal) -> RestoredBackup {
    let (destination, name) = (try text(), try text())
    // EXPOSE: the digest of a file that lies in the open.
    let sha256 = try secret().exposedBytes()
    guard destination.utf8.count <= 4096, name.utf8.count <= 4096, sha256.count == 32 else {
      throw AgentRefusal(.badMessage, "restored")
    }
    return RestoredBackup(destination: destination, name: name, sha256: sha256, byteCount: try count())
  }

  fileprivate mutating func folder() throws(AgentRefusal) -> String {
    let folder = try text()
    guard folder.utf8.first == UInt8(ascii: "/"), folder.utf8.count <= 4096, !folder.utf8.contains(0) else {
      throw AgentRefusal(.badMessage, "folder")
    }
    return folder
  }
}

/// When a vault locks by itself.
package enum LockAfter: Sendable, Equatable {
  /// As soon as the first command that uses it has ended, and after five minutes if none does.
  case use
  /// After so many seconds without use, 1 to a day.
  case seconds(Int64)

  /// Five minutes.
  package static let standard = LockAfter.seconds(standardSeconds)
  package static let standardSeconds: Int64 = 300
  package static let longest: Int64 = 86_400

  var wireNumber: Int64 {
    switch self {
    case .use: 0
    case .seconds(let seconds): seconds
    }
  }

  init?(wireNumber: Int64) {
    switch wireNumber {
    case 0: self = .use
    case 1...Self.longest: self = .seconds(wireNumber)
    default: return nil
    }
  }
}
