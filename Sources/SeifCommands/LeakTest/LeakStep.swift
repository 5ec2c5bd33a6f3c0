internal import SeifCommandLine
internal import SeifVault

/// One run of a command in a leak test.
struct LeakStep {
  let command: String
  var words: [String]
  /// Given by descriptors, each with its option.
  var secrets: [(option: String, value: String)] = []
  var input = ""
  /// How it may end.
  var exits: [Int32] = [0]
  /// The entry whose secrets it is meant to print; `everything`: those of all entries.
  var shows: String?
  /// The same of the variables of what it starts.
  var hands: String?
  var variables: [String] = []

  init(_ command: String, _ words: String...) {
    self.command = command
    self.words = words
  }

  func giving(_ secrets: (option: String, value: String)...) -> LeakStep { with { $0.secrets += secrets } }
  func reading(_ input: String) -> LeakStep { with { $0.input = input } }
  func ending(_ exits: Int32...) -> LeakStep { with { $0.exits = exits } }
  func showing(_ entry: String) -> LeakStep { with { $0.shows = entry } }
  func handing(_ entry: String, _ variables: String...) -> LeakStep {
    with {
      $0.hands = entry
      $0.variables += variables
    }
  }

  /// What a device of a kind asks for.
  func presenting(_ kind: WayIn.Kind, _ c: LeakCanaries) -> LeakStep {
    kind == .tpm2 ? giving(("--passphrase-fd", c.devicePIN)) : self
  }
  /// The PIN beside other secrets, where there is a device that has one.
  func givingPIN(_ kinds: [WayIn.Kind], _ c: LeakCanaries) -> LeakStep {
    kinds.contains(.tpm2) ? giving(("--pin-fd", c.devicePIN)) : self
  }

  private func with(_ change: (inout LeakStep) -> Void) -> LeakStep {
    var step = self
    change(&step)
    return step
  }

  /// The words of the command line; options come before what `run` starts.
  var arguments: [String] {
    let options = secrets.enumerated().flatMap { place, secret in [secret.option, "\(place + 3)"] }
    return ["seif"] + command.split(separator: " ").map(String.init) + options + words
  }
}

/// What a leak test runs, in its order.
enum LeakSteps {
  private static let documents =
    "its own tests search the folder and the memory of a document vault for names, contents and keys"

  private static let server =
    "another program does it, which holds no vault; its own tests search what it stores and says"

  private static let signIn =
    "it wants a server; its own tests search what a server stores, says and is sent"

  /// Commands that it doesn't run, each with the reason.
  static let leftOut: [String: String] = [
    "leak-test": "this is it",
    "docs init": documents, "docs ls": documents, "docs mkdir": documents, "docs put": documents,
    "docs get": documents, "docs cat": documents, "docs mv": documents, "docs rename": documents,
    "docs rm": documents, "docs undo": documents, "docs fav": documents, "docs usage": documents,
    "docs sync": documents, "docs kit": documents, "docs keep": documents, "docs rotate": documents,
    "docs doctor": documents, "docs accept-rollback": documents,
    "login": signIn, "logout": signIn,
    "serve": server, "serve user add": server, "serve user list": server, "serve user disable": server,
    "serve user reset": server, "serve user quota": server, "serve user remove": server, "serve backup": server,
    "serve check": server,
    "tui": "it wants a person at a terminal; its own tests search the screen, its history and its memory",
  ]

  static func made(_ c: LeakCanaries, _ world: LeakWorld) -> [LeakStep] {
    [
      LeakStep("init", "--recovery-sheet", world.output("sheet.txt"), "--unlock-ms", "500")
        .giving(("--new-passphrase-fd", c.passphrase)),
      // One of the entries can't be used.
      LeakStep("import", "-").giving(("--vault-passphrase-fd", c.passphrase)).reading(c.records).ending(1),
    ]
  }

  // MARK: - Devices

  /// Gives the vault ways in by devices.
  static func addDevices(_ c: LeakCanaries, _ kinds: [WayIn.Kind]) -> [LeakStep] {
    kinds.map { kind in
      let step = LeakStep("keys add", kind.name).giving(("--passphrase-fd", c.passphrase))
      return kind == .tpm2 ? step.giving(("--pin-fd", c.devicePIN)) : step
    }
  }

  /// Opens it by each of them.
  static func byDevices(_ c: LeakCanaries, _ kinds: [WayIn.Kind]) -> [LeakStep] {
    kinds.map { kind in LeakStep("list", "--with", kind.name).presenting(kind, c) }
  }

