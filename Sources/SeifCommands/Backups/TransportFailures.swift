internal import SeifCommandLine
internal import SeifBackups

extension CommandFailure {
  /// The exit code of a transport's failure (docs/errors.md).
  static func code(_ error: TransportError) -> ExitCode {
    switch error.code {
    case .notFound: .notFound
    case .exists, .noPermission, .notAFolder, .readOnly: .cannotCreate
    case .unavailable, .timedOut, .notDownloaded: .unavailable
    case .full, .tooLarge, .failed: .ioFailed
    case .badSettings: .badInput
    case .unauthorized: .refused
    case .locked, .busy: .busy
    case .certificate, .redirected, .incomplete, .badAnswer, .ambiguous, .misplaced: .protocolBroken
    }
  }
}
