internal import SeifBytes
internal import SeifHTTP
internal import SeifHTTPFields

/// Reads the answer of a `PROPFIND`, all sizes bounded.
enum DAVReader {
  /// Most things that one answer may name.
  static let maximumCount = 100_000
  /// Deepest nesting.
  static let maximumDepth = 32
  /// Longest text of one element in bytes.
  static let maximumTextByteCount = 8_192

  /// Why an answer can't be read.
  struct Fault: Error, Equatable {
    /// In words; nothing of the answer stands in them.
    var reason: String
  }

  /// The resources that an answer names, in its order.
  static func resources(_ answer: SecretValue) throws(Fault) -> [DAVResource] {
    let state = DAVReaderState()
    do throws(XMLFault) {
      try XMLReader.read(answer, to: state)
    } catch {
      throw Fault(reason: error.words)
    }
    guard state.isMultistatus else { throw Fault(reason: "it isn't a listing") }
    return state.resources
  }
}

/// What stands open while an answer is read.
private final class DAVReaderState: XMLHandler {
  private var path: [String] = []
  private var text: [UInt8] = []
  private var resource = DAVResource()
  // Of the `propstat` that is open: what it says counts only if its status is 200.
  private var properties = DAVResource()
  private var propertyStatus: Int?
  private(set) var resources: [DAVResource] = []
  private(set) var isMultistatus = false

  func start(_ name: String) throws(XMLFault) {
    guard path.count < DAVReader.maximumDepth else { throw XMLFault(words: "it is nested too deep") }
    path.append(name)
    text.removeAll(keepingCapacity: true)
    switch path {
    case ["DAV: multistatus"]: isMultistatus = true
    case ["DAV: multistatus", "DAV: response"]: resource = DAVResource()
    case ["DAV: multistatus", "DAV: response", "DAV: propstat"]:
      properties = DAVResource()
      propertyStatus = nil
    default:
      guard isMultistatus else { throw XMLFault(words: "it isn't a listing") }
      if path.count == 6, isProperty("DAV: resourcetype"), name == "DAV: collection" { properties.isCollection = true }
    }
  }

  func end() throws(XMLFault) {
    switch path.count {
    case 2 where path[1] == "DAV: response":
      guard !resource.href.isEmpty else { throw XMLFault(words: "a part of it has no address") }
      guard resources.count < DAVReader.maximumCount else { throw XMLFault(words: "it names too many things") }
      resources.append(resource)
    case 3 where path[1] == "DAV: response": try endPart()
    case 4 where path[2] == "DAV: propstat" && path[3] == "DAV: status": propertyStatus = Self.status(trimmed)
    case 5 where isProperty("DAV: getcontentlength"):
      // One that isn't a number is as good as none: the size is then unknown.
      properties.byteCount = trimmed.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(trimmed) : nil
    case 5 where isProperty("DAV: getlastmodified"): properties.modified = HTTPDate.seconds(trimmed)
    case 5 where isProperty("DAV: getetag"): properties.etag = trimmed
    default: break
    }
    path.removeLast()
    text.removeAll(keepingCapacity: true)
  }

  private func endPart() throws(XMLFault) {
    switch path[2] {
    case "DAV: href":
      guard resource.href.isEmpty else { throw XMLFault(words: "a part of it has two addresses") }
      resource.href = trimmed
    case "DAV: status": resource.status = Self.status(trimmed)
    case "DAV: propstat" where propertyStatus == 200:
      resource.isCollection = resource.isCollection || properties.isCollection
      resource.byteCount = resource.byteCount ?? properties.byteCount
      resource.etag = resource.etag ?? properties.etag
      resource.modified = resource.modified ?? properties.modified
    default: break
    }
  }

  func add(_ bytes: UnsafeBufferPointer<CChar>) throws(XMLFault) {
    guard text.count + bytes.count <= DAVReader.maximumTextByteCount else {
      throw XMLFault(words: "a text in it is too long")
    }
    text += bytes.map { UInt8(bitPattern: $0) }
  }

  // Whether the fifth element of the path is this property: multistatus, response, propstat, prop, it.
  private func isProperty(_ name: String) -> Bool {
    path[0...3] == ["DAV: multistatus", "DAV: response", "DAV: propstat", "DAV: prop"] && path[4] == name
  }

  private var trimmed: String {
    var bytes = text[...]
    while let first = bytes.first, [0x20, 0x09, 0x0A, 0x0D].contains(first) { bytes.removeFirst() }
    while let last = bytes.last, [0x20, 0x09, 0x0A, 0x0D].contains(last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  // `HTTP/1.1 200 OK`
  private static func status(_ line: String) -> Int? {
    let words = line.split(separator: " ")
    return words.count > 1 && words[0].hasPrefix("HTTP/") ? Int(words[1]) : nil
  }
}
