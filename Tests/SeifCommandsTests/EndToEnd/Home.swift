import SeifCommandLine
import CSeif
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Synchronization
import Testing

@testable import SeifCommands

/// The program itself in a home folder of its own. Whatever it says and writes is kept there, and searched for secrets
/// when the folder goes.
final class Home: Sendable {
  let path: String
  private let runs = Mutex(0)

  /// The program under test: `SEIF_BINARY`, else the one beside the tests.
  static let program: String = {
    if let named = Environment.current()["SEIF_BINARY"], named.hasPrefix("/") { return named }
    return Terminal.probe.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 } + "/seif"
  }()

  /// Where all homes of this process lie; it goes with the process.
  private static let root: String = {
    guard let made = try? TemporaryFolder.make("end-to-end") else { return "/nonexistent" }
    // Children get their descriptors under low numbers: nothing of ours may lie there.
    while case let low = seif_open("/dev/null", O_RDONLY | O_CLOEXEC, 0), low >= 0, low < 20 {}
    atexit { try? FileManager.default.removeItem(atPath: Home.root) }
    return made
  }()

  /// The Python that has the packages of the openers: `SEIF_PYTHON`, else the first on PATH.
  static let python = Environment.current()["SEIF_PYTHON"] ?? "python3"

  init() throws {
    path = Self.root + "/" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    try FileManager.default.createDirectory(atPath: path + "/runs", withIntermediateDirectories: true)
  }

  /// A home that begins as a copy of another: its vault, and what is remembered of it.
  init(copying other: Home) throws {
    path = Self.root + "/" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    try FileManager.default.copyItem(atPath: other.path, toPath: path)
    try? FileManager.default.removeItem(atPath: path + "/runs")
    try FileManager.default.createDirectory(atPath: path + "/runs", withIntermediateDirectories: true)
  }

  deinit {
    do {
      let found = try Canary.search(path)
      // 2: there was nothing to search.
      if found.status != 0, found.status != 2 { Issue.record("secrets were written: \(found)") }
    } catch {
      Issue.record("the search for secrets failed: \(error)")
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  // MARK: - Files

  /// The path of a name in this home.
  func file(_ name: String) -> String { path + "/" + name }

  @discardableResult
  func write(_ text: String, as name: String) throws -> String { try write(Array(text.utf8), as: name) }

  @discardableResult
  func write(_ bytes: [UInt8], as name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: file(name)))
    return file(name)
  }

  func folder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    return file(name)
  }

  func read(_ name: String) throws -> String { try TemporaryFolder.text(of: file(name)) }
  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file(name)))) }
  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

  /// Names in a folder here, sorted, hidden ones too.
  func names(in folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file(folder)).filter { $0 != "runs" }.sorted()
  }

  func mode(_ name: String) -> mode_t? {
    var status = stat()
    return lstat(file(name), &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  // MARK: - Running

  /// Runs the program without a terminal.
  /// - Parameters:
  ///   - passphrase, newPassphrase, vaultPassphrase, secret: each given by a descriptor and the option for it.
  ///   - reveals: the output is meant to show secrets.
  @discardableResult
  func seif(
    _ words: String..., passphrase: String? = nil, newPassphrase: String? = nil, vaultPassphrase: String? = nil,
    secret: String? = nil, input: String = "", environment: [String: String] = [:], reveals: Bool = false
  ) throws -> Terminal.Result {
    try seif(
      list: words, passphrase: passphrase, newPassphrase: newPassphrase, vaultPassphrase: vaultPassphrase,
      secret: secret, input: input, environment: environment, reveals: reveals)
  }

  @discardableResult
  func seif(
    list words: [String], passphrase: String? = nil, newPassphrase: String? = nil, vaultPassphrase: String? = nil,
    secret: String? = nil, input: String = "", environment: [String: String] = [:], reveals: Bool = false
  ) throws -> Terminal.Result {
    let given = Self.given([
      ("--passphrase-fd", passphrase), ("--new-passphrase-fd", newPassphrase),
      ("--vault-passphrase-fd", vaultPassphrase), ("--secret-fd", secret),
    ])
    let terminal = try Terminal(
      words + given.options, program: Self.program, hasTerminal: false, input: Array(input.utf8),
      descriptors: given.descriptors, environment: variables(environment))
    return try check(try terminal.finish(), reveals)
  }

  /// Starts the program under a terminal of its own.
  func terminal(
    _ words: String..., passphrase: String? = nil, secret: String? = nil, output: Terminal.Stream = .terminal,
    environment: [String: String] = [:], columns: UInt16 = 80
  ) throws -> Terminal {
    try terminal(
      list: words, passphrase: passphrase, secret: secret, output: output, environment: environment, columns: columns)
  }

  func terminal(
    list words: [String], passphrase: String? = nil, secret: String? = nil, output: Terminal.Stream = .terminal,
    environment: [String: String] = [:], columns: UInt16 = 80
  ) throws -> Terminal {
    let given = Self.given([("--passphrase-fd", passphrase), ("--secret-fd", secret)])
    return try Terminal(
      words + given.options, program: Self.program, output: output, descriptors: given.descriptors,
      environment: variables(environment), columns: columns)
  }

  /// Runs another program with this home as its home and working folder.
  func run(
    _ words: String..., input: String = "", descriptors: [Int32: String] = [:], environment: [String: String] = [:]
  ) throws -> Terminal.Result {
    try Terminal(
      ["-C", path] + words, program: "/usr/bin/env", hasTerminal: false, input: Array(input.utf8),
      descriptors: descriptors.mapValues { Array($0.utf8) },
      environment: variables(["PATH": Environment.current()["PATH"] ?? "/usr/bin:/bin"].merging(environment) { $1 })
    ).finish()
  }

  func variables(_ more: [String: String] = [:]) -> [String: String] {
    ["HOME": path, "TZ": "UTC", "SEIF_PINENTRY": ""].merging(more) { $1 }
  }

  /// Keeps what was said, and looks at what mustn't show secrets.
  @discardableResult
  func check(_ result: Terminal.Result, _ reveals: Bool = false) throws -> Terminal.Result {
    let run = runs.withLock { count in
      count += 1
      return count
    }
    try write(result.errors + result.screen, as: "runs/\(run).err")
    if !reveals { try write(result.output, as: "runs/\(run).out") }
    if Canary.isShown(in: result.errors) || (!reveals && Canary.isShown(in: result.output + result.screen)) {
      Issue.record("a secret was shown")
    }
    return result
  }

  private static func given(
    _ secrets: [(option: String, text: String?)]
  ) -> (options: [String], descriptors: [Int32: [UInt8]]) {
    var options: [String] = []
    var descriptors: [Int32: [UInt8]] = [:]
    for (index, secret) in secrets.enumerated() {
      guard let text = secret.text else { continue }
      options += [secret.option, String(index + 3)]
      descriptors[Int32(index) + 3] = Array((text + "\n").utf8)
    }
    return (options, descriptors)
  }
}

/// A JSON document that a command printed: strict JSON whose first members are `schema` and `version`.
func document(_ text: String, _ schema: String, version: Int64 = 1) throws -> JSONValue {
  let root = try JSONDocument(parsing: SecretValue(utf8: text), policy: .strict).root
  var keys = root.members.makeIterator()
  #expect(keys.next()?.key.text == "schema")
  #expect(keys.next()?.key.text == "version")
  #expect(root["schema"]?.string == schema)
  #expect(root["version"]?.int64 == version)
  return root
}

extension Terminal.Result {
  /// The first line of what was said.
  var firstError: String { String(errors.prefix { $0 != "\n" }) }
}
