internal import CExpat
internal import SeifBytes
internal import SeifHTTP

/// Reads the answer of a `PROPFIND` with libexpat: namespaces, no document type, all sizes bounded.
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
    // Names arrive as namespace, space, local name; a local name holds no space.
    guard let parser = XML_ParserCreateNS(nil, 0x20) else { throw Fault(reason: "there is no memory") }
    defer { XML_ParserFree(parser) }
    let state = DAVReaderState(parser)
    XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
    XML_SetElementHandler(parser, expatStarts, expatEnds)
    XML_SetCharacterDataHandler(parser, expatGivesText)
    // Entities come with a document type alone, which no such answer has (RFC 4918 §17.8).
    XML_SetStartDoctypeDeclHandler(parser, expatGivesDocumentType)
    let status = withExtendedLifetime(state) {
      answer.withBytes { bytes in
        bytes.withUnsafeBytes { raw in
          XML_Parse(parser, raw.bindMemory(to: CChar.self).baseAddress, Int32(clamping: raw.count), 1)
        }
      }
    }
    if let fault = state.fault { throw fault }
    guard status == XML_STATUS_OK, answer.byteCount <= Int32.max else { throw Fault(reason: "it isn't XML") }
    guard state.isMultistatus else { throw Fault(reason: "it isn't a listing") }
    return state.resources
  }
}

/// What stands open while an answer is read.
private final class DAVReaderState {
  private let parser: XML_Parser
  private var path: [String] = []
  private var text: [UInt8] = []
  private var resource = DAVResource()
  // Of the `propstat` that is open: what it says counts only if its status is 200.
  private var properties = DAVResource()
  private var propertyStatus: Int?
  private(set) var resources: [DAVResource] = []
  private(set) var isMultistatus = false
  private(set) var fault: DAVReader.Fault?

  init(_ parser: XML_Parser) { self.parser = parser }

  func start(_ name: String) {
    guard path.count < DAVReader.maximumDepth else { return stop("it is nested too deep") }
    path.append(name)
    text.removeAll(keepingCapacity: true)
    switch path {
    case ["DAV: multistatus"]: isMultistatus = true
    case ["DAV: multistatus", "DAV: response"]: resource = DAVResource()
    case ["DAV: multistatus", "DAV: response", "DAV: propstat"]:
      properties = DAVResource()
      propertyStatus = nil
    default:
      guard isMultistatus else { return stop("it isn't a listing") }
      if path.count == 6, isProperty("DAV: resourcetype"), name == "DAV: collection" { properties.isCollection = true }
    }
  }

  func end() {
    switch path.count {
    case 2 where path[1] == "DAV: response":
      guard !resource.href.isEmpty else { return stop("a part of it has no address") }
      guard resources.count < DAVReader.maximumCount else { return stop("it names too many things") }
      resources.append(resource)
    case 3 where path[1] == "DAV: response": endPart()
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

  private func endPart() {
    switch path[2] {
    case "DAV: href":
      guard resource.href.isEmpty else { return stop("a part of it has two addresses") }
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

  func add(_ bytes: UnsafeBufferPointer<CChar>) {
    guard text.count + bytes.count <= DAVReader.maximumTextByteCount else { return stop("a text in it is too long") }
    text += bytes.map { UInt8(bitPattern: $0) }
  }

  func stop(_ reason: String) {
    if fault == nil { fault = DAVReader.Fault(reason: reason) }
    XML_StopParser(parser, XML_Bool(XML_FALSE))
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

// MARK: - What expat calls, on the thread that reads

private func state(_ context: UnsafeMutableRawPointer) -> DAVReaderState {
  Unmanaged<DAVReaderState>.fromOpaque(context).takeUnretainedValue()
}

private func expatStarts(
  _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
  _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
  guard let context, let name else { return }
  let state = state(context)
  if state.fault == nil { state.start(String(cString: name)) }
}

private func expatEnds(_ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
  guard let context else { return }
  let state = state(context)
  // After a stop expat may end the element that it was in.
  if state.fault == nil { state.end() }
}

private func expatGivesText(_ context: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ count: Int32) {
  guard let context else { return }
  let state = state(context)
  if state.fault == nil { state.add(UnsafeBufferPointer(start: text, count: Int(count))) }
}

private func expatGivesDocumentType(
  _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?, _ system: UnsafePointer<CChar>?,
  _ publicName: UnsafePointer<CChar>?, _ hasInternalSubset: Int32
) {
  guard let context else { return }
  state(context).stop("it has a document type")
}
