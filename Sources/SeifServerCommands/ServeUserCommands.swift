package import SeifCommandLine

/// `seif serve user add NAME`: an account, and the link by which its owner takes it into use.
package struct ServeUserAddCommand: CommandDeclaration {
  package static let name = "serve user add"
  package static let summary = "make an account at your server, and the link that its owner opens"
  package static let usage = """
    seif serve user add NAME [OPTIONS]

    Makes an account and prints a link, good once and for 24 hours, by which its owner
    chooses a password. You never see that password, and it opens no vault.
    """
  package static let quota = Option.value("quota", "SIZE", "what it may keep (10G)")
  package static var options: [Option] { [quota, ServeCommand.origin] + ServerPlace.options + OutputOptions.options }

  package let account: String
  package let quota: Int
  package let origin: ServerOrigin?
  package let place: ServerPlace
  package let output: OutputOptions

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    account = try AccountName.parse(try arguments.positional("NAME"))
    quota = try ByteSize.parse(arguments.value(Self.quota) ?? "10G")
    origin = try arguments.value(ServeCommand.origin).map { (text) throws(UsageError) in try ServerOrigin(text) }
    place = try ServerPlace(&arguments)
    output = try OutputOptions(&arguments)
  }
}

/// `seif serve user list`.
package struct ServeUserListCommand: CommandDeclaration {
  package static let name = "serve user list"
  package static let summary = "the accounts at your server, and what each keeps"
  package static let usage = """
    seif serve user list [OPTIONS]

    Lists accounts: name, state, how many documents and bytes, its limit.
    """
  package static var options: [Option] { ServerPlace.options + OutputOptions.options }

  package let place: ServerPlace
  package let output: OutputOptions

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    place = try ServerPlace(&arguments)
    output = try OutputOptions(&arguments)
  }
}

/// `seif serve user disable NAME`.
package struct ServeUserDisableCommand: CommandDeclaration {
  package static let name = "serve user disable"
  package static let summary = "keep an account from signing in; nothing of it is deleted"
  package static let usage = """
    seif serve user disable NAME [OPTIONS]

    Ends the sessions of an account and refuses its password, passkeys and tokens, until
    --off. Its documents stay as they are.
    """
  package static let off = Option.flag("off", "let it sign in again")
  package static var options: [Option] { [off] + ServerPlace.options + OutputOptions.options }

  package let account: String
  package let off: Bool
  package let place: ServerPlace
  package let output: OutputOptions

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    account = try AccountName.parse(try arguments.positional("NAME"))
    off = arguments.flag(Self.off)
    place = try ServerPlace(&arguments)
    output = try OutputOptions(&arguments)
  }
}

/// `seif serve user reset NAME`: another link.
package struct ServeUserResetCommand: CommandDeclaration {
  package static let name = "serve user reset"
  package static let summary = "a new link for an account whose owner can't sign in"
  package static let usage = """
    seif serve user reset NAME [OPTIONS]

    Prints a new link to choose a password by; earlier links end. With --second-factors the
    account's TOTP secret, passkeys and sign-in codes go too. The documents need their own
    recovery code or passkey as before: no link opens them.
    """
  package static let factors = Option.flag("second-factors", "take TOTP, passkeys and sign-in codes away")
  package static var options: [Option] { [factors, ServeCommand.origin] + ServerPlace.options + OutputOptions.options }

  package let account: String
  package let dropsFactors: Bool
  package let origin: ServerOrigin?
  package let place: ServerPlace
  package let output: OutputOptions

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    account = try AccountName.parse(try arguments.positional("NAME"))
    dropsFactors = arguments.flag(Self.factors)
    origin = try arguments.value(ServeCommand.origin).map { (text) throws(UsageError) in try ServerOrigin(text) }
    place = try ServerPlace(&arguments)
    output = try OutputOptions(&arguments)
  }
}

/// `seif serve user quota NAME SIZE`.
package struct ServeUserQuotaCommand: CommandDeclaration {
  package static let name = "serve user quota"
  package static let summary = "change what an account may keep"
  package static let usage = """
    seif serve user quota NAME SIZE [OPTIONS]

    Sets how many bytes an account may keep: 500M, 10G. One that keeps more already loses
    nothing, and can store nothing more.
    """
  package static var options: [Option] { ServerPlace.options + OutputOptions.options }

  package let account: String
  package let quota: Int
  package let place: ServerPlace
  package let output: OutputOptions

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    account = try AccountName.parse(try arguments.positional("NAME"))
    quota = try ByteSize.parse(try arguments.positional("SIZE"))
    place = try ServerPlace(&arguments)
    output = try OutputOptions(&arguments)
  }
}

/// `seif serve user remove NAME`.
package struct ServeUserRemoveCommand: CommandDeclaration {
  package static let name = "serve user remove"
  package static let summary = "remove an account with all that it keeps, for good"
  package static let usage = """
    seif serve user remove NAME --yes [OPTIONS]

    Removes an account, its sealed documents and every way in. Nothing brings them back but
    a backup of the server, so it asks for --yes.
    """
  package static let yes = Option.flag("yes", "it is meant")
  package static var options: [Option] { [yes] + ServerPlace.options + OutputOptions.options }

  package let account: String
  package let agrees: Bool
  package let place: ServerPlace
  package let output: OutputOptions

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    account = try AccountName.parse(try arguments.positional("NAME"))
    agrees = arguments.flag(Self.yes)
    place = try ServerPlace(&arguments)
    output = try OutputOptions(&arguments)
  }
}
