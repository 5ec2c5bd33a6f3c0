public import SeifBackups

/// The transports that need no network of their own: this machine's folders, and other programs.
public enum LocalTransports {
  /// Their kinds.
  public static let kinds: [TransportKind] = [folder]

  /// A folder of this machine.
  static let folder = TransportKind(
    id: "folder", displayName: "folder", fields: [TransportField("path", "Which folder?")]
  ) { (settings) throws(TransportError) in
    guard let path = settings.values["path"], path.hasPrefix("/") else {
      throw TransportError(.badSettings, place: settings.name, reason: "path isn't a whole path")
    }
    return FolderTransport(path: path)
  }
}
