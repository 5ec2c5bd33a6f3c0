/// How the result is given: `--json`, `--quiet`.
package struct OutputOptions: OptionGroup, Sendable {
  package static let json = Option.flag("json", "one JSON document on stdout")
  package static let quiet = Option.flag("quiet", "say only what failed or was lost")
  package static var options: [Option] { [json, quiet] }

  package let json: Bool
  package let quiet: Bool

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    json = arguments.flag(Self.json)
    quiet = arguments.flag(Self.quiet)
  }

  /// Of a command without a document.
  package init(_ arguments: inout ParsedArguments, withoutDocument: Void) throws(UsageError) {
    json = false
    quiet = arguments.flag(Self.quiet)
  }
}
