package import SeifHTTPFields

/// The head of a request, after the guard: one framing, one host, no malformed field.
package struct HTTPRequestHead: Sendable {
  /// Its method, as it was sent.
  package var method: String
  /// The path as it was sent, percent-encoded and not normalised; it begins with `/`.
  package var path: String
  /// What stands after the first `?`, as it was sent; nil: there is none.
  package var query: String?
  /// Its fields in their order.
  package var fields: [HTTPField]
  /// The address at the other end of the connection, without a port: a proxy's, where one stands before the server.
  package var peer: String
  /// Whether this connection is TLS.
  package var isEncrypted: Bool
  /// Bytes of the body that it announces; 0: none, nil: it comes in chunks.
  package var bodyByteCount: Int?

  package init(
    method: String, path: String, query: String? = nil, fields: [HTTPField] = [], peer: String = "127.0.0.1",
    isEncrypted: Bool = false, bodyByteCount: Int? = 0
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.peer = peer
    self.isEncrypted = isEncrypted
    self.bodyByteCount = bodyByteCount
  }

  /// The values of all fields of a name, in any case.
  package func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The value of a field that stands once; nil: it isn't there, or several times.
  package subscript(name: String) -> String? {
    let values = values(name)
    return values.count == 1 ? values[0] : nil
  }
}
