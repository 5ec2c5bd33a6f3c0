import SeifCommandLine
import CSeif
import Glibc
import SeifBytes
import SeifProcesses
import Testing

@testable import SeifCommands

/// An output is there whole or not at all.
@Suite struct OutputFileTests {
  private func put(
    _ text: String, _ path: String, replacing: Bool = false, unnamed: Bool, committing: Bool = true
  ) throws(CommandFailure) {
    var file = try OutputFile(path, replacing: replacing, allowsUnnamed: unnamed)
    try file.write(Array(text.utf8).span.bytes)
    if committing { try file.commit() }
  }

  @Test(arguments: [true, false])
  func itIsPrivateAndWholeAndAlone(unnamed: Bool) throws {
    let folder = try TemporaryFolder()
    try put("contents", folder.path + "/out", unnamed: unnamed)
    #expect(try folder.read("out") == "contents")
    #expect(folder.names == ["out"])
    #expect(try #require(folder.status("out")).st_mode & 0o7777 == 0o600)
  }

  @Test(arguments: [true, false])
  func whatIsNotCommittedLeavesNothing(unnamed: Bool) throws {
    let folder = try TemporaryFolder()
    try put("contents", folder.path + "/out", unnamed: unnamed, committing: false)
    #expect(folder.names == [])
  }

  @Test(arguments: [true, false])
  func anExistingFileStaysWithoutForce(unnamed: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("old", as: "out")
    let failure = #expect(throws: CommandFailure.self) { try put("new", path, unnamed: unnamed) }
    #expect(failure?.exitCode == .cannotCreate)
    #expect(failure?.hint?.contains("--force") == true)
    #expect(try folder.read("out") == "old")
    #expect(folder.names == ["out"])
  }

  @Test(arguments: [true, false])
  func aFileThatComesUpMeanwhileStays(unnamed: Bool) throws {
    let folder = try TemporaryFolder()
    var file = try OutputFile(folder.path + "/out", replacing: false, allowsUnnamed: unnamed)
    try file.write(Array("new".utf8).span.bytes)
    _ = try folder.write("theirs", as: "out")
    let failure: CommandFailure?
    do {
      try file.commit()
      failure = nil
    } catch { failure = error }
    #expect(failure?.exitCode == .cannotCreate)
    #expect(try folder.read("out") == "theirs")
    #expect(folder.names == ["out"])
  }

  @Test(arguments: [true, false])
  func forceReplacesAndMakesPrivate(unnamed: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("old", as: "out", mode: 0o644)
    try put("new", path, replacing: true, unnamed: unnamed)
    #expect(try folder.read("out") == "new")
    #expect(folder.names == ["out"])
    #expect(try #require(folder.status("out")).st_mode & 0o7777 == 0o600)
  }

  @Test func forceWritesThroughALinkAndLeavesItALink() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("old", as: "real")
    #expect(symlink("real", folder.path + "/link") == 0)
    try put("new", folder.path + "/link", replacing: true, unnamed: true)
    #expect(try folder.read("real") == "new")
    #expect(try #require(folder.status("link")).st_mode & S_IFMT == S_IFLNK)
  }

  @Test func devicesAndFoldersAreNeverReplaced() throws {
    let folder = try TemporaryFolder()
    for path in ["/dev/null", folder.path, folder.path + "/", "", folder.path + "/missing/out"] {
      let failure = #expect(throws: CommandFailure.self) { try put("new", path, replacing: true, unnamed: true) }
      #expect(failure?.exitCode == .cannotCreate, "\(path)")
    }
    #expect(folder.names == [])
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func interruptedHalfWayLeavesWhatWasThere(number: Int32) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("old", as: "out")
    let terminal = try Terminal(["write", "-o", path, "--force", "--wait"])
    try terminal.expect("waiting")
    terminal.signal(number)
    #expect(try terminal.finish().exitCode == 128 + number)
    #expect(try folder.read("out") == "old")
    #expect(folder.names == ["out"])
  }

  @Test func aFileTooLargeForTheLimitLeavesNothing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/out"
    // The limit's signal is ignored by the shell, so that writing fails with EFBIG as on a full disk.
    let command = "trap '' XFSZ; ulimit -f 600; exec \(Terminal.probe) write -o \(path)"
    let result = try Terminal(["-c", command], program: "/bin/sh", hasTerminal: false).finish()
    #expect(result.exitCode == 74)
    #expect(folder.names == [])
  }

  // MARK: - Inputs

  @Test func inputsAreReadWholeFromFilesAndPipes() throws {
    let folder = try TemporaryFolder()
    let text = String(repeating: "0123456789", count: 50_000)
    let path = try folder.write(text, as: "in")
    let world = try World()
    #expect(try InputFile.read(path, world.context).exposedText() == text)
    #expect(try InputFile.read("/dev/null", world.context).isEmpty)
    // A size of zero that isn't the truth.
    #expect(try !InputFile.read("/proc/self/maps", world.context).isEmpty)
    let fifo = folder.path + "/fifo"
    #expect(mkfifo(fifo, 0o600) == 0)
    let writer = try #require(ChildProcess("/bin/sh", ["-c", "cat '\(path)' > '\(fifo)'"]))
    #expect(try InputFile.read(fifo, world.context).exposedText() == text)
    #expect(writer.wait() == 0)
  }

  @Test func theLimitIsExact() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("12345678", as: "in")
    let world = try World()
    #expect(try InputFile.read(path, world.context, byteLimit: 8).byteCount == 8)
    let failure = #expect(throws: CommandFailure.self) { try InputFile.read(path, world.context, byteLimit: 7) }
    #expect(failure?.exitCode == .badInput)
    let endless = #expect(throws: CommandFailure.self) {
      try InputFile.read("/dev/zero", world.context, byteLimit: 100_000)
    }
    #expect(endless?.exitCode == .badInput)
  }

  @Test func missingFilesAndFoldersAreNamedInPlainWords() throws {
    let world = try World()
    let missing = #expect(throws: CommandFailure.self) { try InputFile.read("/nonexistent/a\u{1B}b", world.context) }
    #expect(missing?.exitCode == .notFound)
    #expect(missing?.lines == ["seif: there is no file /nonexistent/a\u{FFFD}b. Check the name and the folder."])
    let folder = #expect(throws: CommandFailure.self) { try InputFile.read("/tmp", world.context) }
    #expect(folder?.exitCode == .notFound)
    #expect(folder?.what == "/tmp is a folder")
  }
}
