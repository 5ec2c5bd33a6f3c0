internal import SeifBytes
internal import SeifSQL

/// The plaintext of `set_aside`: rows of other tables as they stood, their sealed values still sealed, as canonical JSON.
enum SetAsideCodec {
  /// Rows that were taken out together: an entry and its summary.
  struct Content {
    var at: Timestamp
    var rows: [(table: VaultTable, values: [SQLValue])]
  }

  /// Tables whose rows can be taken out.
  static let tables: [VaultTable] = [.item, .bin, .unusable, .opaqueMember, .secret]

  /// The identifier among a row's values.
  static func id(_ table: VaultTable, _ values: [SQLValue]) throws(VaultError) -> UUID {
    guard case .blob(let bytes) = values[table.idIndex], let id = UUID(bytes: bytes) else {
      throw VaultError(.damaged, "id")
    }
    return id
  }

  static func encode(_ content: Content) throws(VaultError) -> SecretValue {
    var writer = JSONWriter(capacity: 1024)
    writer.beginObject()
    writer.key("at")
    writer.integer(content.at.milliseconds)
    writer.key("rows")
    writer.beginArray()
    for (table, values) in content.rows {
      writer.beginObject()
      writer.key("table")
      writer.string(table.name)
      writer.key("values")
      writer.beginObject()
      for (column, value) in zip(table.columns, values) {
        writer.key(column)
        switch value {
        case .integer(let number): writer.integer(number)
        case .blob(let bytes): writer.string(Base64.encode(bytes))
        case .null, .text: throw VaultError(.internalFailure, column)
        }
      }
      writer.endObject()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    let json = writer.finish()
    // Longer ones weren't written by us, and would not fit a value.
    guard json.byteCount <= 2 * ItemCodec.maximumByteCount else { throw VaultError(.damaged, "too long") }
    return json
  }

  static func decode(_ json: SecretValue) throws(VaultError) -> Content {
    guard let root = try? JSONDocument(parsing: json, policy: .strict).root, let at = root["at"]?.int64,
      let list = root["rows"]
    else { throw VaultError(.damaged, "set_aside") }
    var content = Content(at: Timestamp(milliseconds: at), rows: [])
    for row in list.elements {
      guard let table = (tables + [.itemSummary]).first(where: { $0.name == row["table"]?.string }) else {
        throw VaultError(.damaged, "set_aside")
      }
      var values: [SQLValue] = []
      for column in table.columns {
        guard let value = row["values"]?[column].flatMap(Self.value) else { throw VaultError(.damaged, "set_aside") }
        values.append(value)
      }
      content.rows.append((table, values))
    }
    guard !content.rows.isEmpty else { throw VaultError(.damaged, "set_aside") }
    return content
  }

  private static func value(_ value: JSONValue) -> SQLValue? {
    if let number = value.int64 { return .integer(number) }
    // EXPOSE: what is sealed here is sealed within, too.
    return (value.withString { try? Base64.decode($0) } ?? nil).map { .blob($0.exposedBytes()) }
  }
}
