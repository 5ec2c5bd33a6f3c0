internal import SeifBytes
internal import SeifHTTP

/// The documents that S3 answers with, as values. Names of elements count without their namespace: servers differ there.
enum S3Document {
  /// A refusal.
  struct Refusal: Equatable {
    /// Its code: `NoSuchKey`.
    var code: String
    /// The region that would be the right one, where the server tells it.
    var region: String?
  }

  /// A part of a listing.
  struct Page: Equatable {
    /// A file.
    struct Entry: Equatable {
      var key: String
      var byteCount: Int?
    }
    var entries: [Entry]
    /// What the next part is asked for with; nil: this is the last.
    var next: String?
  }

  /// Why a document can't be used, in words without its contents.
  struct Fault: Error, Equatable {
    var words: String
  }

  /// The refusal that a body holds; nil: it holds none, such as a page for people.
  static func error(_ body: SecretValue) -> Refusal? {
    guard !body.isEmpty, let root = try? S3Element(parsing: body), root.name == "Error",
      let code = root.text(of: "Code"), (1...64).contains(code.utf8.count),
      code.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) })
    else { return nil }
    return Refusal(code: code, region: root.text(of: "Region"))
  }

  /// A part of a listing (ListObjectsV2).
  static func page(_ body: SecretValue) throws(Fault) -> Page {
    let root = try S3Element(parsing: body)
    guard root.name == "ListBucketResult" else { throw Fault(words: "it isn't a listing") }
    let isEncoded: Bool
    switch root.text(of: "EncodingType") {
    case nil, "": isEncoded = false
    case "url": isEncoded = true
    default: throw Fault(words: "the encoding of its names isn't known")
    }
    var page = Page(entries: [], next: nil)
    for element in root.children where element.name == "Contents" {
      guard let key = element.text(of: "Key") else { throw Fault(words: "a file has no key") }
      let size = element.text(of: "Size")
      let count = size.flatMap(number)
      guard size == nil || count != nil else { throw Fault(words: "a size isn't a number") }
      // A key that isn't UTF-8 is no file of ours.
      guard let key = isEncoded ? decode(key) : key else { continue }
      page.entries.append(Page.Entry(key: key, byteCount: count))
    }
    switch root.text(of: "IsTruncated") {
    case "true":
      guard let next = root.text(of: "NextContinuationToken"), (1...2000).contains(next.utf8.count) else {
        throw Fault(words: "there is more, and no token to ask for it")
      }
      page.next = next
    case nil, "false": break
    default: throw Fault(words: "whether there is more isn't said")
    }
    return page
  }

  private static func number(_ text: String) -> Int? {
    guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// A key of `encoding-type=url`: escapes, and `+` for a space, as forms have it. Nil where that isn't UTF-8.
  static func decode(_ text: String) -> String? {
    // EXPOSE: the name of a file.
    FormText.decoded(text)?.exposedText()
  }
}
