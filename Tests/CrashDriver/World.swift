import SeifCommandLine
import CSeif
import Glibc
import SeifBackups
import SeifBytes
import SeifCommands
import SeifCrypto
import SeifFormats
import SeifOTP
import SeifRecords
import SeifSQL
import SeifTransports
import SeifVault
import Synchronization

/// Something that isn't as it must be: its words name places, never values.
struct Violation: Error {
  let words: String
  init(_ words: String) { self.words = words }
}

/// The vault, the folder of backups and the written files under one root.
final class World {
  let root: String
  private let seed: UInt64
  private var vault: Vault?
  private static let now = Atomic<Int>(0)

  init(root: String, seed: UInt64) {
    self.root = root
    self.seed = seed
  }

  static var moment: @Sendable () -> Timestamp { { Plan.moment(now.load(ordering: .relaxed)) } }
  static func secret() -> SecretBytes { SecretBytes(copying: SecretValue(utf8: Plan.passphrase)) }

  func location(_ folder: String) -> VaultLocation {
    VaultLocation(folder: "\(root)/\(folder)", stateFolder: "\(root)/state")
  }

  func close() {
    vault?.lock()
    vault = nil
  }

  // MARK: - Doing

  private func opened() throws -> Vault {
    if let vault { return vault }
    let vault = try Vault.open(at: location("vault"), access: .readWrite, now: Self.moment).unlock(
      passphrase: Self.secret())
    self.vault = vault
    return vault
  }

  /// Does a step. What it throws is the product's own error, or a violation where a result is wrong.
  func perform(_ step: Step, number: Int, after model: Model) throws {
    Self.now.store(number, ordering: .relaxed)
    switch step {
    case .createVault:
      vault = try create("vault")
    case .reopen:
      close()
      _ = try opened()
    case .apply(let changes): try opened().apply(changes)
    case .restoreFromBin(let id): try opened().restoreFromBin([id])
    case .undo: try opened().undo()
    case .advanceCounter(let id):
      let shown = try opened().advanceCounter(id)
      guard let row = model.items.first(where: { $0.id == id }), case .account(let account) = row.entry,
        let stored = account.otp.counter, shown.otp.counter == stored - 1
      else { throw Violation("another counter was shown than the one before the stored one") }
    case .purge: try opened().purgeBin()
    case .appendToLedger(let entry): try opened().appendToLedger(entry)
    case .nextBackupLink:
      let link = try opened().nextBackupLink()
      guard link.sequence == model.link.sequence, link.previous == model.link.previous else {
        throw Violation("the place in the chain of backups is \(link.sequence) instead of \(model.link.sequence)")
      }
    case .recordBackup(let sequence, let sha256): try opened().recordBackup(sequence: sequence, sha256: sha256)
    case .upload(let name, let bytes, let unnamed):
      Calls.allowUnnamed(unnamed)
      defer { Calls.allowUnnamed(true) }
      _ = try FolderTransport(path: root + "/backups").upload(SecretValue(bytes), name: name)
    case .uploadFile(let name, let bytes):
      guard let transport = FileTransport(path: "\(root)/backups/\(name)") else { throw Violation("no transport") }
      _ = try transport.upload(SecretValue(bytes), name: "ignored")
    case .deleteBackup(let name): try FolderTransport(path: root + "/backups").delete(id: name)
    case .output(let name, let bytes, let replacing, let unnamed):
      var file = try OutputFile("\(root)/out/\(name)", replacing: replacing, allowsUnnamed: unnamed)
      let half = bytes.count / 2
      try file.write(bytes.span.bytes.extracting(0..<half))
      try file.write(bytes.span.bytes.extracting(half..<bytes.count))
      try file.commit()
    case .createSecond(let folder): try create(folder).lock()
    case .fillSecond(let entries): try withSecond(model, .current) { _ = try $0.add(entries) }
    case .migrateSecond: try withSecond(model, Drill.schema) { _ in }
    case .openSecond:
      try withSecond(model, model.second?.version == 2 ? Drill.schema : .current) { _ in }
    case .addWayIn(let text):
      let vault = try opened()
      try vault.addWayIn(try vault.makeWayIn(Self.provider(text)))
    case .changeWayIn(let text):
      let vault = try opened()
      try vault.addWayIn(try vault.makeWayIn(Self.provider(text)), replacing: try Self.added(vault))
    case .removeWayIn:
      let vault = try opened()
      try vault.removeWayIn(try Self.added(vault), passphrases: [])
    case .rotate:
      try rotate(try opened(), model)
      vault = nil
    }
    guard vault?.keepsCounter != false else { throw Violation("the highest counter wasn't kept") }
  }

