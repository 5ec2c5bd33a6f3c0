internal import SeifBytes
internal import SeifHTTPFields
package import SeifHTTPServer
package import SeifServerStore

/// Why a call about a vault isn't done. Holds counters at most.
package enum VaultProblem: Error, Sendable, Equatable {
  /// Who calls, or a store that can't be asked.
  case account(AccountProblem)
  case badRequest
  case notFound
  /// Something else is there under this identifier.
  case conflict
  case lastWrap
  case tooMany
  case gone
  /// Another manifest is there: its tag; nil: there is none.
  case manifestConflict(ManifestTag?)
  case tooLarge
  case mediaType
  case range(byteCount: Int)
  case tooShort
  case badRow
  case preconditionRequired
  case quota
  case usageOff
  /// The database names a blob that isn't there.
  case damaged

  package init(_ failure: StoreFailure) {
    self = failure.code == .full ? .quota : .account(AccountProblem(failure))
  }

  package var answer: HTTPAnswer {
    switch self {
    case .account(let problem): WireAnswer.answer(problem)
    case .badRequest: Self.make(400, "bad-request", "The request isn't one that this call takes.")
    case .notFound: Self.make(404, "not-found", "There is nothing here.")
    case .conflict: Self.make(409, "conflict", "Something else is stored under this identifier.")
    case .lastWrap: Self.make(409, "last-wrap", "The last way into a vault stays.")
    case .tooMany: Self.make(409, "too-many", "There are as many as there may be.")
    case .gone: Self.make(410, "gone", "It was deleted; it can be brought back.")
    case .manifestConflict(let tag):
      WireAnswer.problem(
        412, type: "conflict", title: "Another manifest is there.",
        fields: tag.map { [HTTPField("ETag", $0.text)] } ?? []
      ) { $0.member("version", tag?.version ?? 0) }
    case .tooLarge: Self.make(413, "too-large", "It is larger than what may be stored here.")
    case .mediaType: Self.make(415, "media-type", "The body has another kind than this call takes.")
    case .range(let byteCount):
      WireAnswer.problem(
        416, type: "range", title: "There is nothing at this place.",
        fields: [HTTPField("Content-Range", "bytes */\(byteCount)")])
    case .tooShort: Self.make(422, "too-short", "What is sealed has 28 bytes at least.")
    case .badRow: Self.make(422, "bad-row", "It is no row of a way in.")
    case .preconditionRequired:
      Self.make(428, "precondition-required", "If-Match with one strong tag, or If-None-Match: *, is needed.")
    case .quota: Self.make(507, "quota", "There is no room for it.")
    case .usageOff: Self.make(403, "usage-off", "This account tells no totals.")
    case .damaged: Self.make(500, "damaged", "The server has lost what it kept.")
    }
  }

  private static func make(_ status: Int, _ type: String, _ title: String) -> HTTPAnswer {
    WireAnswer.problem(status, type: type, title: title)
  }
}

/// Runs some calls of a store for a vault.
func kept<R>(_ body: () throws(StoreFailure) -> R) throws(VaultProblem) -> R {
  do throws(StoreFailure) { return try body() } catch { throw VaultProblem(error) }
}
