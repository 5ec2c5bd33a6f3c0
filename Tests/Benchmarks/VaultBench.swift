internal import Glibc
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// A list of otpauth URIs into an empty vault that is already unlocked, and the list of what is in it.
struct VaultBench {
  let folder: String
  let count: Int

  func run(rounds: Int) throws {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw BenchFailure(what: "mkdir") }
    let file = SecretValue(utf8: uris())
    for round in 1...rounds {
      let place = folder + "/" + (round == rounds ? "last" : "round-\(round)")
      let location = VaultLocation(folder: place, stateFolder: place)
      let vault = try Vault.create(
        at: location, passphrase: SecretBytes(copying: SeifBench.passphrase), recoveryCode: RecoveryCode.make(),
        cost: .minimum)
      print("import", try measureSeconds { try take(file, into: vault) })
      print(
        "list",
        try measureSeconds { guard try vault.summaries().count == count else { throw BenchFailure(what: "list") } })
      vault.lock()
      let rows = try BareRows(readingVault: location.file)
      print("inserts", try rows.secondsToInsert(into: place + "/bare.sqlite3"))
      print("gcm", try BareGCM.secondsToOpen(byteCounts: rows.summaryByteCounts))
    }
  }

  /// What `seif import` does with a file and an unlocked vault.
  private func take(_ file: SecretValue, into vault: Vault) throws {
    let backup = try FormatRegistry.read(FormatInput(file)).open(passphrase: nil)
    let plan = MergePlan(
      existing: try vault.entries().map { ($0.id, $0.entry) }, existingUnusable: try vault.records().unusable,
      incoming: backup.records)
    let added = try vault.apply(plan.items.map { .add($0.entry) })
    guard added.count == count else { throw BenchFailure(what: "import") }
  }

  private func uris() -> String {
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
