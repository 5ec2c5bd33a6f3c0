internal import SeifCommandLine
internal import SeifBytes
internal import SeifCrypto

/// `seif generate`: passwords and phrases.
struct GenerateCommand: Command {
  static let name = "generate"
  static let summary = "make up passwords or phrases and say how strong they are"
  static let usage = """
    seif generate [OPTIONS]

    Makes up a password of 20 characters with at least one small letter, capital, digit and
    sign, or with --words a phrase. Every password that fits is as likely as every other;
    the strength is the logarithm of how many there are. Nothing is stored.

    The signs are !#$%&()*+,-./:;<=>?@[]^_{|}~ and the words come from a list of 1,024, ten
    bits each. Look-alikes are 0 O o and 1 I l |.
    """
  static let length = Option.value("length", "N", "characters of a password, 4 to 128 (else 20)")
  static let classes = Option.value("classes", "LIST", "of lower,upper,digit,sign, those to use (else all)")
  static let noLookAlikes = Option.flag("no-look-alikes", "leave out what is easily taken for another")
  static let words = Option.value("words", "N", "a phrase of so many words instead, 3 to 32")
  static let separator = Option.value("separator", "C", "what stands between the words (else a space)")
  static let count = Option.value("count", "N", "how many, 1 to 1000 (else 1)")
  static var options: [Option] {
    [length, classes, noLookAlikes, words, separator, count] + CopyOptions.optionsWithCopy + OutputOptions.options
  }

  private enum Recipe {
    case password(GeneratedPassword)
    case phrase(words: Int, separator: UInt8)
  }
  private let recipe: Recipe
  private let count: Int
  private let copying: CopyOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    if let words = try arguments.integer(Self.words, in: GeneratedPhrase.wordCountsAllowed) {
      for option in [Self.length, Self.classes, Self.noLookAlikes] where arguments.isGiven(option) {
        throw UsageError("--\(option.name) doesn't go with --words")
      }
      recipe = .phrase(words: words, separator: try Self.separator(arguments))
    } else {
      if arguments.isGiven(Self.separator) { throw UsageError("--separator goes with --words") }
      recipe = .password(try Self.password(arguments))
    }
    count = try arguments.integer(Self.count, in: 1...1000) ?? 1
    copying = try CopyOptions(withCopy: &arguments)
    output = try OutputOptions(&arguments)
    if copying.isWanted, count > 1 { throw UsageError("--copy takes one: leave out --count") }
  }

  private static func separator(_ arguments: ParsedArguments) throws(UsageError) -> UInt8 {
    guard let text = arguments.value(separator) else { return 0x20 }
    // A letter would make two phrases out of one.
    guard text.utf8.count == 1, let byte = text.utf8.first, (0x20...0x60).contains(byte) || (0x7B...0x7E).contains(byte)
    else {
      throw UsageError("--separator takes one character of ASCII that is no small letter")
    }
    return byte
  }

  private static func password(_ arguments: ParsedArguments) throws(UsageError) -> GeneratedPassword {
    var chosen: Set<CharacterClass> = []
    for word in arguments.value(classes)?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      guard let known = CharacterClass(rawValue: String(word)) else {
        throw UsageError("--classes takes words of: lower,upper,digit,sign")
      }
      chosen.insert(known)
    }
    return GeneratedPassword(
      length: try arguments.integer(length, in: GeneratedPassword.lengthsAllowed) ?? 20,
      classes: chosen.isEmpty ? Set(CharacterClass.allCases) : chosen,
      withoutLookAlikes: arguments.flag(noLookAlikes))
  }

  func run(_ context: Context) throws -> ExitCode {
    if copying.isWanted {
      let copied = try copying.put(make(), context)
      if output.json { try context.output.writeLine(json: document(copied)) } else { sayStrength(context) }
    } else if output.json {
      try context.output.writeLine(json: document(nil))
    } else {
      for _ in 0..<count {
        let made = make()
        try made.withBytes { (bytes) throws(CommandFailure) in try context.output.write(raw: bytes) }
        try context.output.write("\n")
      }
      sayStrength(context)
    }
    return .done
  }

  private func make() -> SecretBytes {
    switch recipe {
    case .password(let password): password.make { RandomSource.system.makeSecret(byteCount: $0) }
    case .phrase(let words, let separator):
      GeneratedPhrase.make(words: words, separator: separator) { RandomSource.system.makeBytes($0) }
    }
  }

  private var bits: Double {
    switch recipe {
    case .password(let password): password.bits
    case .phrase(let words, _): Double(words) * GeneratedPhrase.bitsPerWord
    }
  }

  private func sayStrength(_ context: Context) {
    let each = count > 1 ? " each" : ""
    context.talk.say("strength \(Int(bits)) bits\(each): one of 2^\(Int(bits)), all as likely")
  }

  private func document(_ copied: Copied?) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-generated", 1)
    switch recipe {
    case .password(let password):
      writer.member("kind", "password")
      writer.member("length", password.length)
      writer.member("alphabet", password.alphabetCount)
    case .phrase(let words, _):
      writer.member("kind", "phrase")
      writer.member("words", words)
    }
    // Whole bits, rounded down: as much as can be relied on.
    writer.member("bits", Int(bits))
    if let copied {
      copied.write(to: &writer)
    } else {
      writer.key("values")
      writer.beginArray()
      for _ in 0..<count { writer.string(SecretValue(copying: make())) }
      writer.endArray()
    }
    writer.endObject()
    return writer.finish()
  }
}

extension SecretValue {
  fileprivate init(copying secret: borrowing SecretBytes) {
    self = secret.withBytes { SecretValue(copying: $0) }
  }
}
