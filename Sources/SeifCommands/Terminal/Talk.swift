/// What is said to the person, on stderr. Data never go this way, secrets never go this way.
package final class Talk {
  package let descriptor: Int32
  package let style: TerminalStyle
  /// Set by `--quiet`: only failures and warnings are said.
  package var isQuiet = false
  private var hasHinted = false
  /// Runs before each line: data that are still held back come first.
  var beforeLine: () -> Void = {}

  package init(descriptor: Int32, style: TerminalStyle) {
    self.descriptor = descriptor
    self.style = style
  }

  /// A line of news; not with `--quiet`. Controls in it are replaced, so a name can be put in as it is.
  package func say(_ text: String) {
    if !isQuiet { line(Display.cleaned(text)) }
  }

  /// A line of news behind a sign.
  package func say(_ sign: Sign, _ text: String) {
    if !isQuiet { line(sign.text(style) + " " + Display.cleaned(text)) }
  }

  /// A line that is said even with `--quiet`: something was lost, left out, or is dangerous.
  package func warn(_ text: String) {
    line(Sign.warn.text(style) + " " + Display.cleaned(text))
  }

  /// The one next step (`Next: …`): at most one a run, on terminals only.
  package func hint(_ command: String) {
    guard style.isTerminal, !isQuiet, !hasHinted else { return }
    hasHinted = true
    line("Next: " + Display.cleaned(command))
  }

  package func fail(_ failure: CommandFailure) {
    for text in failure.lines { line(text) }
  }

  /// A line as it is; for text of our own such as tables and help.
  package func line(_ text: String) {
    beforeLine()
    var text = text
    text += "\n"
    // A stderr that can't be written to leaves nobody to tell.
    text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: descriptor) }
  }
}
