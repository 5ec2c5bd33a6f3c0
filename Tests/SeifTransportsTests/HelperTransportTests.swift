import SeifBackups
import SeifBytes
import Testing

@testable import SeifTransports

/// What the process without the network and the one that has it say to each other.
@Suite struct HelperTransportTests {
  private let programs = ProgramFolder()

  private var settings: TransportSettings {
    TransportSettings(
      name: "na\u{ef}ve \"nas\"", kind: "folder", values: ["path": programs.folder("backups"), "x": "\n"],
      secrets: ["password": SecretValue([0, 10, 255])], createsConditionally: true)
  }

  private var registry: TransportRegistry { TransportRegistry(LocalTransports.kinds) }

  private func answer(_ request: HelperRequest) throws -> HelperAnswer {
    let message = try #require(TransportHelper.answer(request.message, registry))
    return try #require(HelperAnswer(message))
  }

  @Test func aRequestIsReadAsItWasWritten() throws {
    let request = HelperRequest(
      .upload, subject: "n\u{e9}\t\n", limit: 7, settings: settings, content: SecretValue([0, 10, 13, 255]))
    let read = try #require(HelperRequest(request.message))
    #expect(read.verb == .upload && read.subject == request.subject && read.limit == 7)
    #expect(read.content == request.content)
    #expect(read.settings.name == settings.name && read.settings.kind == "folder")
    #expect(read.settings.values == settings.values && read.settings.secrets == settings.secrets)
    #expect(read.settings.createsConditionally)
  }

  @Test(arguments: ["", "{}", "{}\n", "[]\n", "{\"verb\":\"list\"}\n", "{\"verb\":\"list\",\"verb\":\"list\"}\n", "\n"])
  func whatIsNoRequestGetsNoAnswer(_ text: String) {
    #expect(TransportHelper.answer(SecretValue(utf8: text), registry) == nil)
  }

  @Test func aFileGoesThereAndComesBack() throws {
    let content = SecretValue((0..<3_000).map { UInt8(truncatingIfNeeded: $0) })
    guard case .description(let facts) = try answer(HelperRequest(.describe, settings: settings)) else {
      Issue.record("no description")
      return
    }
    #expect(facts.id == "folder" && facts.createsConditionally && !facts.requiresAuthentication)
    guard
      case .files(let stored) = try answer(
        HelperRequest(.upload, subject: "a", settings: settings, content: content))
    else {
      Issue.record("nothing was stored")
      return
    }
    #expect(stored.map(\.name) == ["a"])
    guard case .files(let listed) = try answer(HelperRequest(.list, settings: settings)) else {
      Issue.record("no list")
      return
    }
    #expect(listed.map(\.name) == ["a"] && listed.map(\.byteCount) == [3_000])
    guard
      case .content(let back) = try answer(
        HelperRequest(.download, subject: stored[0].id, limit: 3_000, settings: settings))
    else {
      Issue.record("no file")
      return
    }
    #expect(back == content)
    guard case .done = try answer(HelperRequest(.delete, subject: stored[0].id, settings: settings)) else {
      Issue.record("not deleted")
      return
    }
  }

  @Test func failuresKeepTheirCode() throws {
    for (request, code) in [
      (HelperRequest(.download, subject: "none", limit: 10, settings: settings), TransportError.Code.notFound),
      (HelperRequest(.list, settings: TransportSettings(name: "n", kind: "gopher")), .badSettings),
    ] {
      guard case .failed(let error) = try answer(request) else {
        Issue.record("no failure")
        continue
      }
      #expect(error.code == code)
    }
    for code in TransportError.Code.allCases {
      let failed = HelperAnswer.failed(TransportError(code, place: "p\n", reason: "r"))
      guard case .failed(let error) = HelperAnswer(failed.message) else {
        Issue.record("\(code)")
        continue
      }
      #expect(error.code == code && error.place == "p\n" && error.reason == "r")
    }
  }

  @Test(.timeLimit(.minutes(15))) func aProgramThatIsNotWantedAnyMoreIsEnded() throws {
    let script = try programs.add("slow", "#!/bin/sh\nexec sleep 600\n")
    #expect(throws: TransportError(.unavailable, place: "")) {
      let start = ContinuousClock.now
      _ = try HelperTransport(program: script, word: "w", settings: settings) {
        ContinuousClock.now - start < .seconds(1)
      }
    }
  }

  @Test func aProgramThatSaysSomethingElseIsABadAnswer() throws {
    let script = try programs.add("other", "#!/bin/sh\ncat >/dev/null; echo hello\n")
    #expect(throws: TransportError(.badAnswer, place: "")) {
      _ = try HelperTransport(program: script, word: "w", settings: settings) { true }
    }
  }
}