  private static func provider(_ text: String) -> PassphraseProvider {
    PassphraseProvider(SecretBytes(copying: SecretValue(utf8: text)), cost: .forTests)
  }

  /// The passphrase that came last: the vault was made with the first.
  private static func added(_ vault: Vault) throws -> UUID {
    guard let way = try vault.waysIn().last(where: { $0.kind == .passphrase }) else {
      throw Violation("there is no passphrase")
    }
    return way.id
  }

  private func rotate(_ vault: Vault, _ model: Model) throws {
    let own = PassphraseProvider(Self.secret(), cost: .forTests)
    let providers = [own] + (model.passphrase.map { [Self.provider($0)] } ?? [])
    let presented = zip(try vault.waysIn().filter { $0.kind == .passphrase }, providers).map {
      PresentedWayIn(id: $0.id, provider: $1)
    }
    try vault.rotate(presented: presented, recoveryCode: RecoveryCode.make()) { (candidate, _) throws(VaultError) in
      try Vault.open(at: candidate, access: .readOnly).unlock(with: own).lock()
    }
  }

  /// Whether the ways in are those of a model. Which passphrase it is costs a derivation, so it is tried where it changed.
  private func waysFit(_ ways: [WayIn], _ model: Model, triesPassphrase: Bool) -> Bool {
    let count = model.passphrase == nil ? 1 : 2
    guard ways.count == count + 1, ways.count(where: { $0.kind == .passphrase }) == count,
      ways.allSatisfy({ $0.generation == model.generation })
    else { return false }
    guard triesPassphrase, let text = model.passphrase else { return true }
    guard let locked = try? Vault.open(at: location("vault"), access: .readOnly),
      let vault = try? locked.unlock(with: Self.provider(text))
    else { return false }
    vault.lock()
    return true
  }

  private func create(_ folder: String) throws -> Vault {
    try Vault.create(
      at: location(folder), passphrase: Self.secret(), recoveryCode: RecoveryCode.make(), cost: .forTests,
      now: Self.moment)
  }

  private func withSecond(_ model: Model, _ schema: VaultSchema, _ body: (Vault) throws -> Void) throws {
    guard let second = model.second else { return }
    let vault = try Vault.open(at: location(second.folder), access: .readWrite, schema: schema)
      .unlock(passphrase: Self.secret())
    defer { vault.lock() }
    try body(vault)
  }

  // MARK: - Looking

  /// Which of two models the disk holds: 0 or 1.
  ///
  /// - Parameters:
  ///   - afterPowerLoss: the mark of the highest counter may be lower.
  ///   - lookingAtSecond: whether the second vault is opened too; without a step on it, only a power cut could harm it.
  /// - Throws: a violation if neither.
  func find(_ before: Model, _ after: Model, afterPowerLoss: Bool, lookingAtSecond: Bool = true) throws -> Int {
    close()
    defer { close() }
    let found = [
      try look(at: before, after, "vault") { try vaultIndex(before, after, afterPowerLoss: afterPowerLoss) },
      try look(at: before, after, "backups") { try filesIndex("backups", before.backups, after.backups) },
      try look(at: before, after, "output") { try filesIndex("out", before.outputs, after.outputs) },
      try look(at: before, after, "second") { lookingAtSecond ? try secondIndex(before, after) : [0, 1] },
    ].reduce(Set([0, 1])) { $0.intersection($1) }
    // A step that changes nothing is as good as done.
    guard let index = found.max() else { throw Violation("parts of a step are there, others not") }
    return index
  }

