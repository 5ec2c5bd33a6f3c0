import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifAgent
import SeifBytes
import SeifProcesses
import SeifRecords
import SeifTestSupport
import SeifVault
import Synchronization
import Testing

@testable import SeifCommands

/// The leak test: that it finds what leaks, and that nothing does.
@Suite struct LeakTestTests {
  /// Runs a program that says nothing for longer than tests wait for a word: a shell says something meanwhile.
  private static func run(
    _ words: [String], in home: Home, _ environment: [String: String]
  ) throws -> (exitCode: Int32?, output: String, errors: String) {
    let script = "\"$@\" >said.out 2>said.err & while kill -0 $! 2>/dev/null; do echo; sleep 1; done; wait $!"
    let variables = ["PATH": "/usr/sbin:/usr/bin:/bin"].merging(environment) { $1 }
    let result = try Terminal(
      ["-C", home.path, "sh", "-c", script, "sh"] + words, program: "/usr/bin/env", hasTerminal: false,
      environment: home.variables(variables)
    ).finish()
    return (result.exitCode, try home.read("said.out"), try home.read("said.err"))
  }

  // MARK: - What it looks for

  @Test func everyCommandIsUsedOrLeftOutWithAReason() throws {
    let world = try LeakWorld(Environment(["TMPDIR": "/tmp"]))
    let used = LeakSteps.commands(LeakCanaries(), world)
    let leftOut = Set(LeakSteps.leftOut.keys)
    #expect(used.isDisjoint(with: leftOut))
    #expect(used.union(leftOut) == Set(CommandTable.all.map { $0.name }))
    #expect(LeakSteps.leftOut.values.allSatisfy { !$0.isEmpty })
  }

