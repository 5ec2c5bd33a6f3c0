package import SeifCommandLine

/// `seif serve backup FOLDER`.
package struct ServeBackupCommand: CommandDeclaration {
  package static let name = "serve backup"
  package static let summary = "copy all that your server keeps, as it is at one moment"
  package static let usage = """
    seif serve backup FOLDER [OPTIONS]

    Copies database, key and sealed documents to a new folder while the server runs. To
    restore it, start the server with --data FOLDER, or put the folder in the old one's
    place.
    """
  package static var options: [Option] { ServerPlace.options + OutputOptions.options }

  package let folder: String
  package let place: ServerPlace
  package let output: OutputOptions

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    folder = try arguments.positional("FOLDER")
    if folder.isEmpty { throw UsageError("FOLDER needs a name") }
    place = try ServerPlace(&arguments)
    output = try OutputOptions(&arguments)
  }
}

/// `seif serve check`.
package struct ServeCheckCommand: CommandDeclaration {
  package static let name = "serve check"
  package static let summary = "compare your server's database with its sealed documents"
  package static let usage = """
    seif serve check [OPTIONS]

    Checks the database, and that each sealed document it names is there and whole. Changes
    nothing. Exit code 2 where something is wrong.
    """
  package static let quick = Option.flag("quick", "compare lengths only, not contents")
  package static var options: [Option] { [quick] + ServerPlace.options + OutputOptions.options }

  package let isQuick: Bool
  package let place: ServerPlace
  package let output: OutputOptions

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    isQuick = arguments.flag(Self.quick)
    place = try ServerPlace(&arguments)
    output = try OutputOptions(&arguments)
  }
}

/// All commands of the server's program.
package enum ServerCommandTable {
  package static var all: [any CommandDeclaration.Type] {
    [
      ServeCommand.self, ServeUserAddCommand.self, ServeUserListCommand.self, ServeUserDisableCommand.self,
      ServeUserResetCommand.self, ServeUserQuotaCommand.self, ServeUserRemoveCommand.self, ServeBackupCommand.self,
      ServeCheckCommand.self,
    ]
  }
}
