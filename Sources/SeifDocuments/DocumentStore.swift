internal import SeifBytes

/// Where the sealed parts of a document vault lie: a folder on this machine, or a server. It sees sealed bytes,
/// identifiers and counters, never a key or a name.
///
/// The order that keeps documents whole is its caller's: objects before the manifest that names them.
package protocol DocumentStore: Sendable {
  /// Which vault it is, as the person named or reached it.
  var place: String { get }
}
