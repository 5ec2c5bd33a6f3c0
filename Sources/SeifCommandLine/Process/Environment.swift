internal import Glibc

/// The environment variables as they were at the start.
package struct Environment: Sendable {
  private let values: [String: String]

  package init(_ values: [String: String]) { self.values = values }

  /// The variables of this process.
  package static func current() -> Environment {
    var values: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let pair = String(cString: text)
      if let equals = pair.firstIndex(of: "=") {
        values[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
      }
      entry += 1
    }
    return Environment(values)
  }

  package subscript(_ name: String) -> String? { values[name] }
}