  /// Opens it in the agent by each of them; the last of them leaves it open.
  static func unlocking(_ c: LeakCanaries, _ kinds: [WayIn.Kind]) -> [LeakStep] {
    kinds.flatMap { kind in
      [
        LeakStep("lock"), LeakStep("unlock", "--with", kind.name).presenting(kind, c), LeakStep("code", "Steam"),
        LeakStep("show", "Note"),
      ]
    }
  }

  // MARK: - With the agent

  /// With the vault open in the agent.
  static func withAgent(_ c: LeakCanaries, _ world: LeakWorld, _ kinds: [WayIn.Kind]) -> [LeakStep] {
    reading(c) + writing(c, world) + files(c, world) + lookingAfter(c, kinds)
  }

  private static func reading(_ c: LeakCanaries) -> [LeakStep] {
    var steps = [
      LeakStep("unlock").giving(("--passphrase-fd", c.passphrase)), LeakStep("agent status", "--json"),
      LeakStep("status"), LeakStep("status", "--json"), LeakStep("paths"), LeakStep("formats"), LeakStep("list"),
      LeakStep("list", "--json"), LeakStep("completion", "bash"), LeakStep("generate", "--count", "3"),
      LeakStep("show", c.plant).ending(66),
    ]
    for entry in ["Timed", "Counted", "Steam", "Motp", "Yandex", "Login", "Card", "Note"] {
      steps += [LeakStep("show", entry), LeakStep("show", entry, "--json")]
      steps.append(LeakStep("show", entry, "--reveal").showing(entry))
      steps.append(LeakStep("show", entry, "--reveal", "--json").showing(entry))
    }
    for entry in ["Timed", "Counted", "Steam", "Motp", "Yandex", "Login"] { steps.append(LeakStep("code", entry)) }
    let document = String(LeakCanaries.documentID.prefix(8))
    return steps + [
      LeakStep("show", document), LeakStep("show", document, "--reveal").showing("document"),
      LeakStep("code", "Timed", "--next", "--json"), LeakStep("history", "Login"),
      LeakStep("history", "Login", "--reveal", "--json").showing("Login"),
      LeakStep("audit").giving(("--passphrase-fd", c.passphrase)).ending(0, 2),
      LeakStep("audit", "--json").giving(("--passphrase-fd", c.passphrase)).ending(0, 2),
    ]
  }

  private static func writing(_ c: LeakCanaries, _ world: LeakWorld) -> [LeakStep] {
    [
      LeakStep("add", "code", "--name", "Added code").giving(("--secret-fd", LeakCanaries.base32(c.addedSeed))),
      LeakStep("add", "login", "--name", "Added login", "--account", "a").giving(("--secret-fd", c.addedPassword)),
      LeakStep("add", "card", "--name", "Added card", "--json").giving(("--secret-fd", c.addedNumber)),
      LeakStep("add", "note", "--name", "Added note", "--text-file", "-").reading(c.addedNote),
      LeakStep("edit", "Added login").giving(("--secret-fd", c.changedPassword)),
      LeakStep("edit", "Login", "--tag", "x"), LeakStep("show", "Added login", "--reveal").showing("Added login"),
      LeakStep("remove", "Added note"), LeakStep("bin list"), LeakStep("bin list", "--json"),
      LeakStep("bin restore", "Added note"), LeakStep("remove", "Added card"), LeakStep("undo"),
      LeakStep("inject").reading("\(c.plant) {{ seif://Login/password }}\n").showing("Login"),
      LeakStep("run", "--", "/bin/sh", "-c", "sleep 0.2; echo \"$LEAK\"; echo \"$LEAK\" >&2")
        .handing("Login", "LEAK=seif://Login/password"),
      LeakStep("git-credential", "get").reading("protocol=https\nhost=leak.example\n\n").showing("Login"),
      LeakStep("qr", "Timed", "--yes", "-o", world.output("timed.png")),
      LeakStep("add", "--qr", world.output("timed.png"), "--yes"),
    ]
  }

