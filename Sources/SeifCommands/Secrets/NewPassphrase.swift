package import SeifCommandLine
package import SeifBytes

/// `--new-passphrase-fd`, `--new-passphrase-file`, `--weak`: what the output is sealed under.
package struct NewPassphraseOptions: OptionGroup, Sendable {
  package static let fd = Option.value("new-passphrase-fd", "N", "read the new passphrase from descriptor N, one line")
  package static let file = Option.value("new-passphrase-file", "F", "read the new passphrase from a file, one line")
  package static let weak = Option.flag("weak", "allow a passphrase that can be guessed within a day")
  package static var options: [Option] { [fd, file, weak] }

  package let source: PassphraseSource
  package let allowsWeak: Bool

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    source = try PassphraseSource(arguments, Self.fd, Self.file)
    allowsWeak = arguments.flag(Self.weak)
  }

  /// For commands whose only passphrase is new (`init --passphrase-fd`).
  package init(source: PassphraseSource, allowsWeak: Bool) {
    self.source = source
    self.allowsWeak = allowsWeak
  }

  /// A new passphrase in its composed form (NFC), checked; typed twice where a person types it.
  ///
  /// - Parameters:
  ///   - name: what will be sealed, for the question.
  ///   - guesses: what a guess costs here, with these parameters.
  ///   - random: random bytes for a phrase made up for the person; nil where none is offered.
  /// - Throws: exit 64 where it is too short, not UTF-8, or weak without leave; 77 where nobody is there to ask; 130 where
  ///   the person cancels.
  package func obtain(
    for name: String, guesses: GuessingCost, _ context: Context, random: ((Int) -> [UInt8])? = nil
  ) throws(CommandFailure) -> SecretBytes {
    guard source == .person else {
      let given = try source.readAny(question: "New passphrase for \(name)", context)
      let passphrase = try NewPassphrase.checked(given)
      if NewPassphrase.isWeak(passphrase, guesses.perSecond), !allowsWeak { throw NewPassphrase.weak }
      return passphrase
    }
    for _ in 0..<3 {
      if let passphrase = try askOnce(name, guesses, context, random) { return passphrase }
    }
    throw CommandFailure(.usage, "no new passphrase was set", hint: "Nothing was written; start again when ready.")
  }

  /// One round with the person; nil where they have to begin again.
  private func askOnce(
    _ name: String, _ guesses: GuessingCost, _ context: Context, _ random: ((Int) -> [UInt8])?
  ) throws(CommandFailure) -> SecretBytes? {
    let offer = random == nil ? "not shown" : "not shown; Enter alone makes one up"
    let given = try source.readAny(question: "New passphrase for \(name) (\(offer))", context)
    if given.byteCount == 0, let random { return try generated(context, random) }
    let passphrase: SecretBytes
    do throws(CommandFailure) {
      passphrase = try NewPassphrase.checked(given)
    } catch {
      context.talk.fail(error)
      return nil
    }
    var question = "Again"
    if let strength = Strength(judging: passphrase) {
      context.talk.say(strength.line(guessesPerSecond: guesses.perSecond))
      if let caveat = guesses.caveat { context.talk.say(caveat) }
      if strength.isWeak(guessesPerSecond: guesses.perSecond), !allowsWeak {
        // Who types it again unread isn't answering a yes or no with a passphrase for all to see.
        question = "That is weak. To use it all the same, type it again; Enter alone: choose another (not shown)"
      }
    } else {
      context.talk.say("The strength isn't known: the library zxcvbn isn't installed.")
    }
    guard let isSame = try isRepeated(passphrase, question, context) else { return nil }
    guard isSame else {
      context.talk.line("The two differ. Nothing was set; once more from the start.")
      return nil
    }
    return passphrase
  }

  /// A phrase made up, shown on the terminal alone and typed back.
  private func generated(_ context: Context, _ random: (Int) -> [UInt8]) throws(CommandFailure) -> SecretBytes? {
    guard let terminal = TerminalDevice(context) else { throw PassphraseSource.nobody }
    let phrase = GeneratedPhrase.make(random: random)
    terminal.write("Write this down and keep it where you'll find it:\n  ")
    terminal.write(secret: phrase)
    terminal.write("\n")
    for _ in 0..<3 {
      if try isRepeated(phrase, "Type it back", context) == true { return phrase }
      context.talk.line("That isn't the phrase above.")
    }
    return nil
  }

  /// Whether the same is typed again; nil where nothing is.
  private func isRepeated(
    _ passphrase: borrowing SecretBytes, _ question: String, _ context: Context
  ) throws(CommandFailure) -> Bool? {
    let given = try source.readAny(question: question, context)
    if given.byteCount == 0 { return nil }
    guard let again = NewPassphrase.composed(given) else { return false }
    return passphrase.withBytes { left in again.withBytes { right in constantTimeEqual(left, right) } }
  }
}

/// The rules for passphrases that something is sealed under. What opens may be anything.
package enum NewPassphrase {
  /// The fewest grapheme clusters.
  package static let minimumCharacters = 12

  /// The composed form of a passphrase that keeps the rules.
  /// - Throws: exit 64 where it isn't UTF-8 or is too short. The message doesn't say by how much.
  package static func checked(_ given: borrowing SecretBytes) throws(CommandFailure) -> SecretBytes {
    guard let composed = composed(given) else {
      throw CommandFailure(
        .usage, "the new passphrase isn't UTF-8 text", hint: "Other programs couldn't type it: choose another.")
    }
    guard characterCount(composed) >= minimumCharacters else {
      throw CommandFailure(
        .usage, "a new passphrase has at least \(minimumCharacters) characters", hint: "Several words make a good one.")
    }
    return composed
  }

  static var weak: CommandFailure {
    CommandFailure(
      .usage, "the new passphrase can be guessed within a day on 10,000 machines",
      hint: "Choose another, or give --weak.")
  }

  static func isWeak(_ passphrase: borrowing SecretBytes, _ guessesPerSecond: Double) -> Bool {
    Strength(judging: passphrase)?.isWeak(guessesPerSecond: guessesPerSecond) ?? false
  }

  /// The composed form (NFC); nil where the bytes aren't UTF-8.
  static func composed(_ given: borrowing SecretBytes) -> SecretBytes? {
    let isASCII = given.withBytes { bytes in bytes.withUnsafeBytes { $0.allSatisfy { $0 < 0x80 } } }
    if isASCII { return given.duplicate() }
    // EXPOSE: composing needs a string; it lives for this call.
    guard let text = given.withBytes({ SecretValue(copying: $0) }).exposedText() else { return nil }
    return SecretBytes(copying: SecretValue(utf8: Normalization.nfc(text)))
  }

  /// Grapheme clusters, counted in place.
  static func characterCount(_ passphrase: borrowing SecretBytes) -> Int {
    passphrase.withBytes { bytes in
      bytes.withUnsafeBytes { buffer in
        guard let text = try? UTF8Span(validating: buffer.bindMemory(to: UInt8.self).span) else { return 0 }
        var characters = text.makeCharacterIterator()
        var count = 0
        while characters.skipForward() != 0 { count += 1 }
        return count
      }
    }
  }
}
