public import SeifBackups
internal import SeifBytes

/// What every transport must do, found out at the place itself. Leaves nothing behind unless the place doesn't delete.
public enum TransportConformance {
  /// How much is tried.
  public enum Extent: Sendable {
    /// What a person waits for: a few files of up to 1 MB.
    case short
    /// All: up to 16 MB, over 1,000 files.
    case full
  }

  /// What a check found, in words; never contents of files that aren't the check's own.
  public struct Finding: Error, Sendable, Equatable, CustomStringConvertible {
    /// What isn't as it must be.
    public var description: String

    init(_ description: String) { self.description = description }
  }

  /// One rule.
  public struct Check: Sendable, CustomStringConvertible {
    /// The rule, as a sentence.
    public let rule: String
    let run: @Sendable (borrowing Trial) throws -> Void

    init(_ rule: String, _ run: @escaping @Sendable (borrowing Trial) throws -> Void) {
      self.rule = rule
      self.run = run
    }

    public var description: String { rule }

    /// Tries it at a place.
    ///
    /// - Throws: `Finding`; `TransportError` where the place failed otherwise.
    public func run(_ transport: any BackupTransport) throws {
      let trial = Trial(transport)
      defer { trial.removeAll() }
      try run(trial)
    }
  }

  /// The rules, in the order in which they are tried.
  public static func checks(_ extent: Extent) -> [Check] {
    contents(extent) + names + absences + listings(extent) + writers
  }
}

/// A place, and the files that a check made there.
struct Trial: ~Copyable {
  let transport: any BackupTransport
  // No backup of anybody: the names begin so in every check, and hold random letters.
  private let stem: String
  private let made = MadeFiles()

  init(_ transport: any BackupTransport) {
    self.transport = transport
    var random = SystemRandomNumberGenerator()
    stem = "seif-test-" + String(random.next() as UInt64, radix: 36)
  }

  /// A name of this check.
  func name(_ end: String) -> String { "\(stem)-\(end)" }

  /// Stores, and remembers to remove.
  func store(_ content: SecretValue, _ name: String) throws(TransportError) -> BackupDescriptor {
    let stored = try transport.upload(content, name: name)
    made.add(stored.id)
    return stored
  }

  func remember(_ id: String) { made.add(id) }

  /// The files of this check that the place lists.
  func listed() throws(TransportError) -> [BackupDescriptor] {
    try transport.listBackups().filter { $0.name.hasPrefix(stem) }
  }

  func delete(_ id: String) throws(TransportError) {
    try transport.delete(id: id)
    made.forget(id)
  }

  func removeAll() {
    for id in made.all { try? transport.delete(id: id) }
    for file in (try? listed()) ?? [] { try? transport.delete(id: file.id) }
  }

  /// What a call is refused with, nil: it isn't.
  static func refusal(_ body: () throws(TransportError) -> Void) -> TransportError? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }
}

/// The identifiers of files that have to go in the end.
private final class MadeFiles {
  private(set) var all: [String] = []
  func add(_ id: String) { all.append(id) }
  func forget(_ id: String) { all.removeAll { $0 == id } }
}
