internal import CSeif
internal import Glibc
internal import SeifBackups
internal import SeifBytes

/// A program run to its end within a time, with its input given and its output taken.
enum ProgramRun {
  /// How it went.
  struct Outcome {
    enum End { case exited(Int32), timedOut, tooLong }
    var end: End
    var output: [UInt8] = []
    /// The last line of its messages.
    var message = ""
    /// Whether it read all of its input.
    var tookAll = false
  }

  /// - Parameters:
  ///   - limit: most bytes that it may write; one byte more ends it.
  ///   - seconds: after them it is ended.
  ///   - isWanted: asked ten times a second; once it is false the program is ended, as if its time were over.
  static func run(
    _ path: String, _ words: [String], input: SecretValue = .empty, limit: Int, seconds: Int,
    isWanted: () -> Bool = { true }
  ) throws(PipedProgram.Failure) -> Outcome {
    let program = try PipedProgram(path, [path] + words, environment: ProgramEnvironment.pairs)
    let deadline = seif_milliseconds_since_boot() + Int64(seconds) * 1_000
    let holding = limit < .max ? limit + 1 : limit
    var sent = 0
    if input.isEmpty { program.closeInput() }
    func outcome(_ end: Outcome.End) -> Outcome {
      Outcome(
        end: end, output: program.take(limit), message: program.lastMessage, tookAll: sent == input.byteCount)
    }
    while true {
      let hadEnded = program.hasEnded
      let isIdle = input.withBytes { (bytes: RawSpan) -> Bool in
        let round = bytes.withUnsafeBytes {
          program.pump(UnsafeRawBufferPointer(rebasing: $0[sent...]), holding: holding, until: deadline)
        }
        sent += round.sent
        return round.isIdle
      }
      if sent == input.byteCount || program.isInputBroken { program.closeInput() }
      if program.available > limit {
        program.end()
        return outcome(.tooLong)
      }
      if program.isSilent, sent == input.byteCount || program.isInputBroken { break }
      // What it started may hold its streams on: when it has ended, what is in the pipes is all.
      if isIdle, hadEnded { break }
      if seif_milliseconds_since_boot() >= deadline || !isWanted() {
        program.end()
        return outcome(.timedOut)
      }
    }
    while !program.hasEnded, seif_milliseconds_since_boot() < deadline { usleep(1_000) }
    guard program.hasEnded else {
      program.end()
      return outcome(.timedOut)
    }
    let status = program.end()
    return outcome(.exited(status))
  }
}

/// Names of files and identifiers, as they are handed to other programs and servers: matched, never cleaned.
enum PlainName {
  /// Whether a text is one name of a file: 1 to 255 bytes, no slash, no control character, neither `.` nor `..`, and not
  /// the name of a file that is being written.
  static func isName(_ text: String) -> Bool {
    isIdentifier(text) && text.utf8.count <= 255 && text != "." && text != ".." && !text.utf8.contains(0x2F)
      && !TemporaryName.matches(text)
  }

  /// Whether a text can stand in a line: 1 to 1,024 bytes, no control character.
  static func isIdentifier(_ text: String) -> Bool {
    (1...1_024).contains(text.utf8.count) && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
  }

  static func refusal(_ place: String) -> TransportError {
    TransportError(.notFound, place: place, reason: "not a name of a file")
  }
}
