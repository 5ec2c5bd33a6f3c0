/// Which vault: `--vault DIR`, else `SEIF_VAULT`, else `$XDG_DATA_HOME/seif`.
package struct VaultOptions: OptionGroup, Sendable {
  package static let vault = Option.value("vault", "DIR", "the vault's folder (else SEIF_VAULT, else the usual place)")
  package static var options: [Option] { [vault] }

  package let given: String?

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    given = arguments.value(Self.vault)
    if given == "" { throw UsageError("--vault needs the name of a folder") }
  }

  /// The folder, whether it exists or not.
  /// - Throws: exit 64 where nothing says where it is (no option, no variable, no home folder).
  package func folder(_ environment: Environment) throws(CommandFailure) -> String {
    if let given { return given }
    if let path = environment["SEIF_VAULT"], !path.isEmpty { return path }
    if let data = UserFolders.data(environment) { return data + "/seif" }
    throw CommandFailure(.usage, "nothing says where the vault is", hint: "Give --vault DIR.")
  }
}

/// The user's folders as the XDG base directory specification has them. A relative path in a variable doesn't count.
package enum UserFolders {
  package static func data(_ environment: Environment) -> String? {
    folder("XDG_DATA_HOME", or: ".local/share", environment)
  }
  package static func state(_ environment: Environment) -> String? {
    folder("XDG_STATE_HOME", or: ".local/state", environment)
  }
  package static func configuration(_ environment: Environment) -> String? {
    folder("XDG_CONFIG_HOME", or: ".config", environment)
  }
  package static func cache(_ environment: Environment) -> String? {
    folder("XDG_CACHE_HOME", or: ".cache", environment)
  }

  private static func folder(_ variable: String, or below: String, _ environment: Environment) -> String? {
    if let path = environment[variable], path.hasPrefix("/") { return path }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return (home == "/" ? "" : home) + "/" + below
  }
}

/// How the result is given: `--json`, `--quiet`.
package struct OutputOptions: OptionGroup, Sendable {
  package static let json = Option.flag("json", "one JSON document on stdout")
  package static let quiet = Option.flag("quiet", "say only what failed or was lost")
  package static var options: [Option] { [json, quiet] }

  package let json: Bool
  package let quiet: Bool

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    json = arguments.flag(Self.json)
    quiet = arguments.flag(Self.quiet)
  }

  /// Of a command without a document.
  package init(_ arguments: inout ParsedArguments, withoutDocument: Void) throws(UsageError) {
    json = false
    quiet = arguments.flag(Self.quiet)
  }
}

/// `--reveal`, for commands that would otherwise mask.
package struct RevealOptions: OptionGroup, Sendable {
  package static let reveal = Option.flag("reveal", "show secrets instead of masks")
  package static var options: [Option] { [reveal] }

  package let reveal: Bool

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    reveal = arguments.flag(Self.reveal)
  }
}

/// `-o OUT` and `--force`, for commands that write a file.
package struct WriteOptions: OptionGroup, Sendable {
  package static let output = Option.value("output", "OUT", short: "o", "where to write; - for stdout")
  package static let force = Option.flag("force", "replace the file if it exists")
  package static var options: [Option] { [output, force] }

  /// The path, `-` for stdout; nil where it wasn't given.
  package let output: String?
  package let force: Bool

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    output = arguments.value(Self.output)
    if output == "" { throw UsageError("--output needs the name of a file, or - for stdout") }
    force = arguments.flag(Self.force)
  }
}

/// `--at UNIX-SECONDS`, which fixes "now" where codes are shown.
package struct ClockOptions: OptionGroup, Sendable {
  package static let at = Option.value("at", "UNIX-SECONDS", "show codes as of this moment")
  package static var options: [Option] { [at] }

  package let at: Int64?

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    // Up to the year 9999: what can be written as RFC 3339.
    at = try arguments.integer(Self.at, in: 0...253_402_300_799).map(Int64.init)
  }

  package func clock(_ context: Context) -> Clock { at.map { .fixed(at: $0) } ?? context.clock }
}
