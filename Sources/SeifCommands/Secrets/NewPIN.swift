internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// `--pin-fd`, `--pin-file`, `--pcr`: what a device asks for beside itself.
struct NewPINOptions: OptionGroup, Sendable {
  static let fd = Option.value("pin-fd", "N", "read the device's PIN from descriptor N, one line; empty: none")
  static let file = Option.value("pin-file", "F", "read the device's PIN from a file, one line")
  static let pcr = Option.value("pcr", "LIST", "tpm2: what of the machine's start must stay the same (7), or none")
  static var options: [Option] { [fd, file, pcr] }

  private let source: PassphraseSource
  /// As given: `7`, `0,7`; empty: none; nil where it wasn't given.
  let pcrs: String?

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    source = try PassphraseSource(arguments, Self.fd, Self.file)
    guard let list = arguments.value(Self.pcr) else {
      pcrs = nil
      return
    }
    let numbers = list == "none" ? [] : list.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.allSatisfy({ $0.map { (0...23).contains($0) } ?? false }) else {
      throw UsageError("--pcr takes numbers from 0 to 23 with commas between them, or none")
    }
    pcrs = Set(numbers.compactMap { $0 }).sorted().map(String.init).joined(separator: ",")
  }

  /// The PIN for a device; nil for none. A person types a new one twice.
  func obtain(for kind: WayIn.Kind, _ context: Context) throws(CommandFailure) -> SecretBytes? {
    guard kind != .keyring else { return nil }
    let question = kind == .tpm2 ? "New PIN for the vault on this machine (Enter: none)" : "PIN of the security key"
    if source == .person, TerminalDevice(context) == nil { return nil }
    let pin = try source.readAny(question: question, context)
    guard pin.byteCount > 0 else { return nil }
    if source == .person, kind == .tpm2 {
      let again = try source.readAny(question: "Again", context)
      let isSame = pin.withBytes { left in again.withBytes { right in constantTimeEqual(left, right) } }
      guard isSame else { throw CommandFailure(.usage, "the two PINs differ", hint: "Nothing was added.") }
    }
    return pin
  }
}
