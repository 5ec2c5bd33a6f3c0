import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import SeifNetworkTransports
import SeifTransports
import SeifTestSupport
import Testing

@testable import SeifCommands

/// Completion in the shells themselves: keys are typed into each, and what it then runs is looked at.
@Suite struct CompletionTests {
  /// Names that a shell would take apart, expand or run.
  static let names = [
    "example (file)", "DNS:Edit/nas.example", "node-0[1-3].example", "Test 1", "$(touch pwned)", "a\"b'c", "`id`", "#x",
    "två * ? {a,b} ~", "back\\slash", "bang!now", "=equal;semi&and|pipe<>",
  ]

  private func start(_ shell: CompletionScript, _ home: Home) throws -> Terminal {
    let tools = try home.folder("tools")
    // Names as an open vault would give them; everything else that is completed is the program's own answer. What is
    // run is noted, one argument after the other.
    try home.write(
      """
      #!/bin/sh
      if [ "$1 $2" = 'complete-words code' ] && [ "${3#-}" = "$3" ] && [ -e '\(home.file("names"))' ]; then
        echo words
        cat '\(home.file("names"))'
      elif [ "$1" = complete-words ]; then
        exec '\(Home.program)' "$@"
      else
        printf '<%s>' "$@" >'\(home.file("called"))'
      fi

      """, as: "tools/seif")
    ExecutableFile.settle(tools + "/seif")
    let script = try home.write(try home.seif("completion", shell.rawValue).output, as: "script")
    let path = "\(tools):/usr/bin:/bin"
    let begin: [String]
    switch shell {
    case .bash: begin = ["bash", "--norc", "--noprofile", "-i"]
    case .zsh: begin = ["zsh", "-f", "-i"]
    case .fish: begin = ["fish", "--no-config", "-i"]
    }
    let terminal = try Terminal(
      begin, program: "/usr/bin/env", output: .terminal,
      environment: home.variables(["PATH": path, "TERM": "xterm", "ZDOTDIR": home.path, "XDG_CONFIG_HOME": home.path]),
      columns: 200)
    var lines = ["cd '\(home.path)'"]
    if shell == .bash { lines.append("bind 'set bell-style none'; set -o history") }
    if shell == .zsh { lines.append("autoload -U compinit; compinit -u -D") }
    lines += ["source '\(script)'", "echo be''gun"]
    for line in lines { terminal.type(line + "\r") }
    try terminal.expect("begun")
    return terminal
  }

  /// Types a line into a shell and gives what was run: each argument in angle brackets.
  private func ran(_ keys: String, _ terminal: Terminal, _ home: Home) throws -> String {
    try? FileManager.default.removeItem(atPath: home.file("called"))
    terminal.type(keys + "\r")
    #expect(becomes { home.exists("called") }, "\(keys.debugDescription)")
    // The file is there a moment before what stands in it.
    #expect(becomes { (try? home.read("called"))?.hasSuffix(">") ?? false }, "\(keys.debugDescription)")
    return (try? home.read("called")) ?? ""
  }

  @Test(arguments: CompletionScript.allCases)
  func commandsOptionsAndValuesAreCompleted(shell: CompletionScript) throws {
    let home = try Home()
    let terminal = try start(shell, home)
    #expect(try ran("seif insp\tx", terminal, home) == "<inspect><x>")
    #expect(try ran("seif backup cr\t--des\tx", terminal, home) == "<backup><create><--destination><x>")
    #expect(try ran("seif list --ki\tlog\t", terminal, home) == "<list><--kind><login>")
    #expect(try ran("seif help undo\t", terminal, home) == "<help><undo>")
    try home.write("", as: "file with space.bin")
    #expect(try ran("seif inspect file\t", terminal, home) == "<inspect><file with space.bin>")
    terminal.type("exit\r")
    _ = try terminal.finish()
  }

  /// Each name is one argument, whole; nothing in it was run, expanded or split.
  @Test(arguments: CompletionScript.allCases)
  func namesAreOneArgumentEach(shell: CompletionScript) throws {
    let home = try Home()
    let terminal = try start(shell, home)
    // Before the file is there, the program's own answer: a locked vault has no names to offer, and asks nothing.
    #expect(try ran("seif code exam\tZ", terminal, home) == "<code><examZ>")
    try home.write(Self.names.map { $0 + "\n" }.joined(), as: "names")
    let typed = [
      "exam", "DNS", "node", "Tes", "\\$", "a", "\\`", "\\#", "tv", "back", "bang", "\\=",
    ]
    for (start, name) in zip(typed, Self.names) {
      #expect(try ran("seif code \(start)\t", terminal, home) == "<code><\(name)>")
    }
    for (start, name) in [
      ("DNS:E", 1), ("example\\ \\(f", 0), ("'exam", 0), ("\"exam", 0), ("'node-0[", 2), ("\"Test ", 3), ("'$(t", 4),
      ("node-0\\[1", 2),
    ] {
      #expect(try ran("seif code \(start)\t", terminal, home) == "<code><\(Self.names[name])>", "\(start)")
    }
    #expect(!home.exists("pwned"))
    terminal.type("exit\r")
    _ = try terminal.finish()
    #expect(!home.exists("pwned"))
  }

