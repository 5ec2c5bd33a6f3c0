import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import SeifTransportTesting
import Testing

@testable import SeifCommands

/// Snapshots: by a person, by the agent, by a timer.
@Suite struct SnapshotCommandTests {
  let agent: AgentHome
  let home: Home
  let folder: String

  init() throws {
    agent = try AgentHome()
    home = agent.home
    folder = try home.folder("backups")
  }

  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

  private func add(_ name: String, _ kind: String = "folder", _ settings: String...) throws {
    let given = settings.isEmpty ? ["path=\(folder)"] : settings
    let added = try home.seif(
      list: ["transport", "add", kind, name] + given.flatMap { ["--set", $0] }, passphrase: Canary.vaultPassphrase,
      environment: agent.variables)
    try #require(added.exitCode == 0, "\(added.errors)")
  }

  private func schedule(_ names: String..., more: [String] = []) throws -> Terminal.Result {
    try home.seif(
      list: ["backup", "schedule"] + names.flatMap { ["--destination", $0] } + more, passphrase: Canary.vaultPassphrase,
      environment: agent.variables)
  }

  private func run(_ words: String..., environment: [String: String] = [:]) throws -> Terminal.Result {
    try home.seif(
      list: ["backup", "run"] + words, environment: agent.variables.merging(environment) { $1 })
  }

  private func states() throws -> [String] {
    let listed = try home.seif(
      "backup", "list", "--destination", folder, "--json", passphrase: Canary.vaultPassphrase)
    return try document(listed.output, "seif-backup-list")["backups"]?.elements.compactMap { $0["state"]?.string } ?? []
  }

  /// The first destination of what a run says.
  private func delivery(_ result: Terminal.Result) throws -> JSONValue {
    try #require(document(result.output, "seif-snapshot")["destinations"]?.elements.first { _ in true })
  }

  // MARK: - By a person

  @Test func aSnapshotIsProvenAndEveryCommandTakesIt() throws {
    let made = try home.seif(
      "backup", "create", "--snapshot", "--destination", folder, passphrase: Canary.vaultPassphrase)
    #expect(made.exitCode == 0, "\(made.errors)")
    let name = try #require(try files().first)
    #expect(name.hasSuffix(".seifvault"))
    #expect(try states() == ["proven"])
    let file = "\(folder)/\(name)"
    #expect(home.mode("backups/\(name)") == 0o600)
    let inspected = try document(try home.seif("inspect", file, "--json").output, "seif-inspect")
    #expect(inspected["format"]?.string == "seifvault" && inspected["sealed"]?.bool == true)
    let opened = try home.seif("open", file, passphrase: Canary.vaultPassphrase, reveals: true)
    #expect(opened.exitCode == 0 && opened.output.contains("GitHub"), "\(opened.errors)")
    let verified = try home.seif("verify", file, passphrase: Canary.vaultPassphrase)
    #expect(verified.exitCode == 0, "\(verified.output)\(verified.errors)")
    let refused = try home.seif("open", file, passphrase: Canary.filePassphrase)
    #expect(refused.exitCode == 77)
    let imported = try home.seif(
      "import", file, "--dry-run", passphrase: Canary.vaultPassphrase, vaultPassphrase: Canary.vaultPassphrase)
    #expect(imported.exitCode == 0 || imported.exitCode == 1, "\(imported.errors)")
    let restored = try home.seif(
      "backup", "restore", "--destination", folder, passphrase: Canary.vaultPassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    #expect(restored.exitCode == 0, "\(restored.errors)")
    let drilled = try home.seif(
      "drill", "--destination", folder, passphrase: Canary.vaultPassphrase, vaultPassphrase: Canary.vaultPassphrase)
    #expect(drilled.exitCode == 0, "\(drilled.errors)")
  }

  // MARK: - By the agent

  @Test func theAgentTakesSnapshotsToApprovedDestinationsAlone() throws {
    try add("shelf")
    try agent.unlock()
    let early = try agent.seif("backup", "create", "--snapshot")
    #expect(early.exitCode == 66 && early.errors.contains("approved"), "\(early.errors)")
    #expect(try schedule("shelf").exitCode == 0)
    let made = try agent.seif("backup", "create", "--snapshot", "--destination", "shelf", "--json")
    #expect(made.exitCode == 0, "\(made.errors)")
    #expect(try delivery(made)["proven"]?.bool == true)
    #expect(try states() == ["proven"])

    // Any program of the person may change entries by the agent. What it changed isn't used.
    let id = try #require(
      document(try agent.seif("list", "shelf", "--tag", "seif-transport", "--json").output, "seif-list")["entries"]?
        .elements.first { _ in true }?[
          "id"]?
        .string)
    let changed = try agent.seif("edit", id, "--account", "somebody else")
    #expect(changed.exitCode == 0, "\(changed.errors)")
    let refused = try run()
    #expect(refused.exitCode == 66 && refused.errors.contains("approved"), "\(refused.errors)")
    #expect(try files().count == 1)
  }

