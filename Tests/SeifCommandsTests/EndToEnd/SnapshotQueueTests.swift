import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import SeifTransportTesting
import Testing

@testable import SeifCommands

/// What was stored while the vault was locked, and what a run that was ended had begun.
@Suite struct SnapshotQueueTests {
  let agent: AgentHome
  let home: Home

  init() throws {
    agent = try AgentHome()
    home = agent.home
  }

  private func schedule(_ names: String...) throws {
    for name in names {
      let added = try home.seif(
        "transport", "add", "folder", name, "--set", "path=\(try home.folder(name))",
        passphrase: Canary.vaultPassphrase, environment: agent.variables)
      try #require(added.exitCode == 0, "\(added.errors)")
    }
    let scheduled = try home.seif(
      list: ["backup", "schedule"] + names.flatMap { ["--destination", $0] }, passphrase: Canary.vaultPassphrase,
      environment: agent.variables)
    try #require(scheduled.exitCode == 0, "\(scheduled.errors)")
  }

  private func run() throws -> Terminal.Result {
    try home.seif("backup", "run", "--json", environment: agent.variables)
  }

  private func files(_ name: String) throws -> [String] { try home.names(in: name).sorted() }

  private func states(_ name: String) throws -> [String] {
    let listed = try home.seif(
      "backup", "list", "--destination", home.file(name), "--json", passphrase: Canary.vaultPassphrase)
    return try document(listed.output, "seif-backup-list")["backups"]?.elements.compactMap { $0["state"]?.string } ?? []
  }

  /// The queue's file; nil: nothing waits.
  private func queue() throws -> String? {
    try home.names(in: ".local/state/seif").first { $0.hasSuffix(".queue.json") }.map { ".local/state/seif/\($0)" }
  }

  /// Changes what the queue's file says.
  private func rewrite(_ change: (String) -> String) throws {
    let path = try #require(try queue())
    try home.write(change(try home.read(path)), as: path)
  }

  @Test func eachStateThatWasStoredWhileLockedIsProven() throws {
    try schedule("shelf")
    for number in 0..<3 {
      #expect(try run().exitCode == 0)
      let added = try home.seif(
        "add", "login", "--name", "New \(number)", passphrase: Canary.vaultPassphrase, secret: "x-pass")
      #expect(added.exitCode == 0, "\(added.errors)")
    }
    #expect(try files("shelf").count == 3)
    try agent.unlock()
    let proven = try run()
    #expect(proven.exitCode == 0, "\(proven.output)")
    #expect(try states("shelf") == ["proven", "proven", "proven", "proven"])
    #expect(try queue() == nil)
  }

  @Test func whatARunWroteDownAndDidNotSendTheNextOneSends() throws {
    try schedule("shelf")
    #expect(try run().exitCode == 0)
    let name = try #require(try files("shelf").first)
    try rewrite { $0.replacing("\"stored\": true", with: "\"stored\": false") }
    #expect(unlink(home.file("shelf/\(name)")) == 0)
    #expect(try run().exitCode == 0)
    #expect(try files("shelf") == [name])
    #expect(try home.read(#require(try queue())).contains("\"stored\": true"))
  }

  @Test func whatARunSentAndDidNotReadBackTheNextOneReads() throws {
    try schedule("shelf")
    #expect(try run().exitCode == 0)
    let name = try #require(try files("shelf").first)
    try rewrite { $0.replacing("\"stored\": true", with: "\"stored\": false") }
    #expect(try run().exitCode == 0)
    #expect(try files("shelf") == [name])
    #expect(try home.read(#require(try queue())).contains("\"stored\": true"))
  }

  @Test func whatIsLostWhileItWaitsIsStoredAnewAndAnAlarmLater() throws {
    try schedule("shelf")
    #expect(try run().exitCode == 0)
    let first = try #require(try files("shelf").first)
    try home.write("not what was stored", as: "shelf/\(first)")
    #expect(try run().exitCode == 0)
    #expect(try files("shelf").count == 2)
    // The same bytes aren't stored a third time.
    #expect(try run().output.contains("unchanged"))
    #expect(try files("shelf").count == 2)
    try agent.unlock()
    let found = try run()
    #expect(found.exitCode == 2 && found.output.contains(first) && found.output.contains("altered"), "\(found.output)")
    #expect(try states("shelf").filter { $0 == "proven" }.count == 2)
  }

  @Test func anothersFileUnderANameThatWasWrittenDownIsNoLoss() throws {
    try schedule("shelf")
    #expect(try run().exitCode == 0)
    let name = try #require(try files("shelf").first)
    try rewrite { $0.replacing("\"stored\": true", with: "\"stored\": false") }
    try home.write("somebody else's", as: "shelf/\(name)")
    // A run with the vault locked stores under another name, and nothing waits under this one.
    #expect(try run().exitCode == 0)
    #expect(try files("shelf").count == 2)
    #expect(try !home.read(#require(try queue())).contains(name))
    // One with the vault open finds the same, where none came between.
    let second = try #require(try files("shelf").first { $0 != name })
    try rewrite { $0.replacing("\"stored\": true", with: "\"stored\": false") }
    try home.write("somebody else's", as: "shelf/\(second)")
    try agent.unlock()
    let proven = try run()
    #expect(proven.exitCode == 0, "\(proven.output)")
    #expect(try queue() == nil)
  }

  @Test func theQueueNeverOutgrowsWhatIsReadAgain() throws {
    try schedule("shelf", "drawer")
    #expect(try run().exitCode == 0)
    // 29 of another state: one more fits, and two destinations want to.
    let path = try #require(try queue())
    let entries = try document(home.read(path), "seif-backup-queue")["entries"].map { Array($0.elements) } ?? []
    let sha256 = try #require(entries.first?["sha256"]?.string)
    let place = home.file("shelf")
    let waiting = (0..<29).map { number in
      """
      {"at": "2026-01-01T00:00:00Z", "bytes": 1, "destination": "shelf", "kind": "folder", "name": "seif-\(number)", \
      "path": "\(place)", "sha256": "\(sha256.dropLast(2))\(number + 10)", "stored": true}
      """
    }
    try home.write(
      "{\"schema\": \"seif-backup-queue\", \"version\": 1, \"entries\": [\(waiting.joined(separator: ", "))]}", as: path
    )
    let full = try run()
    #expect(full.exitCode == 75, "\(full.output)\(full.errors)")
    #expect(try document(home.read(path), "seif-backup-queue")["entries"].map { Array($0.elements).count } == 30)
    #expect(try run().exitCode == 75)
    try agent.unlock()
    // What is gone is said, and nothing waits any more.
    #expect(try run().exitCode == 2)
    #expect(try queue() == nil)
  }
}
