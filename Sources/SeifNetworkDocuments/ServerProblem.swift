internal import SeifBytes
internal import SeifDocuments
internal import SeifHTTP

/// Why a server didn't do what it was asked: its status, and the word of its problem where that is one of ours. Nothing else
/// of what it says is shown.
struct ServerProblem {
  private let status: Int
  private let word: String
  private let current: ManifestTag?

  init(_ answer: HTTPResponse) {
    status = answer.status
    let policy = JSONPolicy(isStrict: true, maximumByteCount: 64 << 10, maximumDepth: 4, maximumValueCount: 100)
    let type = (try? JSONDocument(parsing: answer.body, policy: policy))?.root["type"]?.string ?? ""
    word = type.hasPrefix("/problems/") ? String(type.dropFirst("/problems/".count)) : ""
    current = answer["ETag"].flatMap { ManifestTag($0) }
  }

  func error(place: String) -> DocumentError {
    switch (status, word) {
    case (401, _): DocumentError(.notSignedIn, place: place)
    case (403, "fresh-sign-in"): DocumentError(.notFresh, place: place)
    case (403, "read-only"): DocumentError(.noPermission, place: place, reason: "this sign-in may only read")
    case (403, _): DocumentError(.noPermission, place: place)
    case (404, _): DocumentError(.notFound, place: place)
    case (409, "last-wrap"): DocumentError(.lastKeyWrap, place: place)
    case (409, "too-many"): DocumentError(.tooManyKeyWraps, place: place)
    case (409, _): DocumentError(.exists, place: place)
    case (410, _): DocumentError(.gone, place: place)
    case (412, _): DocumentError(.conflict, place: place, current: current)
    case (413, _): DocumentError(.tooLarge, place: place)
    case (416, _): DocumentError(.failed, place: place, reason: ServerBounds.rangeWords)
    case (422, "too-short"): DocumentError(.damaged, place: place)
    case (429, _), (503, _): DocumentError(.locked, place: place, reason: "it is busy")
    case (500, "damaged"): DocumentError(.damaged, place: place, reason: "the server has lost what it kept")
    case (507, _): DocumentError(.full, place: place)
    default: DocumentError(.failed, place: place, reason: "it answers with status \(status)")
    }
  }

  /// Why no answer came.
  static func words(_ failure: HTTPFailure) -> String {
    switch failure {
    case .badAddress(let what): what
    case .unknownHost: "no such host"
    case .unreachable: "it can't be reached"
    case .timedOut: "it doesn't answer"
    case .certificate(let what): "its certificate isn't trusted: \(what)"
    case .tooLarge: "its answer is too long"
    case .broken(let what): what
    case .redirect(let what): "it leads elsewhere: \(what)"
    case .library(let what): what
    }
  }
}