  @Test(.timeLimit(.minutes(15))) func aCodeComesAtOnceWhileAnUploadIsSlow() throws {
    let gate = home.file("gate")
    let script = try home.write(
      """
      #!/bin/sh
      if [ "$2" = upload ] && [ -e '\(gate).armed' ]; then
        : > '\(gate).begun'
        while [ ! -e '\(gate)' ]; do sleep 0.05; done
      fi
      exec '\(TestData.packageRoot.path)/Examples/transports/folder.sh' "$@"

      """, as: "slow.sh")
    chmod(script, 0o755)
    ExecutableFile.settle(script)
    try add("slow", "external", "program=\(script)", "argument=\(folder)")
    #expect(try schedule("slow").exitCode == 0)
    try agent.unlock()
    try home.write("", as: "gate.armed")
    let started = try Terminal(
      ["backup", "run", "--json"], program: Home.program, hasTerminal: false,
      environment: home.variables(agent.variables))
    while !home.exists("gate.begun") { usleep(10_000) }
    // The upload waits for the gate, which opens after these.
    for _ in 0..<5 { #expect(try agent.seif("code", "GitHub", reveals: true).exitCode == 0) }
    let second = try run()
    #expect(second.exitCode == 75, "\(second.errors)")
    try home.write("", as: "gate")
    let done = try started.finish()
    #expect(done.exitCode == 0, "\(done.errors)")
    #expect(try delivery(done)["proven"]?.bool == true)
  }

  @Test(.timeLimit(.minutes(15))) func lockingEndsAnUploadAndNothingCounts() throws {
    let script = try home.write(
      """
      #!/bin/sh
      if [ "$2" = upload ] && [ -e '\(home.file("armed"))' ]; then
        : > '\(home.file("begun"))'
        exec sleep 600
      fi
      exec '\(TestData.packageRoot.path)/Examples/transports/folder.sh' "$@"

      """, as: "stuck.sh")
    chmod(script, 0o755)
    ExecutableFile.settle(script)
    try add("stuck", "external", "program=\(script)", "argument=\(folder)", "timeout=3600")
    #expect(try schedule("stuck").exitCode == 0)
    try agent.unlock()
    try home.write("", as: "armed")
    let started = try Terminal(
      ["backup", "run"], program: Home.program, hasTerminal: false, environment: home.variables(agent.variables))
    while !home.exists("begun") { usleep(10_000) }
    #expect(try agent.seif("lock").exitCode == 0)
    let done = try started.finish()
    #expect(done.exitCode != 0, "\(done.output)")
    #expect(try files().isEmpty)
  }

  @Test(.timeLimit(.minutes(15))) func theNetworkIsLeftToTheProgramBesideTheAgent() throws {
    let server = try RcloneWebDAV()
    let added = try home.seif(
      list: [
        "transport", "add", "webdav", "cloud", "--set", "url=\(server.url)", "--set", "user=\(RcloneWebDAV.user)",
      ], passphrase: Canary.vaultPassphrase, secret: RcloneWebDAV.password, environment: agent.variables)
    try #require(added.exitCode == 0, "\(added.errors)")
    #expect(try schedule("cloud").exitCode == 0)
    let process = try agent.unlock()
    let made = try run("--json")
    #expect(made.exitCode == 0, "\(made.output)\(made.errors)")
    let delivery = try delivery(made)
    #expect(delivery["proven"]?.bool == true && delivery["destination"]?.string == "cloud")
    let names = try FileManager.default.contentsOfDirectory(atPath: server.files.path)
    #expect(names.filter { $0.hasSuffix(".seifvault") }.count == 1)
    if let maps = try? String(contentsOf: URL(filePath: "/proc/\(process)/maps"), encoding: .utf8) {
      #expect(!maps.contains("libcurl"))
    }
    // A password that was changed since is another destination: nothing is sent to it.
    let id = try #require(
      document(try agent.seif("list", "cloud", "--tag", "seif-transport", "--json").output, "seif-list")["entries"]?
        .elements.first { _ in true }?[
          "id"]?
        .string)
    #expect(try agent.seif("edit", id, secret: "another").exitCode == 0)
    #expect(try run().exitCode == 66)
  }

  // MARK: - By a timer

