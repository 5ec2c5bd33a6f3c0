internal import SeifBytes
enum KeyURIReader {
  static func read(_ uri: RawSpan, dialect: KeyURI.Dialect) throws(KeyURIError) -> ForeignKeyURI {
    throw KeyURIError(.scheme)
  }
}
