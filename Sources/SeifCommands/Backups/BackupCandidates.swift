internal import SeifCommandLine
internal import SeifBytes
internal import SeifBackups
internal import SeifFormats

/// Files of which one is the newest, and only what stands sealed in them says which: opened by one passphrase, which is
/// asked for again only for those that it doesn't open.
struct BackupCandidates {
  private static let tries = 3

  let opening: OpeningOptions
  let context: Context
  /// Why the last of those that can't be used can't.
  private(set) var failure: CommandFailure?
  /// How many can be tried.
  private(set) var count = 0

  private struct Candidate {
    var place: Int
    var name: String
    var file: any BackupFile
    var sha256: [UInt8]
    var byteCount: Int
  }
  private var left: [Candidate] = []
  private var places = 0
  /// The places of those that nobody knows the age of.
  private var unknown: [Int] = []
  private var firstOpened: Int?
  private var best: StoredBackup?

  init(opening: OpeningOptions, context: Context) {
    self.opening = opening
    self.context = context
  }

  /// A file, after those whose names claim to be newer.
  ///
  /// - Parameters:
  ///   - sha256: of the whole file.
  ///   - byteCount: of the whole file.
  mutating func add(_ file: any BackupFile, _ name: String, sha256: [UInt8], byteCount: Int) {
    left.append(Candidate(place: places, name: name, file: file, sha256: sha256, byteCount: byteCount))
    places += 1
    count += 1
  }

  /// A file that can't be tried.
  mutating func pass(over failure: CommandFailure?) {
    unknown.append(places)
    places += 1
    self.failure = failure ?? self.failure
  }

  /// The newest of those that open; nil: none does.
  mutating func newest() throws(CommandFailure) -> StoredBackup? {
    open(with: nil)
    for attempt in 1...Self.tries where isWorthAsking {
      guard let passphrase = try ask(attempt) else { break }
      open(with: passphrase)
      guard opening.passphrase == .person else { break }
      if best == nil, attempt < Self.tries, let first = left.first {
        context.talk.fail(CommandFailure(.cannotOpen, file: first.name))
      }
    }
    for candidate in left {
      let closed = CommandFailure(.cannotOpen, file: candidate.name)
      if best != nil || left.count > 1 { context.talk.warn("\(candidate.name): \(closed.what)") }
      unknown.append(candidate.place)
      failure = closed
    }
    guard var best else { return nil }
    best.hasDoubt = unknown.contains { place in firstOpened.map { place < $0 } ?? true }
    return best
  }

  // Of one that claims to be older than what is open already, nobody is asked again.
  private var isWorthAsking: Bool {
    left.contains { candidate in firstOpened.map { candidate.place < $0 } ?? true }
  }

  private func ask(_ attempt: Int) throws(CommandFailure) -> SecretValue? {
    guard let first = left.first else { return nil }
    guard best != nil else {
      return try opening.passphrase.read(for: first.name, context).withBytes { SecretValue(copying: $0) }
    }
    guard opening.passphrase == .person else { return nil }
    let given = try opening.passphrase.readAny(
      question: "\(first.name) doesn't open by that one. Another passphrase (Enter: leave it out)", context)
    return given.byteCount == 0 ? nil : given.withBytes { SecretValue(copying: $0) }
  }

  private mutating func open(with passphrase: SecretValue?) {
    var closed: [Candidate] = []
    for candidate in left {
      guard !candidate.file.header.isSealed || passphrase != nil else {
        closed.append(candidate)
        continue
      }
      do throws(FormatError) {
        take(try Self.opened(candidate.file, passphrase), candidate)
      } catch .cannotOpen {
        closed.append(candidate)
      } catch {
        let refusal = CommandFailure(error, file: candidate.name)
        context.talk.warn("\(candidate.name): \(refusal.what)")
        unknown.append(candidate.place)
        failure = refusal
      }
    }
    left = closed
  }

  private static func opened(
    _ file: any BackupFile, _ passphrase: SecretValue?
  ) throws(FormatError) -> OpenedBackup {
    guard let passphrase, file.header.isSealed else { return try file.open(passphrase: nil) }
    return try file.openTryingForms(passphrase: SecretBytes(copying: passphrase))
  }

  private mutating func take(_ opened: OpenedBackup, _ candidate: Candidate) {
    firstOpened = min(firstOpened ?? candidate.place, candidate.place)
    if let best, !RestoreSource.isNewer(opened, than: best.opened) { return }
    best = StoredBackup(
      name: candidate.name, opened: opened, sha256: candidate.sha256, byteCount: candidate.byteCount)
  }
}
