internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBackups

/// `seif-net`, which has what `seif` has and the network: `seif` becomes it where a command may need that, as long as
/// nothing was asked or opened. Arguments, environment and descriptors stay; no secret is handed over.
enum NetworkProgram {
  static let name = "seif-net"

  /// Becomes it if the arguments may need it and it is there; else returns.
  static func replace(_ arguments: [String]) {
    guard mayNeed(arguments, docs: Environment.current()["SEIF_DOCS"]), let path = SeifProgram.beside(name) else {
      return
    }
    // As the kernel gave them, byte for byte. Where it can't be run, what needs no network works all the same.
    execv(path, CommandLine.unsafeArgv)
  }

  /// Whether a command with these arguments may have to speak over the network: it is about transports or
  /// servers, or about backups at a destination that isn't spelled as a path, or documents at an address.
  ///
  /// - Parameter docs: where the environment says that documents are.
  static func mayNeed(_ arguments: [String], docs: String? = nil) -> Bool {
    let words = arguments.prefix { $0 != "--" }
    if words.contains("--help") || words.contains("-h") { return false }
    switch words.first {
    case "transport", LoginCommand.name, LogoutCommand.name: return true
    case "docs":
      return (words + [docs ?? ""]).contains { word in
        ServerSignIn.isAddress(word.hasPrefix("--docs=") ? String(word.dropFirst(7)) : word)
      }
    case "backup", "drill":
      for (index, word) in words.enumerated() {
        if word == "--destination" { return words.dropFirst(index + 1).first.map(DestinationOptions.isNamed) ?? false }
        if word.hasPrefix("--destination=") { return DestinationOptions.isNamed(String(word.dropFirst(14))) }
      }
      // All that are approved, or the one that is chosen: which these are only the vault says.
      return words.contains("--snapshot") || words.contains("--automatic")
    default: return false
    }
  }

  /// Why a kind of destination that Seif has isn't known to this program; nil: it is, or Seif doesn't have it.
  static func isMissing(for kind: String, _ context: Context) -> CommandFailure? {
    guard context.transports[kind] == nil, TransportKindName(rawValue: kind) != nil else { return nil }
    return CommandFailure(
      .unavailable, "\(kind) needs the program \(name), which isn't beside seif", hint: "Install both: make install")
  }
}
