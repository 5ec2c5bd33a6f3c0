internal import SeifBytes

/// A way in that was made and isn't in the vault yet: first it is proven to open it.
public struct NewWayIn: Sendable {
  let wrap: KeyWrap

  init(_ wrap: KeyWrap) { self.wrap = wrap }

  /// What of it is known without the key.
  public var wayIn: WayIn { wrap.wayIn }

  /// Its row as JSON, for the process in which it is proven: nothing secret, the data key is in it wrapped.
  public var encoded: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("generation")
    writer.integer(wrap.generation)
    writer.key("id")
    writer.string(wrap.id.description)
    writer.key("kind")
    writer.string(wrap.kind.name)
    writer.key("parameters")
    writer.string(wrap.parameters)
    writer.key("wrappedKey")
    writer.string(Base64.encode(wrap.wrappedKey))
    writer.endObject()
    // EXPOSE: what is in it stands in the vault's file in clear.
    return writer.finish().exposedText() ?? ""
  }

  /// The row that `encoded` gave; nil for anything else.
  public init?(encoded text: String) {
    guard let root = try? JSONDocument(parsing: SecretValue(utf8: text), policy: .strict).root,
      let id = root["id"]?.string.flatMap({ UUID($0) }), let kind = root["kind"]?.string,
      let generation = root["generation"]?.int64, let parameters = root["parameters"]?.string,
      let wrapped = root["wrappedKey"]?.withString({ try? Base64.decode($0) }) ?? nil
    else { return nil }
    // EXPOSE: the data key in it is wrapped.
    let wrappedKey = wrapped.exposedBytes()
    guard wrappedKey.count == KeyWrap.wrappedByteCount else { return nil }
    wrap = KeyWrap(
      id: id, kind: WayIn.Kind(name: kind), generation: generation, parameters: parameters, wrappedKey: wrappedKey)
  }
}
