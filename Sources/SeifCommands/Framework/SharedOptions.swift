package import SeifCommandLine

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
