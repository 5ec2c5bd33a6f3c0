internal import Glibc
package import SeifBackups
package import SeifBytes

/// A transport that another process of ours has, for one that holds keys and no network: the settings go there over a
/// pipe, the keys stay.
package struct HelperTransport: BackupTransport {
  private let program: String
  private let word: String
  private let settings: TransportSettings
  private let isWanted: @Sendable () -> Bool
  private let facts: HelperAnswer.Description

  /// Most bytes of an answer beside a file.
  private static let lineLimit = 32 << 20
  /// Beyond the hour that a transfer may take by itself.
  private static let seconds = 3_900

  /// - Parameters:
  ///   - program: the whole path of our own program.
  ///   - word: the argument that makes it a helper.
  ///   - isWanted: once it is false, a call that is under way ends.
  /// - Throws: what the transport says of the settings; `unavailable` where the program can't be run.
  package init(
    program: String, word: String, settings: TransportSettings, isWanted: @escaping @Sendable () -> Bool
  ) throws(TransportError) {
    self.program = program
    self.word = word
    self.settings = settings
    self.isWanted = isWanted
    let request = HelperRequest(.describe, settings: settings)
    guard case .description(let facts) = try Self.call(request, program, word, isWanted) else {
      throw TransportError(.badAnswer, place: settings.name)
    }
    self.facts = facts
  }

  package var id: String { facts.id }
  package var displayName: String { facts.displayName }
  package var place: String { facts.place }
  package var requiresAuthentication: Bool { facts.requiresAuthentication }
  package var supportsAutomaticRestore: Bool { facts.supportsAutomaticRestore }
  package var fixedName: String? { facts.fixedName }
  package var createsConditionally: Bool { facts.createsConditionally }

  package func isAvailable() -> Bool { (try? checkWriting()) != nil }

  package func checkWriting() throws(TransportError) { try done(HelperRequest(.check, settings: settings)) }

  package func listBackups() throws(TransportError) -> [BackupDescriptor] {
    guard case .files(let files) = try call(HelperRequest(.list, settings: settings)) else { throw badAnswer }
    return files
  }

  package func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    let request = HelperRequest(.upload, subject: name, settings: settings, content: content)
    guard case .files(let files) = try call(request), let file = files.first, files.count == 1 else { throw badAnswer }
    return file
  }

  package func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    let request = HelperRequest(.download, subject: id, limit: max(0, limit), settings: settings)
    guard case .content(let content) = try call(request), content.byteCount <= limit else { throw badAnswer }
    return content
  }

  package func delete(id: String) throws(TransportError) {
    try done(HelperRequest(.delete, subject: id, settings: settings))
  }

  private var badAnswer: TransportError { TransportError(.badAnswer, place: facts.displayName) }

  private func done(_ request: HelperRequest) throws(TransportError) {
    guard case .done = try call(request) else { throw badAnswer }
  }

  private func call(_ request: HelperRequest) throws(TransportError) -> HelperAnswer {
    try Self.call(request, program, word, isWanted)
  }

  private static func call(
    _ request: HelperRequest, _ program: String, _ word: String, _ isWanted: () -> Bool
  ) throws(TransportError) -> HelperAnswer {
    func failure(_ code: TransportError.Code, _ reason: String) -> TransportError {
      TransportError(code, place: request.settings.name, reason: reason)
    }
    guard isWanted() else { throw failure(.unavailable, "the vault was locked meanwhile") }
    let outcome: ProgramRun.Outcome
    do throws(PipedProgram.Failure) {
      outcome = try ProgramRun.run(
        program, [word], input: request.message, limit: lineLimit + request.limit, seconds: seconds,
        isWanted: isWanted)
    } catch {
      throw failure(.unavailable, "\(program): \(String(cString: strerror(error.code)))")
    }
    guard isWanted() else { throw failure(.unavailable, "the vault was locked meanwhile") }
    switch outcome.end {
    case .timedOut: throw failure(.timedOut, outcome.message)
    case .tooLong: throw failure(.badAnswer, "more than it may say")
    case .exited(0): break
    case .exited: throw failure(.failed, outcome.message)
    }
    guard let answer = HelperAnswer(SecretValue(outcome.output)) else { throw failure(.badAnswer, "") }
    if case .failed(let error) = answer { throw error }
    return answer
  }
}

/// The other process: does one thing that was asked for and says how it went.
package enum TransportHelper {
  /// - Returns: the answer; nil where the request isn't one.
  package static func answer(_ message: SecretValue, _ registry: TransportRegistry) -> SecretValue? {
    guard let request = HelperRequest(message) else { return nil }
    let answer: HelperAnswer
    do throws(TransportError) {
      answer = try perform(request, registry.transport(request.settings))
    } catch {
      answer = .failed(error)
    }
    return answer.message
  }

  private static func perform(
    _ request: HelperRequest, _ transport: any BackupTransport
  ) throws(TransportError) -> HelperAnswer {
    switch request.verb {
    case .describe:
      return .description(
        HelperAnswer.Description(
          id: transport.id, displayName: transport.displayName, place: transport.place,
          fixedName: transport.fixedName, requiresAuthentication: transport.requiresAuthentication,
          supportsAutomaticRestore: transport.supportsAutomaticRestore,
          createsConditionally: transport.createsConditionally))
    case .check:
      try transport.checkWriting()
      return .done
    case .list: return .files(try transport.listBackups())
    case .upload: return .files([try transport.upload(request.content, name: request.subject)])
    case .download: return .content(try transport.download(id: request.subject, limit: request.limit))
    case .delete:
      try transport.delete(id: request.subject)
      return .done
    }
  }
}