  @Test func aLockedVaultIsStoredAndProvenAtTheNextUnlock() throws {
    try add("shelf")
    #expect(try schedule("shelf").exitCode == 0)
    let stored = try run("--json")
    #expect(stored.exitCode == 0, "\(stored.errors)")
    #expect(try delivery(stored)["proven"]?.bool == false)
    let name = try #require(try files().first)
    #expect(try delivery(stored)["name"]?.string == name)
    let opened = try home.seif("open", "\(folder)/\(name)", passphrase: Canary.vaultPassphrase, reveals: true)
    #expect(opened.exitCode == 0, "\(opened.errors)")
    // The same bytes aren't stored twice.
    #expect(try run().exitCode == 0)
    #expect(try files() == [name])

    try agent.unlock()
    let proven = try run("--json")
    #expect(proven.exitCode == 0, "\(proven.errors)")
    #expect(try files().count == 2)
    #expect(try states() == ["proven", "proven"])
    #expect(try home.names(in: ".local/state/seif").filter { $0.hasSuffix(".queue.json") }.isEmpty)
  }

  @Test func whatWasAlteredWhileItWaitedIsSaid() throws {
    try add("shelf")
    #expect(try schedule("shelf").exitCode == 0)
    #expect(try run().exitCode == 0)
    let name = try #require(try files().first)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
    try agent.unlock()
    let found = try run("--json")
    #expect(found.exitCode == 2, "\(found.output)")
    #expect(found.output.contains("altered"))
  }

