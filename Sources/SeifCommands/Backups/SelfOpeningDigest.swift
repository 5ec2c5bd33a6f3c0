internal import SeifCommandLine

extension SelfOpeningTemplate {
  /// SHA-256 of the page that belongs to this program, in hexadecimal. The page is asked for a passphrase wherever it is
  /// opened, and the file that it lies in may be easier to write to than the program is.
  ///
  /// `scripts/build-page --record` puts it here; without the word it makes no page that has another.
  static let digest = "e6b854248cb47ca5b41d540f3e81b517e446b5117cd97e5c8d44ae5cc479ab4d"
}
