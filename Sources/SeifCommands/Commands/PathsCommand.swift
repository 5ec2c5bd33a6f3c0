internal import SeifCommandLine
internal import SeifBytes

/// `seif paths`: where everything lies.
struct PathsCommand: Command {
  static let name = "paths"
  static let summary = "say where the vault and what belongs to it lie"
  static let usage = """
    seif paths [OPTIONS]

    Prints the folders that Seif uses, whether they exist or not.
    """
  static var options: [Option] { VaultOptions.options + OutputOptions.options }

  private let vault: VaultOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try vault.folder(context.environment)
    let state = UserFolders.state(context.environment).map { $0 + "/seif" } ?? folder
    let paths = [("vault", folder), ("vaultFile", folder + "/vault.db"), ("state", state)]
    guard output.json else {
      var table = Table([Table.Column("what"), Table.Column("where")])
      for (name, path) in paths { table.add([name == "vaultFile" ? "vault's file" : name, path]) }
      try context.output.write(table.text(context.output.style))
      return .done
    }
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-paths", 1)
    for (name, path) in paths { writer.member(name, path) }
    writer.endObject()
    try context.output.writeLine(json: writer.finish())
    return .done
  }
}
