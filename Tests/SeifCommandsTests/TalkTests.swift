import SeifCommandLine
import Testing

@testable import SeifCommands

/// What is said on stderr.
@Suite struct TalkTests {
  private func terminal(canRedraw: Bool) -> TerminalStyle {
    TerminalStyle(
      isTerminal: true, columns: 40, hasColour: false, isUTF8: true, isAccessible: false, canRedraw: canRedraw)
  }

  @Test func oneHintARunAndOnTerminalsOnly() throws {
    let world = try World(style: terminal(canRedraw: false))
    world.context.talk.hint("seif open FILE")
    world.context.talk.hint("seif list")
    #expect(world.errors == "Next: seif open FILE\n")
    let pipe = try World()
    pipe.context.talk.hint("seif open FILE")
    #expect(pipe.errors == "")
    let quiet = try World(style: terminal(canRedraw: false))
    quiet.context.talk.isQuiet = true
    quiet.context.talk.hint("seif open FILE")
    #expect(quiet.errors == "")
  }

  @Test func aNameCannotMoveTheCursor() throws {
    let world = try World()
    world.context.talk.say(.ok, "\u{1B}]0;title\u{7} written")
    #expect(world.errors == "✓ \u{FFFD}]0;title\u{FFFD} written\n")
  }

  @Test func failuresEndInOneFullStop() {
    #expect(CommandFailure(.busy, "busy").lines == ["seif: busy."])
    #expect(CommandFailure(.busy, "busy?", hint: "Wait.").lines == ["seif: busy? Wait."])
    #expect(CommandFailure(.busy, "", isSilent: true).lines == [])
  }

  @Test func progressBeginsAfterHalfASecondAndIsErased() throws {
    let world = try World(style: terminal(canRedraw: true))
    nonisolated(unsafe) var time: Int64 = 0
    let progress = Progress(world.context.talk, "sealing") { time }
    for now in [Int64(0), 100, 499] {
      time = now
      progress.update(done: 1, of: 4)
    }
    #expect(world.errors == "")
    for now in [Int64(500), 550, 599, 600] {
      time = now
      progress.update(done: 2, of: 4)
    }
    #expect(world.errors == "\r\u{1B}[Ksealing  50%  2/4\r\u{1B}[Ksealing  50%  2/4")
    time = 3000
    progress.update(done: 31 << 20, of: 50 << 20, isBytes: true)
    #expect(world.errors.hasSuffix("sealing  62%  31/50 MB  2 s left"))
    progress.finish()
    #expect(world.errors.hasSuffix("\r\u{1B}[K"))
  }

  @Test func elsewhereItIsALineEachTenSeconds() throws {
    let world = try World()
    nonisolated(unsafe) var time: Int64 = 0
    let progress = Progress(world.context.talk, "sealing") { time }
    for second in 0...25 {
      time = Int64(second) * 1000
      progress.update(done: second, of: 100)
    }
    progress.finish()
    #expect(world.errors == "sealing  10%  10/100  90 s left\nsealing  20%  20/100  80 s left\n")
  }

  @Test func aFastWorkAndAQuietOneSayNothing() throws {
    let world = try World(style: terminal(canRedraw: true))
    world.context.talk.isQuiet = true
    nonisolated(unsafe) var time: Int64 = 0
    let progress = Progress(world.context.talk, "sealing") { time }
    time = 60_000
    progress.update(done: 1, of: 2)
    progress.finish()
    #expect(world.errors == "")
  }

  @Test func binaryIsNotThrownAtATerminalUnlessAsked() throws {
    let world = try World(style: terminal(canRedraw: false))
    let bytes: [UInt8] = [0, 255, 10]
    let failure = #expect(throws: CommandFailure.self) {
      try Destination.write(bytes.span.bytes, to: nil, replacing: false, isBinary: true, world.context)
    }
    #expect(failure?.exitCode == .usage)
    #expect(world.output == "")
    try Destination.write(bytes.span.bytes, to: "-", replacing: false, isBinary: true, world.context)
    #expect(world.output.unicodeScalars.count == 3)
    let pipe = try World()
    try Destination.write(bytes.span.bytes, to: nil, replacing: false, isBinary: true, pipe.context)
    #expect(pipe.output.unicodeScalars.count == 3)
  }

  @Test func outputIsExactlyTheBytesHoweverLarge() throws {
    let world = try World()
    let piece = String(repeating: "ș", count: 33_333)
    for _ in 0..<7 { try world.context.output.write(piece) }
    try world.context.output.flush()
    #expect(world.output == String(repeating: piece, count: 7))
  }
}
