internal import Glibc
public import SeifBackups
public import SeifBytes

/// A place that a program of somebody else reaches: `PROGRAM [ARGUMENT] list|upload NAME SIZE|download ID|delete ID|check`
/// with bytes on stdin and stdout (docs/new-transport.md is the whole protocol).
public struct ExternalTransport: BackupTransport {
  /// The program's path.
  public let program: String
  /// What it is given before the verb; empty: nothing.
  public let argument: String
  /// After how many seconds a call is ended.
  public let timeout: Int
  /// Whether the program refuses a name that is taken.
  public let createsConditionally: Bool
  /// Asked while a program runs: once it is false, the program is ended as if its time were over.
  package var isWanted: @Sendable () -> Bool = { true }

  /// Most bytes of a listing.
  static let listingLimit = 16 << 20
  /// Most files of a listing.
  static let fileLimit = 100_000

  /// A program.
  ///
  /// - Parameters:
  ///   - program: its whole path.
  ///   - timeout: seconds, 1 to 86,400.
  /// - Throws: `TransportError` with code `badSettings`.
  public init(
    program: String, argument: String = "", timeout: Int = 300, createsConditionally: Bool = false
  ) throws(TransportError) {
    func refusal(_ field: String, _ words: String) -> TransportError {
      TransportError(.badSettings, place: program, reason: "\(field) \(words)", field: field)
    }
    guard program.hasPrefix("/"), PlainName.isIdentifier(program) else {
      throw refusal("program", "isn't a whole path")
    }
    guard argument.isEmpty || PlainName.isIdentifier(argument) else {
      throw refusal("argument", "is too long or holds a control character")
    }
    guard (1...86_400).contains(timeout) else { throw refusal("timeout", "isn't a number of seconds from 1 to 86400") }
    self.program = program
    self.argument = argument
    self.timeout = timeout
    self.createsConditionally = createsConditionally
  }

  public var id: String { "external" }
  public var displayName: String { argument.isEmpty ? program : "\(program) \(argument)" }
  /// What the program needs, it keeps itself.
  public var requiresAuthentication: Bool { false }
  public var supportsAutomaticRestore: Bool { true }
  public var fixedName: String? { nil }

  public func isAvailable() -> Bool { (try? checkWriting()) != nil }

  public func checkWriting() throws(TransportError) { _ = try call(["check"], place: displayName) }

  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    let output = try call(["list"], limit: Self.listingLimit, place: displayName)
    return try Self.listing(output, place: displayName)
  }

  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    guard PlainName.isName(name) else { throw PlainName.refusal(displayName) }
    let output = try call(["upload", name, String(content.byteCount)], input: content, place: name)
    guard let id = Self.identifier(output, name) else {
      throw TransportError(.badAnswer, place: name, reason: "more than one identifier of what was stored")
    }
    return BackupDescriptor(id: id, name: name, byteCount: content.byteCount)
  }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    guard PlainName.isIdentifier(id) else { throw PlainName.refusal(displayName) }
    return SecretValue(try call(["download", id], limit: limit, place: id))
  }

  public func delete(id: String) throws(TransportError) {
    guard PlainName.isIdentifier(id) else { throw PlainName.refusal(displayName) }
    _ = try call(["delete", id], place: id)
  }

  private func call(
    _ words: [String], input: SecretValue = .empty, limit: Int = 1 << 16, place: String
  ) throws(TransportError) -> [UInt8] {
    let outcome: ProgramRun.Outcome
    do throws(PipedProgram.Failure) {
      outcome = try ProgramRun.run(
        program, argument.isEmpty ? words : [argument] + words, input: input, limit: max(0, limit), seconds: timeout,
        isWanted: isWanted)
    } catch {
      throw Self.failure(starting: error.code, program)
    }
    switch outcome.end {
    case .timedOut: throw TransportError(.timedOut, place: place, reason: outcome.message)
    case .tooLong:
      throw words.first == "download"
        ? TransportError(.tooLarge, place: place)
        : TransportError(.badAnswer, place: place, reason: "the program writes without end")
    case .exited(0):
      guard outcome.tookAll else {
        throw TransportError(.incomplete, place: place, reason: "the program didn't read all of it")
      }
      return outcome.output
    case .exited(let status):
      throw Self.failure(status, words, outcome.message, place: place)
    }
  }

  private static func failure(starting code: Int32, _ program: String) -> TransportError {
    let reason = String(cString: strerror(code))
    switch code {
    // Also said of a script whose interpreter isn't there.
    case ENOENT, ENOTDIR: return TransportError(.unavailable, place: program, reason: "no such program")
    case EACCES, EPERM: return TransportError(.unavailable, place: program, reason: "it may not be run")
    default: return TransportError(.unavailable, place: program, reason: reason)
    }
  }

  private static func failure(
    _ status: Int32, _ words: [String], _ message: String, place: String
  ) -> TransportError {
    let isMoving = words.first == "upload" || words.first == "download"
    // 128 and more: a signal ended it, or a shell says so of what it ran.
    if status > 128 {
      let reason = message.isEmpty ? "the program was ended by signal \(status - 128)" : message
      return TransportError(isMoving ? .incomplete : .failed, place: place, reason: reason)
    }
    guard let code = codes[status] else {
      let reason = message.isEmpty ? "the program's exit status is \(status)" : "exit status \(status): \(message)"
      return TransportError(.failed, place: place, reason: reason)
    }
    return TransportError(code, place: place, reason: message)
  }

  /// What exit statuses say.
  static let codes: [Int32: TransportError.Code] = [
    64: .badSettings, 65: .badAnswer, 66: .notFound, 69: .unavailable, 73: .exists, 74: .failed, 75: .busy,
    76: .badAnswer, 77: .unauthorized, 78: .badSettings,
  ]
}
