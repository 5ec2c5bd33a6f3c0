public import SeifBackups
internal import SeifHTTP

extension S3Transport {
  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    var found: [BackupDescriptor] = []
    // As bytes: two keys that look alike, such as a letter with its accent in one piece or in two, are two files.
    var names = Set<[UInt8]>()
    try ListingParts.read(displayName) { (token) throws(TransportError) in
      let page = try page(after: token, keys: keysPerPage)
      for entry in page.entries {
        // No key is longer; and files that come or go meanwhile can shift others into the next part.
        guard entry.key.utf8.count <= 1024, let name = address.name(of: entry.key),
          names.insert(Array(name.utf8)).inserted
        else { continue }
        found.append(BackupDescriptor(id: name, name: name, byteCount: entry.byteCount))
      }
      return page.next
    }
    return found
  }

  /// A part of the listing.
  func page(after token: String?, keys count: Int?) throws(TransportError) -> S3Document.Page {
    // Names with characters that XML can't carry come escaped; what lies in folders doesn't come at all.
    var query = [
      (name: "list-type", value: "2"), (name: "encoding-type", value: "url"), (name: "delimiter", value: "/"),
    ]
    if !address.prefix.isEmpty { query.append((name: "prefix", value: address.prefix)) }
    if let token { query.append((name: "continuation-token", value: token)) }
    if let count { query.append((name: "max-keys", value: String(count))) }
    let response: HTTPResponse
    do throws(TransportError) {
      response = try answer("GET", "", query: query, displayName)
    } catch {
      throw error.code == .tooLarge ? badAnswer("a part of its listing has no end") : error
    }
    guard response.status == 200 else { throw S3Fault.error(response, place: displayName) }
    do throws(S3Document.Fault) {
      return try S3Document.page(response.body)
    } catch {
      // A refusal can come after the head has been sent, under a status that says otherwise.
      if S3Document.error(response.body) != nil { throw S3Fault.error(response, place: displayName) }
      throw badAnswer(error.words)
    }
  }

  private func badAnswer(_ words: String) -> TransportError {
    TransportError(.badAnswer, place: displayName, reason: words)
  }
}
