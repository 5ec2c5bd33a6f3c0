internal import SeifCommandLine
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats

extension CommandFailure {
  /// A format's refusal of a file, in the words and with the exit code of the command line.
  init(_ error: FormatError, file: String) {
    switch error {
    case .cannotOpen:
      self.init(
        .refused, "Can't open \(file): the passphrase is wrong or the file is damaged",
        hint: "The two can't be told apart.")
    case .passphraseRequired:
      self.init(.refused, "\(file) is sealed under a passphrase", hint: "Give it with --passphrase-fd or a terminal.")
    case .unknownFormat(let guess):
      self.init(
        .badInput, "\(file) isn't a backup Seif knows. It begins like \(guess)", hint: "Try: seif formats")
    case .ambiguousFormat(let candidates):
      self.init(
        .badInput, "\(file) can be read as several formats",
        hint: "Say which with --format: \(candidates.map(\.rawValue).joined(separator: ", ")).")
    case .costRefused(let cost):
      self.init(.badInput, Self.words(for: cost, file), hint: "If you trust it: --allow-cost")
    case .unsupportedVersion:
      self.init(.badInput, "\(file): \(error)", hint: "A newer Seif may know it; the file is as it was.")
    case .unreadable:
      self.init(.badInput, "\(file): \(error)", hint: "If another copy exists, try that one.")
    case .badBody:
      self.init(.badInput, "\(file): \(error)", hint: "Nothing was taken from it.")
    case .cryptography(.libraryMissing):
      self.init(.unavailable, "\(file) can't be worked on here: \(error)")
    case .cryptography(.outOfMemory):
      self.init(
        .unavailable, "\(file) can't be opened on this machine: \(error)", hint: "Try a machine with more memory.")
    default:
      self.init(.badInput, "\(file): \(error)")
    }
  }
  /// What a file asks for, in MiB where it is memory beyond the limit, and the field with what is allowed.
  private static func words(for cost: CostError, _ file: String) -> String {
    if cost.field == "memoryKiB", let asked = cost.value, asked > cost.allowed.upperBound {
      return "\(file) asks for \(asked / 1024) MiB to open, above the limit (\(cost))"
    }
    return "\(file) asks for more or less than what is allowed to open: \(cost)"
  }
}
