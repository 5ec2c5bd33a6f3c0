internal import SeifBackups
internal import SeifHTTP

/// Refusals of Dropbox as failures of a transport. Of its words only the code is shown.
enum DropboxFault {
  /// What a refusal means: by its code, where it has one, else by its status.
  static func error(_ response: HTTPResponse, place: String) -> TransportError {
    let summary = DropboxDocument.summary(response.body)
    if let summary, let (code, words) = meaning(Set(summary.split(separator: "/").map(String.init))) {
      return TransportError(code, place: place, reason: "\(words): \(summary)")
    }
    return TransportError(refusal: response.status, told: summary, place: place)
  }

  private static func meaning(_ tags: Set<String>) -> (TransportError.Code, String)? {
    let meanings: [(tag: String, code: TransportError.Code, words: String)] = [
      ("too_many_requests", .busy, "too many requests for now"),
      ("too_many_write_operations", .busy, "something else is written there at this moment"),
      ("insufficient_space", .full, "no space is left in this account"),
      ("insufficient_quota", .full, "no space is left in this account"),
      ("conflict", .exists, "the name is taken"),
      ("content_hash_mismatch", .incomplete, "the server got other bytes than were sent"),
      ("payload_too_large", .tooLarge, "Dropbox takes no file of this size"),
      ("disallowed_name", .failed, "Dropbox takes no file of this name"),
      ("malformed_path", .failed, "Dropbox takes no file of this name"),
      ("restricted_content", .failed, "Dropbox doesn't give this file out"),
      ("not_folder", .notAFolder, "something else has its name"),
      ("not_file", .failed, "this is a folder"),
      ("no_write_permission", .noPermission, "this wasn't allowed"),
      ("missing_scope", .noPermission, "this wasn't allowed: set the app's permissions and allow it again"),
      ("no_permission", .noPermission, "this wasn't allowed"),
      ("reset", .busy, "the listing has changed meanwhile"),
      ("expired_access_token", .unauthorized, "the permission isn't taken"),
      ("invalid_access_token", .unauthorized, "the permission isn't taken"),
      ("user_suspended", .unauthorized, "the account is suspended"),
      ("not_found", .notFound, "nothing has this name"),
    ]
    return meanings.first { tags.contains($0.tag) }.map { ($0.code, $0.words) }
  }
}
