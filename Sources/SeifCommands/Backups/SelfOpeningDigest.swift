extension SelfOpeningTemplate {
  /// SHA-256 of the page that belongs to this program, in hexadecimal. The page is asked for a passphrase wherever it is
  /// opened, and the file that it lies in may be easier to write to than the program is.
  ///
  /// `scripts/build-page --record` puts it here; without the word it makes no page that has another.
  static let digest = "bef7fbdf1f20b1c1fb3a0e6493f6cfd1362213fd6729015c88b30827447418a5"
}
