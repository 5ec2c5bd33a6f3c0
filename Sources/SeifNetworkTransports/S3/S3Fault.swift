internal import SeifBackups
internal import SeifHTTP

/// Refusals of a server, and what keeps a server from answering, as failures of a transport.
enum S3Fault {
  /// What a refusal means: by the code of its document, where there is one, else by its status.
  static func error(_ response: HTTPResponse, place: String) -> TransportError {
    let document = S3Document.error(response.body)
    // An answer to HEAD has no document, and this field all the same.
    let told = document?.region ?? response["x-amz-bucket-region"]
    let region = told.flatMap { S3Transport.isRegion($0) ? $0 : nil }
    guard let code = document?.code, let meaning = meaning(code, region) else {
      return byStatus(response.status, code: document?.code, region, place)
    }
    return TransportError(meaning.code, place: place, reason: "\(meaning.words): \(code)")
  }

  private static func meaning(_ code: String, _ region: String?) -> (code: TransportError.Code, words: String)? {
    switch code {
    case "NoSuchKey": (.notFound, "no file has this name")
    case "NoSuchBucket": (.notFound, "the bucket doesn't exist")
    case "AccessDenied", "AllAccessDisabled": (.noPermission, "the key may not do this")
    case "SignatureDoesNotMatch": (.unauthorized, "the secret key isn't the one of this access key")
    case "InvalidAccessKeyId": (.unauthorized, "the access key isn't known there")
    case "ExpiredToken", "InvalidToken": (.unauthorized, "the key has expired")
    case "RequestTimeTooSkewed", "RequestExpired":
      (.unauthorized, "this machine's clock and the server's are more than 15 minutes apart: set the clock")
    case "SlowDown", "ServiceUnavailable", "TooManyRequests", "RequestLimitExceeded":
      (.busy, "too many requests for now")
    case "OperationAborted": (.busy, "something else is done to it at this moment")
    case "InternalError": (.unavailable, "the server failed")
    case "RequestTimeout": (.timedOut, "the server waited too long for the request")
    case "QuotaExceeded", "QuotaExceededException", "XMinioStorageFull", "InsufficientStorage":
      (.full, "no space is left")
    case "EntityTooLarge": (.tooLarge, "the server takes no file of this size")
    case "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch":
      (.incomplete, "the server got other bytes than were sent")
    case "PermanentRedirect", "TemporaryRedirect", "Redirect":
      (.redirected, region.map { "the bucket is in region \($0)" } ?? "the bucket is at another address")
    case "AuthorizationHeaderMalformed", "IllegalLocationConstraintException":
      (.badSettings, region.map { "the region is \($0)" } ?? "the region is another")
    case "PreconditionFailed", "ConditionalRequestConflict": (.exists, "the name is taken")
    case "NotImplemented": (.failed, "the server doesn't have what was asked for")
    case "KeyTooLongError", "InvalidObjectName", "InvalidURI", "XMinioInvalidObjectName":
      (.failed, "the server takes no file of this name")
    case "InvalidBucketName": (.badSettings, "the server takes no bucket of this name")
    default: nil
    }
  }

  private static func byStatus(_ status: Int, code: String?, _ region: String?, _ place: String) -> TransportError {
    let reason = "status \(status)" + (code.map { ", \($0)" } ?? "")
    let kind: TransportError.Code =
      switch status {
      case 200..<300: .badAnswer
      case 300..<400: .redirected
      case 401, 403: .unauthorized
      case 404, 410: .notFound
      case 408: .timedOut
      case 409, 429, 502, 503, 504: .busy
      case 412: .exists
      case 413: .tooLarge
      case 423: .locked
      case 500: .unavailable
      case 507: .full
      default: .failed
      }
    let words = kind == .redirected ? region.map { "the bucket is in region \($0): \(reason)" } : nil
    return TransportError(kind, place: place, reason: words ?? reason)
  }

  /// Whether a request may have been done although no answer came.
  static func mayBeDone(_ failure: HTTPFailure) -> Bool {
    switch failure {
    case .unreachable(let mayBeDone), .timedOut(let mayBeDone): mayBeDone
    case .broken, .tooLarge: true
    default: false
    }
  }
}