  @Test func whatIsNotOneLineIsNotOffered() {
    let hostile = ["two\nlines", "tab\tbed", "esc\u{1B}[2J", "turn\u{202E}ed", "", "plain"]
    let completions = Completions(CommandTable.all) { _ in hostile.map { .init(text: $0, about: "x\ny") } }
    #expect(completions.text(["code", ""]) == "words\nplain\tx\u{FFFD}y\n")
  }

  @Test func everyPlaceOfEveryCommandHasAnAnswer() {
    let completions = Completions(CommandTable.all) { _ in [.init(text: "an entry", about: "")] }
    func words(_ line: String...) -> [String] {
      guard case .words(let candidates) = completions.answer(line) else { return [] }
      return candidates.map(\.text)
    }
    #expect(words("show", "") == ["an entry"])
    #expect(words("remove", "one", "") == ["an entry"])
    #expect(words("copy", "one", "").contains("cvc"))
    #expect(words("code", "--vault", "x", "") == ["an entry"])
    #expect(words("code", "one", "") == [])
    #expect(!words("code", "--next", "-").contains("--next") && words("code", "--next", "-").contains("--watch"))
    #expect(words("code", "--", "-") == ["an entry"])
    #expect(words("edit", "--url", "a", "--ur").contains("--url"))
    #expect(completions.answer(["convert", ""]) == .files)
    #expect(completions.answer(["convert", "x", "--output", ""]) == .files)
    #expect(completions.answer(["convert", "x", "-o", ""]) == .files)
    #expect(completions.answer(["backup", "create", "--destination", ""]) == .folders)
    #expect(completions.answer(["inject", "-i", ""]) == .files && words("inject", "") == [])
    #expect(completions.answer(["run", "--", ""]) == .files && completions.answer(["run", "--", "a", "b"]) == .files)
    #expect(words("git-credential", "") == ["get", "store", "erase"])
    #expect(words("qr", "") == ["an entry"])
    #expect(words("add", "") == ["code", "login", "card", "note"])
    #expect(words("transport", "add", "") == TransportKindName.allCases.map(\.rawValue))
    #expect(
      TransportRegistry(LocalTransports.kinds + NetworkTransports.kinds).kinds.map(\.id)
        == TransportKindName.allCases.map(\.rawValue))
    #expect(words("nonsense", "") == [] && words("backup", "nonsense", "") == [])
    for command in CommandTable.all {
      let line = command.name.split(separator: " ").map(String.init)
      #expect(completions.text(line + ["--"]).split(separator: "\n").count == command.options.count + 1)
    }
  }

  /// While the agent has the vault open, and no longer; each name finds its entry.
  @Test func theNamesOfAnOpenVaultAreOfferedAndFound() throws {
    let home = try Fixture.withVault()
    let quoted = try Self.names.map { name in
      var writer = JSONWriter()
      writer.string(name)
      return try #require(writer.finish().exposedText())
    }
    let accounts = quoted.map {
      "{\"type\":\"totp\",\"issuer\":\($0),\"account\":\"\",\"secret\":\"\(Canary.steamSeed)\"}"
    }
    let twin = "{\"title\":\"GitHub\",\"username\":\"ana\",\"password\":\"p\"}"
    let file = try home.write(
      "{\"schema\":\"seif-records\",\"version\":1,\"accounts\":[\(accounts.joined(separator: ","))],"
        + "\"passwords\":[\(twin)]}", as: "names-in-clear.json")
    #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    let agent = try AgentHome(home)
    func offered(_ words: String...) throws -> [Substring] {
      let result = try home.seif(list: ["complete-words"] + words, environment: agent.variables)
      #expect(result.errors == "")
      return result.output.split(separator: "\n").dropFirst().map { $0.prefix { $0 != "\t" } }
    }
    #expect(try offered("code", "") == [])
    try agent.unlock()
    let names = try offered("code", "")
    #expect(Set(names).isSuperset(of: Self.names.map { Substring($0) }))
    #expect(!names.contains("Example Forge") && names.contains("GitHub"))
    for name in Self.names {
      #expect(try agent.seif("code", "--", name).exitCode == 0, "\(name)")
    }
    // A login and a code of one name: what is offered says which.
    #expect(try offered("show", "GitH") == ["GitHub:ana@example.com", "GitHub:ana"])
    #expect(try offered("show", "--vault", home.file("elsewhere"), "") == [])
    #expect(try agent.seif("lock").exitCode == 0)
    #expect(try offered("code", "") == [])
  }

  /// A locked vault, and one that isn't there: no names, no question, no file, at once.
  @Test func aPressOfAKeyOpensNothing() throws {
    let home = try Fixture.withVault()
    let before = try home.names()
    let result = try home.seif("complete-words", "code", "")
    #expect(result.exitCode == 0)
    #expect(result.output == "words\n")
    #expect(result.errors == "")
    #expect(try home.names() == before)
    #expect(try home.seif("completion", "tcsh").exitCode == 64)
  }
}
