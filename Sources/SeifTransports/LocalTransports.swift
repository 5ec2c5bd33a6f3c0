public import SeifBackups

/// The transports that need no network of their own: this machine's folders, and other programs.
public enum LocalTransports {
  /// Their kinds.
  public static let kinds: [TransportKind] = [folder, icloud, sftp, external]

  /// A folder of this machine.
  static let folder = TransportKind(
    id: "folder", displayName: "folder", fields: [TransportField("path", "Which folder?")]
  ) { (settings) throws(TransportError) in
    guard let path = settings.values["path"], path.hasPrefix("/") else {
      throw TransportError(.badSettings, place: settings.name, reason: "path isn't a whole path", field: "path")
    }
    return FolderTransport(path: path)
  }

  /// A folder kept in step with iCloud.
  static let icloud = TransportKind(
    id: "icloud", displayName: "iCloud folder",
    fields: [
      TransportField("path", "Which folder holds iCloud's Documents?"),
      TransportField("hook", "Which command has a file fetched (its path is added)?", preset: ""),
      TransportField("wait", "How many seconds is a file waited for?", preset: "30"),
    ]
  ) { (settings) throws(TransportError) in
    try ICloudTransport(
      path: settings.values["path"] ?? "", hook: settings.values["hook"] ?? "",
      wait: number(settings.values["wait"]))
  }

  /// A folder of a server, by ssh.
  static let sftp = TransportKind(
    id: "sftp", displayName: "SFTP",
    fields: [
      TransportField("host", "Which host?"), TransportField("folder", "Which folder on it?"),
      TransportField("user", "Which user (empty: as ssh decides)?", preset: ""),
      TransportField("port", "Which port (empty: as ssh decides)?", preset: ""),
      TransportField("identity-file", "Which key file (empty: as ssh decides)?", preset: ""),
    ]
  ) { (settings) throws(TransportError) in
    try SFTPTransport(
      host: settings.values["host"] ?? "", user: settings.values["user"] ?? "", port: settings.values["port"] ?? "",
      folder: settings.values["folder"] ?? "", identityFile: settings.values["identity-file"] ?? "",
      createsConditionally: settings.createsConditionally)
  }

  /// A program of somebody else.
  static let external = TransportKind(
    id: "external", displayName: "external program",
    fields: [
      TransportField("program", "Which program (its whole path)?"),
      TransportField("argument", "What is it given first (empty: nothing)?", preset: ""),
      TransportField("timeout", "After how many seconds is it ended?", preset: "300"),
    ]
  ) { (settings) throws(TransportError) in
    try ExternalTransport(
      program: settings.values["program"] ?? "", argument: settings.values["argument"] ?? "",
      timeout: number(settings.values["timeout"]), createsConditionally: settings.createsConditionally)
  }

  // What is no number is out of every range.
  private static func number(_ text: String?) -> Int { text.flatMap { Int($0) } ?? -1 }
}
