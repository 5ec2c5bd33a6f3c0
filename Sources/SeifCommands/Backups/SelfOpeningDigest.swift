internal import SeifCommandLine

extension SelfOpeningTemplate {
  /// SHA-256 of the page that belongs to this program, in hexadecimal. The page is asked for a passphrase wherever it is
  /// opened, and the file that it lies in may be easier to write to than the program is.
  ///
  /// `scripts/build-page --record` puts it here; without the word it makes no page that has another.
  static let digest = "0433fc78a5e969aa70217d38aa3d178fa4004e3af736ef1a197a15320c294d34"
}
