internal import SeifBytes

/// What is said to the person, on stderr. Data never go this way, secrets never go this way.
package final class Talk {
  package let descriptor: Int32
  package let style: TerminalStyle
  /// Set by `--quiet`: only failures and warnings are said.
  package var isQuiet = false
  private var hasHinted = false
  /// Runs before each line: data that are still held back come first.
  package var beforeLine: () -> Void = {}

  package init(descriptor: Int32, style: TerminalStyle) {
    self.descriptor = descriptor
    self.style = style
  }

  /// A line of news; not with `--quiet`. Controls in it are replaced, so a name can be put in as it is.
  package func say(_ text: String) {
    if !isQuiet { always(text) }
  }

  /// A line of news behind a sign.
  package func say(_ sign: Sign, _ text: String) {
    if !isQuiet { always(sign, text) }
  }

  /// A line that is said even with `--quiet`: something was lost, left out, or is dangerous.
  package func warn(_ text: String) {
    always(.warn, text)
  }

  /// A line that is said even with `--quiet`; one that begins with spaces goes on behind two more where it is broken.
  package func always(_ text: String) {
    let spaces = text.prefix { $0 == " " }.count
    let indent = spaces > 0 ? spaces + 2 : 0
    line(wrapped(Display.cleaned(text), after: 0, indent: indent))
  }

  /// The same behind a mark of one cell.
  package func item(_ mark: String, _ text: String) {
    line("\(mark) " + wrapped(Display.cleaned(text), after: 2, indent: 2))
  }

  private func always(_ sign: Sign, _ text: String) {
    var plain = style
    plain.hasColour = false
    let width = CellWidth.of(sign.text(plain)) + 1
    line(sign.text(style) + " " + wrapped(Display.cleaned(text), after: width, indent: width))
  }

  /// On a terminal the text in lines of its width; a listener hears it as one, and a log holds it as one.
  private func wrapped(_ text: String, after start: Int, indent: Int) -> String {
    guard let columns = style.columns, !style.isAccessible else { return text }
    return WordWrap.wrapped(text, to: columns, after: start, indent: indent)
  }

  /// The one next step (`Next: …`): at most one a run, on terminals only.
  package func hint(_ command: String) { hint("Next", command) }

  /// The same after a change: how it is taken back.
  package func hintUndo() { hint("Take it back", "seif undo") }

  private func hint(_ label: String, _ command: String) {
    guard style.isTerminal, !isQuiet, !hasHinted else { return }
    hasHinted = true
    let command = Display.cleaned(command)
    let isTooLong = style.columns.map { CellWidth.of("\(label): " + command) > $0 } ?? false
    line("\(label):" + (isTooLong ? "\n" : " ") + command)
  }

  package func fail(_ failure: CommandFailure) {
    for (index, text) in failure.lines.enumerated() {
      line(wrapped(text, after: 0, indent: index == 0 ? 2 : 4))
    }
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
