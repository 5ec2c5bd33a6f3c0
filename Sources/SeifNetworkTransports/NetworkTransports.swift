public import SeifBackups

/// The transports that need the network.
public enum NetworkTransports {
  /// Their kinds.
  public static let kinds: [TransportKind] = [
    WebDAVTransport.kind, S3Transport.kind, GoogleDriveTransport.kind, DropboxTransport.kind,
  ]
}