  private static func files(_ c: LeakCanaries, _ world: LeakWorld) -> [LeakStep] {
    let sealed = world.output("all.authbackup")
    let file = ("--passphrase-fd", c.filePassphrase)
    return [
      LeakStep("export", "--to", "authbackup", "--yes", "-o", sealed).ending(0, 1).giving(
        ("--new-passphrase-fd", c.filePassphrase)),
      LeakStep("export", "--to", "json", "--plain", "--yes", "-o", world.output("clear.json")).ending(0, 1),
      LeakStep("inspect", sealed), LeakStep("inspect", sealed, "--json"),
      LeakStep("verify", sealed).giving(file).ending(0, 2),
      LeakStep("open", sealed).giving(file).ending(0, 1), LeakStep("open", sealed, "--json").giving(file).ending(0, 1),
      LeakStep("convert", sealed, "--to", "json", "-o", "-").giving(file).ending(0, 1).showing("everything"),
      LeakStep("convert", sealed, "--to", "uri-list", "-o", "-").giving(file).ending(0, 1).showing("everything"),
      LeakStep("import", sealed).giving(file, ("--vault-passphrase-fd", c.passphrase)).ending(0, 1),
      LeakStep("backup create", "--destination", world.output("backups"))
        .giving(("--passphrase-fd", c.passphrase), ("--new-passphrase-fd", c.filePassphrase)).ending(0, 1),
      LeakStep("backup list", "--destination", world.output("backups")).giving(("--passphrase-fd", c.passphrase)),
      LeakStep("backup inspect", "--destination", world.output("backups")),
      LeakStep("backup verify", "--destination", world.output("backups"), "--all", "--open").giving(
        file, ("--vault-passphrase-fd", c.passphrase)
      )
      .ending(0, 2),
      LeakStep("backup prune", "--destination", world.output("backups"), "--yes")
        .giving(("--passphrase-fd", c.passphrase)),
      LeakStep("backup rule", "--every", "7d", "--places", "1"), LeakStep("backup rule", "--json"),
      LeakStep("backup restore", "--destination", world.output("backups")).giving(
        file, ("--vault-passphrase-fd", c.passphrase)
      )
      .ending(0, 1),
      LeakStep("drill", "--destination", world.output("backups")).giving(file, ("--vault-passphrase-fd", c.passphrase))
        .ending(0, 1, 2),
      LeakStep("backup forget", world.output("backups"), "--yes").giving(("--passphrase-fd", c.passphrase)),
      LeakStep("transport add", "folder", "shelf", "--set", "path=\(world.output("backups"))"),
      LeakStep("transport list"), LeakStep("transport test", "shelf"),
      LeakStep("backup automatic", "--destination", "shelf"), LeakStep("backup automatic", "--json"),
      LeakStep("backup list", "--destination", "shelf").giving(("--passphrase-fd", c.passphrase)),
      LeakStep("backup schedule", "--destination", "shelf").giving(("--passphrase-fd", c.passphrase)),
      LeakStep("backup run"), LeakStep("backup create", "--snapshot", "--json"),
      LeakStep("backup schedule", "--remove"), LeakStep("transport remove", "shelf"),
    ]
  }

  private static func lookingAfter(_ c: LeakCanaries, _ kinds: [WayIn.Kind]) -> [LeakStep] {
    [
      LeakStep("doctor").giving(("--passphrase-fd", c.passphrase)).ending(0, 2),
      LeakStep("doctor", "--json").giving(("--passphrase-fd", c.passphrase)).ending(0, 2), LeakStep("keys list"),
      LeakStep("keys test").giving(("--passphrase-fd", c.passphrase)).givingPIN(kinds, c),
    ]
  }

  static var locks: [LeakStep] { [LeakStep("lock"), LeakStep("lock", "--all")] }

  /// With the vault closed: what changes the ways in. The second passphrase takes the place of the first.
  static func waysIn(
    _ c: LeakCanaries, _ world: LeakWorld, _ kinds: [WayIn.Kind], recoveryCode: String
  ) -> [LeakStep] {
    let second = ("--passphrase-fd", c.secondPassphrase)
    return [
      LeakStep("keys passphrase", "--unlock-ms", "500")
        .giving(("--passphrase-fd", c.passphrase), ("--new-passphrase-fd", c.secondPassphrase)),
      LeakStep("keys rotate", "--recovery-sheet", world.output("sheet-rotated.txt"))
        .giving(second, ("--recovery-code-fd", recoveryCode)).givingPIN(kinds, c),
      LeakStep("keys add", "recovery", "--recovery-sheet", world.output("sheet-second.txt")).giving(second),
    ]
  }

  static func keysRemove(_ c: LeakCanaries, way: String) -> LeakStep {
    LeakStep("keys remove", way, "--yes").giving(("--passphrase-fd", c.secondPassphrase))
  }

  static func copy() -> LeakStep { LeakStep("copy", "Login", "--for", "2", "--json").ending(0, 69) }

  static func agent() -> LeakStep { LeakStep("agent", "--foreground") }

  static func destroy(_ c: LeakCanaries) -> LeakStep {
    LeakStep("destroy").giving(("--passphrase-fd", c.secondPassphrase))
  }

  /// Every command that is run.
  static func commands(_ c: LeakCanaries, _ world: LeakWorld) -> Set<String> {
    let steps =
      made(c, world) + withAgent(c, world, []) + locks + waysIn(c, world, [], recoveryCode: "") + [
        keysRemove(c, way: ""), copy(), agent(), destroy(c),
      ]
    return Set(steps.map(\.command))
  }
}
