internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats

/// The page that came with this program and goes around self-opening backups.
enum SelfOpeningTemplate {
  static let name = "self-opening.html"

  /// A writer of self-opening backups.
  ///
  /// - Throws: exit 69 where the page isn't there or is another file: other bytes than this program was built for.
  static func writer(_ context: Context) throws(CommandFailure) -> SelfOpeningWriter {
    guard let path = context.sharedFile(name) else {
      throw CommandFailure(
        .unavailable, "\(name), the page for self-opening backups, didn't come with this seif",
        hint: "Build it and install both: make build && make install")
    }
    let template = try InputFile.read(path, context, byteLimit: SelfOpeningPage.templateLimit, onlyFile: true)
    let digest = template.withBytes { Base16.encode(Digest.sha256($0)) }
    guard digest == context.pageDigest, let page = SelfOpeningPage(template: template) else {
      throw CommandFailure(
        .unavailable, "\(path) isn't the page for self-opening backups that belongs to this seif",
        hint: "Build it and install it again: make build && make install")
    }
    return SelfOpeningWriter(page: page)
  }
}
