internal import Glibc
package import SeifBytes

/// Buffered data for stdout: exactly the bytes written, and nothing else.
package final class Output {
  package let descriptor: Int32
  package let style: TerminalStyle
  private var buffer: [UInt8] = []
  private static let flushAt = 64 * 1024
  /// What went wrong while something was about to be said; told by the next flush.
  private var failure: CommandFailure?
  /// Whether anything was written, handed over or not.
  package private(set) var isBegun = false

  package init(descriptor: Int32, style: TerminalStyle) {
    self.descriptor = descriptor
    self.style = style
    // Growing would leave copies of what is shown behind.
    buffer.reserveCapacity(2 * Self.flushAt)
  }

  /// Appends text as UTF-8. Names in it have been cleaned by whoever made it.
  package func write(_ text: String) throws(CommandFailure) {
    if !text.isEmpty { isBegun = true }
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.flushAt { try flush() }
  }

  package func writeLine(_ text: String) throws(CommandFailure) {
    try write(text)
    try write("\n")
  }

  /// Appends a line that a terminal gets in lines of its width, each but the first behind an indent. A listener hears it
  /// as one, and a file holds it as one.
  package func writeLine(_ text: String, indent: Int) throws(CommandFailure) {
    guard let columns = style.columns, !style.isAccessible else { return try writeLine(text) }
    try writeLine(WordWrap.wrapped(text, to: columns, indent: indent))
  }

  /// Appends a label and a text beside it, which stays beside it where it is broken.
  ///
  /// - Parameter sign: stands before the text, which alone is cleaned: a sign may have a colour.
  package func writeField(_ label: String, _ text: String, width: Int, sign: Sign? = nil) throws(CommandFailure) {
    let padding = String(repeating: " ", count: max(1, width - label.count))
    let text = Display.cleaned(text)
    guard let sign else { return try writeLine(label + padding + text, indent: width) }
    var plain = style
    plain.hasColour = false
    let start = label.count + padding.count + CellWidth.of(sign.text(plain)) + 1
    let columns = style.isAccessible ? nil : style.columns
    let shown = columns.map { WordWrap.wrapped(text, to: $0, after: start, indent: width) } ?? text
    try writeLine(label + padding + sign.text(style) + " " + shown)
  }

  /// Appends bytes as they are.
  package func write(raw bytes: RawSpan) throws(CommandFailure) {
    // In pieces, so that the buffer never grows and leaves a copy behind.
    if !bytes.isEmpty { isBegun = true }
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.extracting(first: Self.flushAt)
      piece.withUnsafeBytes { buffer.append(contentsOf: $0) }
      rest = rest.extracting(droppingFirst: piece.byteCount)
      if buffer.count >= Self.flushAt { try flush() }
    }
  }

  /// Appends a JSON document (what a `JSONWriter` finished with) and a line end.
  package func writeLine(json document: SecretValue) throws(CommandFailure) {
    try document.withBytes { (bytes) throws(CommandFailure) in try write(raw: bytes) }
    try write("\n")
  }

  /// Hands over what is buffered.
  /// - Throws: exit 74; silently where the reader has gone (`seif list | head`), since that was its choice.
  package func flush() throws(CommandFailure) {
    if let failure { throw failure }
    // What is shown may be a secret: it is wiped from the buffer once it is out.
    defer {
      buffer.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
      buffer.removeAll(keepingCapacity: true)
    }
    switch Descriptor.writeAll(buffer.span.bytes, to: descriptor) {
    case 0: return
    case EPIPE: throw CommandFailure(.ioFailed, "", isSilent: true)
    case ENOSPC, EDQUOT: throw CommandFailure(.ioFailed, "the disk is full", hint: "The output isn't complete.")
    case let code: throw CommandFailure(.ioFailed, "the output can't be written: \(Descriptor.words(for: code))")
    }
  }

  /// Hands over what is buffered before the person is told something: what was shown first comes first.
  package func flushBeforeTalk() {
    do throws(CommandFailure) { try flush() } catch { failure = error }
  }
}
