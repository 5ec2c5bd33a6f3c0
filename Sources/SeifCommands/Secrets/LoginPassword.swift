internal import SeifCommandLine
internal import SeifBytes
internal import SeifCrypto

/// The password of a login, as a person at a terminal gives it.
enum LoginPassword {
  /// Characters of one that is made up, of every class.
  static let length = 20

  static func makeUp() -> SecretValue {
    let recipe = GeneratedPassword(
      length: length, classes: Set(CharacterClass.allCases), withoutLookAlikes: false)
    return recipe.make { RandomSource.system.makeSecret(byteCount: $0) }.withBytes { SecretValue(copying: $0) }
  }

  /// Asks until one is there: typed twice, or made up where nothing is typed.
  static func ask(
    _ question: String, _ options: EntryOptions, _ context: Context
  ) throws(CommandFailure) -> (password: SecretValue, isMadeUp: Bool) {
    while true {
      let given = try options.secret("\(question) (not shown; Enter alone makes one up)", context) {
        (given) throws(CommandFailure) in given
      }
      guard let given else {
        context.talk.say("A password of \(length) characters was made up.")
        return (makeUp(), true)
      }
      if try isTypedAgain(given, context) { return (given, false) }
    }
  }

  /// Says so where a typed one is weak, and has it typed once more.
  static func isTypedAgain(_ password: SecretValue, _ context: Context) throws(CommandFailure) -> Bool {
    let typed = password.withBytes { SecretBytes(copying: $0) }
    if Strength(judging: typed)?.isWeak(guessesPerSecond: PasswordAudit.guessesPerSecond) == true {
      context.talk.warn("that password is weak: who steals the site's list of passwords can guess it within a day")
    }
    let again = try PassphraseSource.person.readAny(question: "The same again (not shown)", context)
    let isSame = typed.withBytes { left in again.withBytes { right in constantTimeEqual(left, right) } }
    if !isSame { context.talk.line("The two differ. Once more.") }
    return isSame
  }
}
