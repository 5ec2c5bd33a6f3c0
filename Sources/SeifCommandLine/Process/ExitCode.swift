/// What a run of `seif` tells its caller. The numbers are a contract with scripts: they are added to, never changed.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// Done, all of it.
  case done = 0
  /// Done, but not all: some entries unusable, some fields lost (each is named on stderr and in `--json`).
  case partial = 1
  /// Checked, and the answer is no.
  case checkFailed = 2
  /// Wrong use.
  case usage = 64
  /// The input isn't what it should be: not a backup, damaged header, unsupported version, refused cost.
  case badInput = 65
  /// No such file, item, vault or backup.
  case notFound = 66
  /// A service or device isn't there.
  case unavailable = 69
  /// A check of Seif's own failed, so that its result means nothing.
  case internalFault = 70
  /// The output can't be created, or exists.
  case cannotCreate = 73
  /// Reading or writing failed.
  case ioFailed = 74
  /// Busy: another writer holds the vault.
  case busy = 75
  /// A server broke its protocol.
  case protocolBroken = 76
  /// Wrong passphrase or damaged, or refused by the other side.
  case refused = 77
  /// Interrupted; nothing half done.
  case interrupted = 130

  /// The same as a word, for JSON: as stable as the number.
  package var word: String {
    switch self {
    case .done: "done"
    case .partial: "partial"
    case .checkFailed: "check-failed"
    case .usage: "usage"
    case .badInput: "bad-input"
    case .notFound: "not-found"
    case .unavailable: "unavailable"
    case .internalFault: "internal-fault"
    case .cannotCreate: "cannot-create"
    case .ioFailed: "io-failed"
    case .busy: "busy"
    case .protocolBroken: "protocol-broken"
    case .refused: "refused"
    case .interrupted: "interrupted"
    }
  }
}
