internal import Glibc
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// A list of otpauth URIs into an empty vault that is already unlocked, and the list of what is in it.
struct VaultBench {
  let folder: String

  private var location: VaultLocation { VaultLocation(folder: folder, stateFolder: folder) }

  func importing(_ count: Int) throws {
    let file = SecretValue(utf8: uris(count))
    let vault = try Vault.create(
      at: location, passphrase: SecretBytes(copying: SeifBench.passphrase), recoveryCode: RecoveryCode.make(),
      cost: .minimum)
    // Until it is closed: SQLite moves a long journal into the file at the end of the transaction, a short one when the
    // file is closed, and the two sizes would be compared with and without that.
    print(
      "import",
      try measureSeconds {
        try take(file, count, into: vault)
        vault.lock()
      })
    let rows = try BareRows(readingVault: location.file)
    print("inserts", try rows.secondsToInsert(into: folder + "/bare.sqlite3"))
  }

  func list(rounds: Int) throws {
    let lengths = try BareRows(readingVault: location.file).summaryByteCounts
    let vault = try Vault.open(at: location, access: .readOnly)
      .unlock(passphrase: SecretBytes(copying: SeifBench.passphrase))
    for _ in 0..<rounds {
      var summaries: [EntrySummary] = []
      print("list", try measureSeconds { summaries = try vault.summaries() })
      guard summaries.count == lengths.count else { throw BenchFailure(what: "list") }
      print("gcm", try BareGCM.secondsToOpen(byteCounts: lengths))
    }
    vault.lock()
  }

  /// What `seif import` does with a file and an unlocked vault.
  private func take(_ file: SecretValue, _ count: Int, into vault: Vault) throws {
    let backup = try FormatRegistry.read(FormatInput(file)).open(passphrase: nil)
    let plan = MergePlan(
      existing: try vault.entries().map { ($0.id, $0.entry) }, existingUnusable: try vault.records().unusable,
      incoming: backup.records)
    let added = try vault.apply(plan.items.map { .add($0.entry) })
    guard added.count == count else { throw BenchFailure(what: "import") }
  }

  private func uris(_ count: Int) -> String {
    var text = ""
    for index in 0..<count {
      let secret = Digest.sha256(Array("secret \(index)".utf8).span.bytes).prefix(20)
      let base32 = Base32.encode(SecretValue(Array(secret))).exposedText() ?? ""
      text +=
        "otpauth://totp/Service%20\(index):person\(index)@example.com?secret=\(base32)&issuer=Service%20\(index)\n"
    }
    return text
  }
}