  /// A run that was killed leaves its folder; one that runs, and what only looks alike, stays.
  @Test func theFoldersOfDeadRunsAreRemovedByTheNext() throws {
    let home = try Home()
    var child: pid_t = 0
    var words = [strdup("/bin/true"), nil]
    defer { words.forEach { free($0) } }
    #expect(posix_spawn(&child, "/bin/true", nil, nil, &words, environ) == 0)
    waitpid(child, nil, 0)
    let dead = "seif-leak-test-\(child)-abcdef"
    let others = ["seif-leak-test-1-abcdef", "seif-leak-test-\(child)-abc", "seif-leak-test-x-abcdef", "mine"]
    for name in [dead] + others { #expect(mkdir("\(home.path)/\(name)", 0o700) == 0) }
    #expect(mkdir("\(home.path)/\(dead)/home", 0o700) == 0)
    let world = try LeakWorld(Environment(["TMPDIR": home.path]))
    #expect(world.folder.hasPrefix("\(home.path)/seif-leak-test-\(getpid())-"))
    #expect(access("\(home.path)/\(dead)", F_OK) != 0)
    for name in others { #expect(access("\(home.path)/\(name)", F_OK) == 0, "\(name)") }
  }

  @Test func everySecretOfEveryKindIsACanary() throws {
    let canaries = LeakCanaries()
    let root = try JSONDocument(parsing: SecretValue(utf8: canaries.records), policy: .strict).root
    var records = Records()
    var problems: [EntryProblem] = []
    for kind in RecordKind.allCases {
      if let list = root[kind.rawValue] {
        EntryDecoding.decode(kind, from: list, into: &records, problems: &problems)
      }
    }
    // In this document they stand among the accounts.
    for account in try #require(root["accounts"]).elements where ["motp", "yandex"].contains(account["type"]?.string) {
      EntryDecoding.decode(.otherAccounts, entry: account, into: &records, problems: &problems)
    }
    #expect(Set(records.entries.map(\.kind)) == Set(RecordKind.allCases))
    let needles = LeakNeedles(canaries.all)
    var names: Set<String> = []
    for entry in records.entries {
      for field in try EntrySecrets.masked(entry).fields {
        names.insert(field)
        let value = try EntrySecrets.value(field, of: entry).exposedBytes()
        #expect(!needles.found(in: value).isEmpty, "\(entry.kind.rawValue) \(field)")
      }
    }
    let expected: Set<String> = [
      "secret", "pin", "password", "totp", "number", "cvc", "text", "notes", "masterKey", "wraps", "custom:0",
      "history:0",
    ]
    #expect(names.isSuperset(of: expected), "\(expected.subtracting(names))")
    for unusable in records.unusable { #expect(!needles.found(in: unusable.json.exposedBytes()).isEmpty) }
  }

  @Test func everySpellingIsFoundWhereverItBegins() throws {
    let secret = Array("A canary of 24 bytes. æ!".utf8)
    let needles = LeakNeedles([LeakCanary("it", secret)])
    for skipped in 0..<5 {
      let whole = SecretValue([UInt8](repeating: 0x2A, count: skipped) + secret + [1, 2, 3, 4, 5])
      let base64 = try #require(whole.withBytes { Base64.encode($0) }.exposedText())
      let base32 = try #require(Base32.encode(whole).exposedText())
      let hexadecimal = Base16.encode(whole.exposedBytes())
      let url = String(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
      for text in [base64, url, base32, base32.lowercased(), hexadecimal, hexadecimal.uppercased()] {
        #expect(!needles.found(in: Array(text.utf8)).isEmpty, "\(text)")
        #expect(!needles.found(in: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).isEmpty, "\(text)")
        #expect(!needles.found(in: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }).isEmpty, "\(text)")
      }
      #expect(needles.found(in: whole.exposedBytes()) == [0: 1])
    }
    #expect(needles.found(in: Array("A canary of 24 bytes. ".utf8)).isEmpty)
  }

  @Test func whatLiesOnTheEdgeOfAWindowIsFoundOnce() throws {
    let home = try Home()
    let canary = LeakCanary("it", text: "LeakABCDEFGHIJKLMNOP")
    for place in [(1 << 20) - 30, (1 << 20) - 10, 1 << 20, (2 << 20) - 40] {
      var bytes = [UInt8](repeating: 0x41, count: 3 << 20)
      bytes.replaceSubrange(place..<place + 20, with: Array("LeakABCDEFGHIJKLMNOP".utf8))
      try home.write(bytes, as: "file")
      var found = LeakPlace("file")
      LeakSearch([canary], plant: "LeakPLANTPLANT").search(path: home.file("file"), &found)
      #expect(found.found == [0: 1], "\(place)")
      #expect(found.byteCount >= 3 << 20)
    }
  }

  // MARK: - What it finds

  /// What is missing, and what a program of the name that ends at once leads to.
  @Test(arguments: [
    ([], "swtpm isn't installed", "dbus-daemon isn't installed"),
    (["swtpm", "dbus-daemon"], "swtpm doesn't start", "gnome-keyring-daemon isn't installed"),
    (["dbus-daemon", "gnome-keyring-daemon"], "swtpm isn't installed", "secret-tool isn't installed"),
    (["dbus-daemon", "gnome-keyring-daemon", "secret-tool"], "swtpm isn't installed", "dbus-daemon doesn't start"),
  ]) func whatIsNotTriedHasAReason(programs: [String], tpm: String, keyring: String) throws {
    let home = try Home()
    let folder = try home.folder("bin")
    for name in programs { symlink("/bin/true", folder + "/" + name) }
    let world = try LeakWorld(Environment(["TMPDIR": home.path]))
    let devices = try LeakDevices(world, Environment(["PATH": folder]))
    let reasons = Dictionary(uniqueKeysWithValues: devices.ways.map { ($0.kind.name, $0.reason) })
    #expect(reasons["tpm2"] == tpm && reasons["keyring"] == keyring, "\(reasons)")
    #expect(reasons["passphrase"] == .some(nil) && reasons["recovery"] == .some(nil) && reasons["fido2"] != .some(nil))
    #expect(devices.kinds.isEmpty && devices.variables.isEmpty)
  }

  @Test func aPathThatNoAddressTakesIsSaid() throws {
    let home = try Home()
    let world = try LeakWorld(Environment(["TMPDIR": try home.folder("with, comma")]))
    let devices = try LeakDevices(world, Environment(["PATH": "/usr/bin:/bin"]))
    #expect(devices.kinds.isEmpty)
    #expect(devices.ways.count { $0.reason?.contains("characters that an address can't have") == true } == 2)
  }

  @Test func nothingLeaksAndWhatIsPlantedIsFoundEverywhere() throws {
    let home = try Home()
    let result = try Self.run([Home.program, "leak-test", "--json"], in: home, ["TMPDIR": try home.folder("tmp")])
    #expect(result.exitCode == 0, "\(result.errors)")
    let root = try document(result.output, "seif-leak-test")
    #expect(root["clean"]?.bool == true)
    let ways = try #require(root["waysIn"]).elements.map { ($0["kind"]?.string ?? "", $0["tried"]?.bool == true) }
    #expect(ways.map(\.0) == ["passphrase", "recovery", "keyring", "tpm2", "fido2"])
    let devices = [PrivateKeyring.isInstalled, SoftwareTPM.isInstalled]
    #expect(ways.map(\.1) == [true, true] + devices + [false])
    // Each device keeps one key of the vault before its rotation and one after it.
    let keys = Int64(devices.count { $0 } * 2)
    #expect((root["secrets"]?.int64 ?? 0) >= 37 + keys)
    #expect((root["processes"]?.int64 ?? 0) >= 90 + 5 * keys)
    var names: [String] = []
    for place in try #require(root["places"]).elements {
      let name = try #require(place["place"]?.string)
      names.append(name)
      let isSearched = place["notSearched"] == nil
      #expect(isSearched == ((place["bytes"]?.int64 ?? 0) > 0 && place["plantFound"]?.bool == true), "\(name)")
      let isMemory = name.contains("memory")
      // Names are held for searching while the vault is open; the bound is what the page of the leak test promises.
      let counts = try #require(place["found"]).elements.map { $0["count"]?.int64 ?? 0 }
      if place["countedOnly"]?.bool == true {
        #expect(isMemory && counts.reduce(0, +) <= 4, "\(name)")
        for found in try #require(place["found"]).elements { #expect(found["secret"]?.string == "a user name") }
      } else {
        #expect(counts.isEmpty, "\(name)")
      }
      // Without root the kernel refuses two of them, and a display isn't everywhere.
      if geteuid() == 0, !name.contains("clipboard") { #expect(isSearched, "\(name)") }
    }
    #expect(names.count == 14 && Set(names).count == 14)
    #expect(try home.names(in: "tmp") == [])
  }

  @Test func whatLeaksIsNamedByItsKindAndNeverByItsValue() throws {
    let home = try Home()
    let folder = try home.folder("tmp")
    let isOver = Flag()
    // Another program takes what was exported, and leaves a copy where temporary files lie.
    let thief = SideThread {
      while !isOver.isSet {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
          let world = folder + "/" + name
          try? FileManager.default.copyItem(atPath: world + "/out/clear.json", toPath: world + "/tmp/copy")
          // As any program of the session could.
          if let child = ChildProcess(
            world + "/devices/secret-tool", ["search", "--all", "xdg:schema", "org.freedesktop.Secret.Generic"],
            showsErrors: false)
          {
            var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
            while case let count = read(child.output, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
            if !bytes.isEmpty { try? Data(bytes).write(to: URL(filePath: world + "/tmp/keyring")) }
          }
        }
        usleep(5_000)
      }
    }
    thief.start()
    let result = try Self.run([Home.program, "leak-test"], in: home, ["TMPDIR": folder])
    isOver.set()
    #expect(result.exitCode == 2, "\(result.errors)")
    for name in ["the password of a login", "the CVC of a card", "the seed of an account (hotp)"] {
      #expect(result.errors.contains("temporary files: \(name), found there"), "\(name)")
    }
    if PrivateKeyring.isInstalled {
      #expect(result.errors.contains("temporary files: the vault's key in the keyring, found there"))
    }
    #expect(!result.errors.contains("the vault's passphrase"))
    #expect(try home.names(in: "tmp") == [])
  }

  @Test(arguments: [SIGINT, SIGTERM]) func whoeverEndsItLeavesNothingBehind(signal: Int32) throws {
    let home = try Home()
    let folder = try home.folder("tmp")
    let terminal = try home.terminal("leak-test", environment: ["TMPDIR": folder])
    var agents: [Int32] = []
    let isBegun = try becomes {
      agents = try Self.processes(below: folder)
      return !agents.isEmpty
    }
    #expect(isBegun)
    if signal == SIGINT { terminal.type("\u{3}") } else { kill(terminal.child, signal) }
    #expect(try terminal.finish().exitCode == 128 + signal)
    #expect(try home.names(in: "tmp") == [])
    #expect(try becomes { try Self.processes(below: folder).isEmpty })
  }

  /// Nothing of ours runs any more then: only the kernel can end what it started.
  @Test func whatKillsItKillsAllThatItStarted() throws {
    let home = try Home()
    let folder = try home.folder("tmp")
    let terminal = try home.terminal("leak-test", environment: ["TMPDIR": folder])
    var agent: Int32?
    let isHalfWay = try becomes {
      let names = try Self.processes(below: folder)
      agent = names.first {
        (try? TemporaryFolder.text(of: "/proc/\($0)/cmdline"))?.contains("agent\0--foreground") == true
      }
      // Beside the agent one of the commands that use it.
      return agent != nil && names.count > 1
    }
    #expect(isHalfWay)
    kill(terminal.child, SIGKILL)
    _ = try terminal.finish()
    #expect(try becomes { try Self.processes(below: folder).isEmpty })
    let isGone = try becomes { try kill(#require(agent), 0) != 0 }
    #expect(isGone)
    // Its folder stays, for the next run.
    #expect(try home.names(in: "tmp").count == 1)
    _ = try LeakWorld(Environment(["TMPDIR": folder]))
    #expect(try home.names(in: "tmp") == [])
  }

  /// Processes whose arguments or working folder are of a world below a folder.
  private static func processes(below folder: String) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { process in
      let work = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
      return work?.hasPrefix(folder) == true
    }
  }

  // MARK: - Without root

  @Test(.enabled(if: geteuid() == 0 && ChildProcess.find("setpriv", path: Environment.current()["PATH"]) != nil))
  func withoutRootItSaysWhatItCouldntSearch() throws {
    let home = try Home()
    let folder = try Nobody()
    let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
    let result = try Self.run(
      words + [Home.program, "leak-test", "--json"], in: home, ["HOME": folder.path, "TMPDIR": folder.path])
    #expect(result.exitCode == 0, "\(result.errors)")
    var refused: Set<String> = []
    for place in try #require(try document(result.output, "seif-leak-test")["places"]).elements {
      if place["notSearched"] != nil { refused.insert(place["place"]?.string ?? "") }
    }
    #expect(refused.contains("the agent's memory after the lock") && refused.contains("variables of processes"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test(.enabled(if: LogSocket.canBeMade)) func nothingIsEverSentToTheLogOfTheSystem() throws {
    let home = try Home()
    let script = TestData.packageRoot.path + "/Tests/Session/syslog.sh"
    let result = try Self.run(
      ["sh", script, Home.program], in: home,
      ["TMPDIR": try home.folder("tmp"), "SEIF_LOG_FOLDER": try home.folder("dev")])
    #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
    // What `logger` was told to send, and nothing else.
    #expect(result.output.contains("received 1\n"), "\(result.output)")
  }

  // MARK: - Crashes

  @Test(arguments: [SIGSEGV, SIGILL, SIGBUS]) func aCrashSaysNothingAndLeavesNoCore(signal: Int32) throws {
    let world = try AgentHome()
    let agent = try Terminal(
      ["agent", "--foreground"], program: Home.program, hasTerminal: false,
      environment: world.home.variables(world.variables.merging(["SWIFT_BACKTRACE": "enable=yes"]) { $1 }))
    #expect(becomes { world.home.exists("run/seif/agent.sock") })
    kill(agent.child, signal)
    let result = try agent.finish()
    #expect(result.exitCode != 0)
    // What the runtime says as it starts where it has no program for reports.
    let told = result.errors.split(whereSeparator: \.isNewline).filter {
      $0 != "swift runtime: unable to locate swift-backtrace; disabling backtracing."
    }
    #expect(told.isEmpty && result.output == "", "\(result.errors)")
  }
}

/// A folder that belongs to nobody's user.
private final class Nobody {
  let path: String

  init() throws {
    path = try TemporaryFolder.make("nobody")
    chown(path, 65534, 65534)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

private final class Flag: Sendable {
  private let value = Mutex(false)
  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}

/// A log of one's own takes a name space of mounts, which not every machine allows.
private enum LogSocket {
  static let canBeMade: Bool = {
    guard let tool = ChildProcess.find("unshare", path: Environment.current()["PATH"]),
      ChildProcess.find("logger", path: Environment.current()["PATH"]) != nil,
      let child = ChildProcess(tool, ["-rm", "sh", "-c", "mount -t tmpfs none /mnt"])
    else { return false }
    return child.wait() == 0
  }()
}
