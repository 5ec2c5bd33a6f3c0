/// One stored value of any type, for code that walks over all columns of a row.
package enum SQLValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  package var type: ColumnType {
    switch self {
    case .null: .null
    case .integer: .integer
    case .text: .text
    case .blob: .blob
    }
  }
}

/// SQLite's storage classes. `real` is known only to be refused: nothing here reads or binds floating point.
package enum ColumnType: String, Sendable {
  case null, integer, real, text, blob
}

extension SQLValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type and length; never the value.
  package var description: String {
    switch self {
    case .null: "null"
    case .integer: "integer"
    case .text(let text): "text of \(text.utf8.count) bytes"
    case .blob(let bytes): "blob of \(bytes.count) bytes"
    }
  }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