  private func look(
    at before: Model, _ after: Model, _ part: String, _ body: () throws -> Set<Int>
  ) throws -> Set<Int> {
    do {
      let fits = try body()
      guard !fits.isEmpty else { throw Violation("neither as before nor as after") }
      return fits
    } catch let violation as Violation {
      throw Violation("\(part): \(violation.words)")
    } catch {
      throw Violation("\(part): \(error)")
    }
  }

  private func vaultIndex(_ before: Model, _ after: Model, afterPowerLoss: Bool) throws -> Set<Int> {
    guard access("\(root)/vault/vault.db", F_OK) == 0 else {
      guard before.counter == nil else { throw Violation("the vault is gone") }
      return after.counter == nil ? [0, 1] : [0]
    }
    if !afterPowerLoss, let counter = before.counter {
      let mark = names("state").compactMap { contents("state/" + $0) }.map { String(decoding: $0, as: UTF8.self) }
        .compactMap { Int64($0.dropLast()) }.max()
      guard let mark, mark >= counter else { throw Violation("the highest counter was forgotten") }
    }
    let vault = try opened()
    guard vault.openingFaults.isEmpty else { throw Violation("\(vault.openingFaults)") }
    let faults = try vault.verify()
    guard faults.isEmpty else { throw Violation("\(faults)") }
    let counter = try vault.counter()
    let entries = try vault.entries()
    let summaries = try vault.summaries()
    let bin = try vault.bin()
    let records = try vault.records()
    let tombstones = try vault.tombstones()
    let ledger = try vault.ledger().map(\.name)
    let ways = try vault.waysIn()
    close()
    guard names("vault") == ["vault.db"] else { throw Violation("files were left beside it: \(names("vault"))") }
    let haveChanged = before.passphrase != after.passphrase || before.generation != after.generation
    var reasons: [String] = []
    let fits = [before, after].enumerated().filter { index, model in
      let checks = [
        ("counter", model.counter == counter),
        (
          "entries",
          entries.map { [$0.id.description, "\($0.updatedAt.milliseconds)"] }
            == model.items.map { [$0.id.description, "\($0.at.milliseconds)"] }
        ),
        ("summaries", summaries.map(\.id) == model.items.map(\.id)),
        ("contents", entries.map(\.entry) == model.items.map(\.entry)),
        (
          "bin",
          bin.map(\.id) == model.bin.map(\.id) && bin.map(\.removedAt) == model.bin.map(\.at)
            && bin.map(\.entry) == model.bin.map(\.entry)
        ),
        ("unusable", records.unusable == model.unusable), ("opaque", records.opaque == model.opaque),
        ("tombstones", tombstones == model.tombstones),
        ("ways in", waysFit(ways, model, triesPassphrase: haveChanged)), ("ledger", ledger == model.ledger),
      ]
      reasons.append(checks.filter { !$0.1 }.map(\.0).joined(separator: ","))
      return checks.allSatisfy(\.1)
    }
    guard !fits.isEmpty else {
      throw Violation(
        "counter \(counter), before \(before.counter ?? 0), after \(after.counter ?? 0); other: \(reasons)")
    }
    return Set(fits.map(\.offset))
  }

  private func filesIndex(_ folder: String, _ before: [String: [UInt8]], _ after: [String: [UInt8]]) throws -> Set<Int>
  {
    // A killed process can leave what it wrote under a temporary name where files without a name aren't used.
    let found = names(folder).filter { !($0.hasPrefix(".seif-") && $0.hasSuffix(".part")) }
    let fits = [before, after].enumerated().filter { _, files in
      files.keys.sorted() == found && files.allSatisfy { contents("\(folder)/\($0)") == $1 }
    }
    guard !fits.isEmpty else {
      let wrong = found.filter { name in
        let bytes = contents("\(folder)/\(name)")
        return bytes != before[name] && bytes != after[name]
      }
      throw Violation(
        "\(found.count) files, before \(before.count), after \(after.count), not whole: \(wrong)")
    }
    return Set(fits.map(\.offset))
  }