  @Test func anOlderCopyInThePlaceOfOneThatWaitsIsNotTakenForIt() throws {
    try add("shelf")
    #expect(try schedule("shelf").exitCode == 0)
    #expect(try run().exitCode == 0)
    let name = try #require(try files().first)
    let state = ".local/state/seif"
    let queue = try #require(try home.names(in: state).first { $0.hasSuffix(".queue.json") })
    let waiting = try home.read("\(state)/\(queue)")
    try agent.unlock()
    #expect(try run().exitCode == 0)
    // The old one is said to have been stored tomorrow, when the vault has gone on.
    let at = try #require(
      try document(waiting, "seif-backup-queue")["entries"]?.elements.first { _ in true }?["at"]?.string)
    try home.write(waiting.replacing(at, with: "2099-01-01T00:00:00Z"), as: "\(state)/\(queue)")
    let found = try run("--json")
    #expect(found.exitCode == 2 && found.output.contains(name), "\(found.output)")
  }

  @Test func whatIsWrittenIntoTheQueueTakesNoProofAway() throws {
    try add("shelf")
    #expect(try schedule("shelf").exitCode == 0)
    #expect(try run().exitCode == 0)
    let state = ".local/state/seif"
    let queue = try #require(try home.names(in: state).first { $0.hasSuffix(".queue.json") })
    let waiting = try home.read("\(state)/\(queue)")
    try agent.unlock()
    #expect(try run().exitCode == 0)
    let before = try states()
    // The same file once more, with the hash of another.
    let hash = try #require(
      try document(waiting, "seif-backup-queue")["entries"]?.elements.first { _ in true }?["sha256"]?.string)
    try home.write(
      waiting.replacing(hash, with: String(repeating: "0", count: 64)), as: "\(state)/\(queue)")
    let found = try run("--json")
    #expect(found.exitCode == 2 && found.output.contains("altered"), "\(found.output)")
    #expect(!home.exists("\(state)/\(queue)"))
    // The run with the open vault makes one of its own, too.
    let after = try states()
    #expect(after.count > before.count && after.allSatisfy { $0 == "proven" }, "\(before), \(after)")
  }

  @Test func whatARunThatWasEndedNeverSentIsNoAlarm() throws {
    try add("shelf")
    #expect(try schedule("shelf").exitCode == 0)
    #expect(try run().exitCode == 0)
    let state = ".local/state/seif"
    let queue = try #require(try home.names(in: state).first { $0.hasSuffix(".queue.json") })
    let waiting = try home.read("\(state)/\(queue)")
    #expect(waiting.contains("\"stored\": true"))
    try home.write(waiting.replacing("\"stored\": true", with: "\"stored\": false"), as: "\(state)/\(queue)")
    for name in try files() { #expect(unlink("\(folder)/\(name)") == 0) }
    try agent.unlock()
    #expect(try run().exitCode == 0)
    #expect(!home.exists("\(state)/\(queue)"))
  }

  @Test func withoutChangesNothingIsMadeOnChange() throws {
    try add("shelf")
    #expect(try schedule("shelf", more: ["--on-change"]).exitCode == 0)
    try agent.unlock()
    #expect(try run("--if-changed").exitCode == 0)
    #expect(try files().count == 1)
    #expect(try run("--if-changed").exitCode == 0)
    #expect(try files().count == 1)
    #expect(try agent.seif("add", "login", "--name", "New", secret: "x-pass").exitCode == 0)
    #expect(try run("--if-changed").exitCode == 0)
    #expect(try files().count == 2)
  }

  @Test func theUnitsAreWhatSystemdTakes() throws {
    try add("shelf")
    let made = try schedule("shelf", more: ["--every", "6h", "--on-change"])
    #expect(made.exitCode == 0, "\(made.errors)")
    let units = home.file(".config/systemd/user")
    let names = try FileManager.default.contentsOfDirectory(atPath: units).sorted()
    #expect(names == SystemdUnits.names.sorted())
    #expect(home.mode(".config/systemd/user/seif-backup.timer") == 0o600)
    let all = try names.map { try String(contentsOf: URL(filePath: "\(units)/\($0)"), encoding: .utf8) }.joined()
    #expect(!all.contains(Canary.vaultPassphrase) && !all.contains("shelf") && !all.contains(folder))
    if FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze") {
      let checked = try home.run(
        "sh", "-c", "systemd-analyze --user --man=no --generators=no verify \"$@\" 2>&1", "sh",
        "\(units)/seif-backup.timer", "\(units)/seif-backup.service", "\(units)/seif-backup.path",
        "\(units)/seif-backup-change.service", environment: agent.variables)
      let complaints = checked.output.split(separator: "\n").filter { $0.contains("seif-backup") }
      #expect(checked.exitCode == 0 && complaints.isEmpty, "\(checked.output)")
      for (_, calendar) in SystemdUnits.intervals {
        #expect(try home.run("systemd-analyze", "calendar", calendar).exitCode == 0, "\(calendar)")
      }
    }
    let shown = try document(try home.seif("backup", "schedule", "--show", "--json").output, "seif-schedule")
    #expect(shown["calendar"]?.string == "*-*-* 00/6:00:00" && shown["onChange"]?.bool == true)
    #expect(shown["units"].map { Array($0.elements).count } == 4)
    #expect(try home.seif("backup", "schedule", "--remove").exitCode == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: units).isEmpty)
    #expect(try home.seif("backup", "schedule", "--show").exitCode == 66)
  }

  @Test func pathsStandInUnitsAsTheyAre() {
    let units = SystemdUnits(
      program: "/opt/a \"b\"/$x%h/seif", folder: "/home/a b/100%", calendar: "daily", isOnChange: true)
    let texts = Dictionary(uniqueKeysWithValues: units.files.map { ($0.name, $0.text) })
    #expect(
      texts[SystemdUnits.service]?.contains(
        "ExecStart=\"/opt/a \\\"b\\\"/$$x%%h/seif\" backup run --vault \"/home/a b/100%%\"\n") == true)
    #expect(texts[SystemdUnits.path]?.contains("PathChanged=/home/a b/100%%/vault.db\n") == true)
    #expect(!SystemdUnits.canHold("/a\nExecStart=/bin/evil") && !SystemdUnits.canHold("relative"))
  }

  @Test func aFailureIsToldOnceUntilARunGoesWell() throws {
    try add("shelf")
    #expect(try schedule("shelf").exitCode == 0)
    let tools = try home.folder("tools")
    let notify = try home.write("#!/bin/sh\nprintf '%s\\n' \"$*\" >>'\(home.file("told"))'\n", as: "tools/notify-send")
    chmod(notify, 0o755)
    ExecutableFile.settle(notify)
    let path = ["PATH": "\(tools):/usr/bin:/bin"]
    #expect(rename(folder, folder + ".away") == 0)
    for _ in 0..<3 { #expect(try run(environment: path).exitCode != 0) }
    #expect(try home.read("told").split(separator: "\n").count == 1)
    #expect(try !home.read("told").contains("shelf"))
    #expect(rename(folder + ".away", folder) == 0)
    #expect(try run(environment: path).exitCode == 0)
    #expect(rename(folder, folder + ".away") == 0)
    try agent.unlock()
    #expect(try run(environment: path).exitCode != 0)
    #expect(try home.read("told").split(separator: "\n").count == 2)
    #expect(rename(folder + ".away", folder) == 0)
  }

  @Test func whatIsNoDestinationOfTheVaultIsNotScheduled() throws {
    #expect(try schedule("nobody").exitCode == 66)
    #expect(try home.seif("backup", "schedule").exitCode == 64)
    #expect(try home.seif("backup", "schedule", "--destination", "x", "--every", "5h").exitCode == 64)
    #expect(try run().exitCode == 66)
  }
}
