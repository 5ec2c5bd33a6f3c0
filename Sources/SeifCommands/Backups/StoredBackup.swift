internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats

/// A backup that was fetched from a destination and opened.
struct StoredBackup {
  var name: String
  var opened: OpenedBackup
  /// Of the whole file.
  var sha256: [UInt8]
  var byteCount: Int
  /// What the ledger says of these very bytes; nil: nothing, so that their age is only a claim.
  var proof: LedgerEvent?
  /// Whether a newer one was proven at the destination, which doesn't have it any more.
  var isOlder = false
  /// Whether files that claim to be newer couldn't be fetched or opened.
  var hasDoubt = false
}

/// Finds and opens the backup to restore or to drill.
struct BackupFinder {
  let destination: DestinationOptions
  let transport: any BackupTransport
  /// The destination's name in the ledger.
  let place: String
  let history: LedgerHistory
  let opening: OpeningOptions
  let context: Context

  /// The file of a name, or the newest: proven before opened, opened before claimed.
  func find(_ name: String?) throws(CommandFailure) -> StoredBackup {
    if let name { return try named(name) }
    let proven: RestoreSource.Proven
    do throws(TransportError) {
      proven = try RestoreSource.proven(history, at: place, over: transport)
    } catch {
      throw failure(error)
    }
    for line in Self.words(proven) { context.talk.warn(line) }
    if let (proof, content) = proven.found {
      var stored = try open(content, proof.name, proof)
      stored.isOlder = !proven.lost.isEmpty
      return stored
    }
    return try newestOpened()
  }

  private func named(_ name: String) throws(CommandFailure) -> StoredBackup {
    let files = try listed().filter { $0.name.utf8.elementsEqual(name.utf8) }
    guard let file = files.first else {
      throw CommandFailure(
        .notFound, "there is no \(name) at \(destination.name)",
        hint: "seif backup list --destination \(destination.name)")
    }
    guard files.count == 1 else { throw failure(TransportError(.ambiguous, place: name)) }
    let content = try fetch(file)
    let digest = content.withBytes { Digest.sha256($0) }
    let proof = history.file(at: place, named: name)?.proof
    if let proof, proof.sha256 != digest { context.talk.warn(BackupWords.loss(name, .altered)) }
    return try open(content, name, proof?.sha256 == digest ? proof : nil)
  }

  // No proof leads to one: the newest names are opened, and what stands sealed in them decides.
  private func newestOpened() throws(CommandFailure) -> StoredBackup {
    let files = RestoreSource.claimed(try listed())
    guard !files.isEmpty else {
      throw CommandFailure(.notFound, "there is no backup at \(destination.name)", hint: "Give another --destination.")
    }
    var candidates = BackupCandidates(opening: opening, context: context)
    for file in files where candidates.count < RestoreSource.openedAtMost {
      do throws(CommandFailure) {
        let content = try fetch(file)
        if let header = try header(content, file.name) {
          candidates.add(
            header, file.name, sha256: content.withBytes { Digest.sha256($0) }, byteCount: content.byteCount)
        } else {
          // What is no backup of any format takes no backup's place.
          context.talk.warn("\(file.name) is empty, incomplete or no backup")
          candidates.pass(over: nil)
        }
      } catch {
        guard error.exitCode != .interrupted else { throw error }
        context.talk.warn("\(file.name): \(error.what)")
        candidates.pass(over: error)
      }
    }
    guard let best = try candidates.newest() else {
      throw CommandFailure(
        candidates.failure?.exitCode ?? .notFound, "none of the newest files at \(destination.name) opens",
        hint: "Name one: seif backup list --destination \(destination.name)")
    }
    return best
  }

  private func open(
    _ content: SecretValue, _ name: String, _ proof: LedgerEvent?
  ) throws(CommandFailure) -> StoredBackup {
    guard let header = try header(content, name) else {
      throw CommandFailure(.badInput, "\(name) is empty, incomplete or no backup")
    }
    return StoredBackup(
      name: name, opened: try BackupOpening.open(header, shown: name, opening, context),
      sha256: content.withBytes { Digest.sha256($0) }, byteCount: content.byteCount, proof: proof)
  }

  /// Nil: it is no backup of any format.
  private func header(_ content: SecretValue, _ name: String) throws(CommandFailure) -> (any BackupFile)? {
    do throws(FormatError) {
      return try FormatRegistry.read(FormatInput(content), options: opening.reading)
    } catch {
      if case .unknownFormat = error { return nil }
      throw CommandFailure(error, file: name)
    }
  }

  private func listed() throws(CommandFailure) -> [BackupDescriptor] {
    do throws(TransportError) { return try transport.listBackups() } catch { throw failure(error) }
  }

  private func fetch(_ file: BackupDescriptor) throws(CommandFailure) -> SecretValue {
    do throws(TransportError) {
      return try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: TransportError) -> CommandFailure {
    CommandFailure(CommandFailure.code(error), "\(destination.name): \(error)")
  }

  /// What a destination has lost of what was proven there, newest first.
  static func words(_ proven: RestoreSource.Proven) -> [String] {
    var lines = proven.lost.map { BackupWords.loss($0.name, $0.state) }
    if proven.found != nil, !lines.isEmpty {
      lines.append("what this destination has now is older than what was proven there")
    }
    return lines
  }
}

/// A passphrase that was given once and is tried on each of several files.
struct KeptPassphrase {
  let options: OpeningOptions
  private(set) var given: SecretValue?

  init(options: OpeningOptions) { self.options = options }

  mutating func open(
    _ file: any BackupFile, _ name: String, _ context: Context
  ) throws(CommandFailure) -> OpenedBackup {
    guard let given else {
      // Kept whether it opens this one or not: a script's can be read once, and another file may open with it.
      return try BackupOpening.open(file, shown: name, options, context) { passphrase in
        given = passphrase.withBytes { SecretValue(copying: $0) }
      }
    }
    do throws(FormatError) {
      return try file.openTryingForms(passphrase: SecretBytes(copying: given))
    } catch {
      throw CommandFailure(error, file: name)
    }
  }
}
