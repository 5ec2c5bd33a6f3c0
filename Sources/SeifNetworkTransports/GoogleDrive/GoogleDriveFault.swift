internal import SeifBackups
internal import SeifHTTP

/// Refusals of Drive as failures of a transport. Of its words only the code is shown.
enum GoogleDriveFault {
  /// What a refusal means: by its code, where it has one, else by its status.
  static func error(_ response: HTTPResponse, place: String) -> TransportError {
    let reason = GoogleDriveDocument.reason(response.body)
    if let reason, let (code, words) = meaning(reason) {
      return TransportError(code, place: place, reason: "\(words): \(reason)")
    }
    var error = TransportError(refusal: response.status, told: reason, place: place)
    // Of what has an identifier made beforehand.
    if [409, 412].contains(response.status) { error.code = .exists }
    return error
  }

  /// Whether a refusal asks for patience, whatever its status.
  static func isLimit(_ reason: String) -> Bool {
    ["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"].contains(reason)
  }

  private static func meaning(_ reason: String) -> (TransportError.Code, String)? {
    if isLimit(reason) { return (.busy, "too many requests for now") }
    return switch reason {
    case "dailyLimitExceeded", "quotaExceeded": (.busy, "no more requests today")
    case "storageQuotaExceeded", "teamDriveFileLimitExceeded", "numChildrenInNonRootLimitExceeded":
      (.full, "no space is left in this account")
    case "authError", "required", "expired", "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED", "CREDENTIALS_MISSING":
      (.unauthorized, "the permission isn't taken")
    case "insufficientPermissions", "insufficientScopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
      "insufficientFilePermissions", "appNotAuthorizedToFile", "domainPolicy", "forbidden":
      (.noPermission, "this wasn't allowed")
    case "accessNotConfigured", "SERVICE_DISABLED":
      (.noPermission, "the Drive API isn't enabled for the client's project")
    case "notFound": (.notFound, "no file has this identifier")
    case "uploadTooLarge": (.tooLarge, "Drive takes no file of this size")
    case "backendError", "internalError": (.unavailable, "the server failed")
    default: nil
    }
  }
}

/// Gives a refusal that asks for patience the status that says so, for who tries again: Drive has 403 for it, too.
struct GoogleDriveLimits: HTTPClient {
  let client: any HTTPClient

  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    var response = try client.send(request)
    if response.status == 403, let reason = GoogleDriveDocument.reason(response.body), GoogleDriveFault.isLimit(reason)
    {
      response.status = 429
    }
    return response
  }
}
