internal import SeifBytes
internal import SeifCrypto
public import SeifFormats
internal import SeifRecords

/// Snapshots of vaults as a format of backups: the database itself, opened by the passphrase or the recovery code of the
/// vault that it was made of (docs/formats/vault.md, "Snapshots").
public struct SnapshotFormat: BackupFormat {
  /// What their names end in.
  public static let fileExtension = "seifvault"
  /// The name and version in ledgers.
  public static let ledgerName = "\(FormatIdentifier.seifvault.rawValue)-1"

  public let identifier = FormatIdentifier.seifvault
  public let displayName = "Seif vault snapshot"

  /// The format.
  public init() {}

  public func recognizes(_ input: FormatInput) -> Bool {
    let bytes = input.bytes
    guard bytes.byteCount >= 100 else { return false }
    return bytes.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        bytes.starts(with: Array("SQLite format 3\u{0}".utf8)) && bytes[68..<72].elementsEqual("Seif".utf8)
      }
    }
  }

  public func readHeader(_ input: FormatInput, options: ReadingOptions) throws(FormatError) -> any BackupFile {
    guard recognizes(input) else { throw .otherFormat }
    guard input.bytes.byteCount <= VaultSnapshot.byteLimit else { throw .badHeader(field: "length", .length) }
    let isWhole = input.bytes.withBytes { bytes in bytes.withUnsafeBytes { $0[18] == 1 && $0[19] == 1 } }
    // A vault's own file goes with a log that isn't here: it alone could be an older state.
    guard isWhole else { throw .badHeader(field: "journal", .contradiction) }
    // EXPOSE: a sealed file.
    let bytes = input.bytes.exposedBytes()
    do throws(VaultError) {
      return SnapshotFile(bytes: bytes, header: try Self.facts(try LockedVault(snapshot: bytes)))
    } catch {
      throw SnapshotFile.failure(error)
    }
  }

  private static func facts(_ locked: borrowing LockedVault) throws(VaultError) -> HeaderFacts {
    let ways = locked.waysIn
    var derivation: HeaderFacts.KeyDerivation?
    var refusal: VaultError?
    for way in ways where way.kind == .passphrase {
      do throws(VaultError) {
        guard let cost = try PassphraseProvider.cost(of: way) else { continue }
        if case .argon2id(let other) = derivation, other.memoryKiB * other.passes <= cost.memoryKiB * cost.passes {
          continue
        }
        derivation = .argon2id(cost)
      } catch {
        refusal = error
      }
    }
    if derivation == nil, ways.contains(where: { $0.kind == .recovery }) {
      derivation = .pbkdf2(rounds: RecoveryProvider.rounds)
    }
    guard let derivation else { throw refusal ?? VaultError(.noSuchWayIn, "passphrase or recovery") }
    var facts = HeaderFacts(
      format: .seifvault, version: 1, variant: nil, keyDerivation: derivation, isHeaderBound: true,
      readableFields: [
        "identifier of the vault", "when it was made", "ways in", "identifiers, order and number of entries",
      ])
    // The vault tries the forms itself.
    facts.takesPassphraseAsTyped = true
    return facts
  }
}

/// A snapshot whose outside has been read.
struct SnapshotFile: BackupFile {
  let bytes: [UInt8]
  let header: HeaderFacts

  func open(passphrase: borrowing SecretBytes?) throws(FormatError) -> OpenedBackup {
    switch passphrase {
    case .none: throw .passphraseRequired
    case .some(let passphrase):
      do throws(VaultError) {
        let vault = try unlocked(passphrase)
        defer { vault.lock() }
        return try contents(of: vault)
      } catch {
        throw Self.failure(error)
      }
    }
  }

  /// A recovery code is taken where a passphrase is asked for: who needs a backup may have nothing else.
  private func unlocked(_ given: borrowing SecretBytes) throws(VaultError) -> Vault {
    let refusal: VaultError
    do throws(VaultError) {
      return try LockedVault(snapshot: bytes).unlock(passphrase: given)
    } catch {
      guard [.wrongPassphrase, .noSuchWayIn].contains(error.code) else { throw error }
      refusal = error
    }
    guard let code = try? RecoveryCode.normalise(given) else { throw refusal }
    return try LockedVault(snapshot: bytes).unlock(recoveryCode: code)
  }

  private func contents(of vault: Vault) throws(VaultError) -> OpenedBackup {
    let faults = try vault.verify()
    let records = try vault.records()
    let damage = vault.damage
    let ledger = try? vault.ledger()
    // It doesn't say when it was made; it can't be older than what stands in it.
    let times = (ledger ?? []).map(\.at) + ((try? vault.entries()) ?? []).map(\.updatedAt)
    let link = try? vault.lastBackupLink()
    var seen = Set<String>()
    return OpenedBackup(
      header: header, exportedAt: times.max(), records: records,
      problems: (faults + damage).map { "\($0)" }.filter { seen.insert($0).inserted }
        .map { EntryProblem(list: "seif", reason: $0) },
      link: link.flatMap { $0.sequence > 0 ? $0 : nil }, body: .empty)
  }

  static func failure(_ error: VaultError) -> FormatError {
    switch error.code {
    case .wrongPassphrase, .malformedRecoveryCode: .cannotOpen
    case .noSuchWayIn: .badHeader(field: "ways in", .missing)
    case .costRefused: .badHeader(field: "ways in", .contradiction)
    case .newerVersion, .olderVersion: .unsupportedVersion(nil)
    case .outOfMemory: .cryptography(.outOfMemory)
    case .libraryMissing: .cryptography(.libraryMissing("libargon2", package: "libargon2-1"))
    case .busy: .badBody("it takes work without end")
    case .notAVault: .otherFormat
    default: .badBody("the database is damaged")
    }
  }
}