  private func secondIndex(_ before: Model, _ after: Model) throws -> Set<Int> {
    var fits: Set<Int> = []
    for (index, model) in [before, after].enumerated() {
      // A new one takes the place of the old one in the model; the old one is left where it is.
      if before.second?.folder != after.second?.folder, index == 0, let new = after.second,
        access("\(root)/\(new.folder)/vault.db", F_OK) == 0
      {
        continue
      }
      guard let second = model.second else {
        fits.insert(index)
        continue
      }
      if try holds(second) { fits.insert(index) }
    }
    if before.second?.folder == after.second?.folder, let second = after.second { try finish(second) }
    return fits
  }

  /// Whether the second vault is as a model says; what is kept of its older version must be whole.
  private func holds(_ second: Model.Second) throws -> Bool {
    let file = "\(root)/\(second.folder)/vault.db"
    guard access(file, F_OK) == 0 else { return false }
    let version = try Connection(path: file, mode: .readWrite).userVersion()
    let kept = file + ".version-1"
    if access(kept, F_OK) == 0 {
      let old = try Connection(path: kept, mode: .readOnly)
      guard try old.userVersion() == 1, try old.integrityCheck() == [] else {
        throw Violation("the copy of the older version isn't whole")
      }
    }
    guard version == second.version else { return false }
    guard version == 1 else { return true }
    return try entries(second, .current) == second.entries
  }

  /// Opens the second vault as a person would: from whatever state, it must come out whole and up to date.
  private func finish(_ second: Model.Second) throws {
    let file = "\(root)/\(second.folder)/vault.db"
    guard second.version == 2, try Connection(path: file, mode: .readWrite).userVersion() == 2 else { return }
    let found = try entries(second, Drill.schema)
    guard found == second.entries else { throw Violation("entries of the second vault differ") }
    guard names(second.folder) == ["vault.db"] else {
      throw Violation("files were left beside the second vault: \(names(second.folder))")
    }
  }

  private func entries(_ second: Model.Second, _ schema: VaultSchema) throws -> [Entry] {
    let vault = try Vault.open(at: location(second.folder), access: .readWrite, schema: schema)
      .unlock(passphrase: Self.secret())
    defer { vault.lock() }
    guard vault.openingFaults.isEmpty, try vault.verify().isEmpty else { throw Violation("faults in the second vault") }
    return try vault.entries().map(\.entry)
  }

  // MARK: - Files

  func names(_ folder: String) -> [String] {
    guard let stream = opendir("\(root)/\(folder)") else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = String(cString: seif_entry_name(entry))
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private func contents(_ path: String) -> [UInt8]? {
    guard let file = fopen("\(root)/\(path)", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}

/// A made-up version 2 of the vault, for migrations.
enum Drill {
  static let table = VaultTable(
    name: "drill", columns: ["content", "id", "revision"],
    insert: "INSERT INTO drill (content, id, revision) VALUES (?1, ?2, ?3)",
    update: "UPDATE drill SET content = ?1, revision = ?3 WHERE id = ?2", delete: "DELETE FROM drill WHERE id = ?1",
    selectOne: "SELECT content, id, revision FROM drill WHERE id = ?1",
    selectAll: "SELECT content, id, revision FROM drill ORDER BY id", lastPosition: nil)
  static let definition: StaticString =
    "CREATE TABLE drill (id BLOB PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, content BLOB NOT NULL) STRICT"
  static let schema = VaultSchema(versions: [
    .first,
    VaultSchemaVersion(
      step: "drill",
      statements: [definition, "INSERT INTO drill (id, revision, content) SELECT id, 1, detail FROM item"],
      tables: VaultSchemaVersion.first.tables + [table],
      definitions: VaultSchemaVersion.first.definitions.merging(["drill": "\(definition)"]) { $1 }),
  ])
}
