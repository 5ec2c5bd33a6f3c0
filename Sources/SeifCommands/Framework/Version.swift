/// Which Seif this is.
package enum Version {
  package static let number = "0.1.0"
  package static let line = "seif \(number)"

  /// What `--version` prints; with `--json` also the schema of neutral records that this Seif speaks.
  package static func text(json: Bool) -> String {
    guard json else { return line + "\n" }
    return """
      {"schema":"seif-version","version":1,"seif":"\(number)","records":{"schema":"seif-records","version":1},\
      "formats":[\(formats.map { "\"\($0)\"" }.joined(separator: ","))]}

      """
  }

  /// The formats that are written, by the names that `convert --to` takes. Plain ASCII words.
  package static var formats: [String] { [] }
}
