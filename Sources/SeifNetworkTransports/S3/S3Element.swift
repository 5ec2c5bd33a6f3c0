internal import CExpat
internal import SeifBytes

/// An element of a document, read with libexpat: no document type, and so no entities, and all sizes bounded.
struct S3Element {
  /// Its name without the namespace.
  let name: String
  /// The elements in it, in their order.
  fileprivate(set) var children: [S3Element] = []
  /// Its own text.
  fileprivate(set) var text: [UInt8] = []

  fileprivate static let maximumDepth = 8
  fileprivate static let maximumCount = 50_000
  fileprivate static let maximumTextByteCount = 8192

  fileprivate init(name: String) { self.name = name }

  /// The root of a document.
  init(parsing document: SecretValue) throws(S3Document.Fault) {
    // Names arrive as namespace, space, local name.
    guard document.byteCount <= Int32.max, let parser = XML_ParserCreateNS(nil, 0x20) else {
      throw S3Document.Fault(words: "it is too large")
    }
    defer { XML_ParserFree(parser) }
    let state = S3ReaderState(parser)
    XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
    XML_SetElementHandler(parser, expatStarts, expatEnds)
    XML_SetCharacterDataHandler(parser, expatGivesText)
    XML_SetStartDoctypeDeclHandler(parser, expatGivesDocumentType)
    let status = withExtendedLifetime(state) {
      document.withBytes { bytes in
        bytes.withUnsafeBytes { raw in
          XML_Parse(parser, raw.bindMemory(to: CChar.self).baseAddress, Int32(raw.count), 1)
        }
      }
    }
    if let words = state.fault { throw S3Document.Fault(words: words) }
    guard status == XML_STATUS_OK, let root = state.root else { throw S3Document.Fault(words: "it isn't XML") }
    self = root
  }

  /// The text of the one element of a name; nil: there is none, or several.
  func text(of name: String) -> String? {
    let found = children.filter { $0.name == name }
    return found.count == 1 ? String(decoding: found[0].text, as: UTF8.self) : nil
  }
}

/// What stands open while a document is read.
private final class S3ReaderState {
  private let parser: XML_Parser
  private var open: [S3Element] = []
  private var count = 0
  private(set) var root: S3Element?
  private(set) var fault: String?

  init(_ parser: XML_Parser) { self.parser = parser }

  func start(_ name: String) {
    count += 1
    guard open.count < S3Element.maximumDepth, count <= S3Element.maximumCount else {
      return stop("it holds too much")
    }
    open.append(S3Element(name: name.split(separator: " ").last.map(String.init) ?? name))
  }

  func end() {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  func add(_ bytes: UnsafeBufferPointer<CChar>) {
    guard let last = open.indices.last else { return }
    guard open[last].text.count + bytes.count <= S3Element.maximumTextByteCount else {
      return stop("a text in it is too long")
    }
    open[last].text += bytes.lazy.map { UInt8(bitPattern: $0) }
  }

  func stop(_ words: String) {
    if fault == nil { fault = words }
    XML_StopParser(parser, XML_Bool(XML_FALSE))
  }
}

// MARK: - What expat calls, on the thread that reads. After a stop it may end the element that it was in.

private func state(_ context: UnsafeMutableRawPointer?) -> S3ReaderState? {
  let state = context.map { Unmanaged<S3ReaderState>.fromOpaque($0).takeUnretainedValue() }
  return state?.fault == nil ? state : nil
}

private func expatStarts(
  _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
  _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
  guard let name else { return }
  state(context)?.start(String(cString: name))
}

private func expatEnds(_ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) { state(context)?.end() }

private func expatGivesText(_ context: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ count: Int32) {
  state(context)?.add(UnsafeBufferPointer(start: text, count: Int(count)))
}

private func expatGivesDocumentType(
  _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?, _ system: UnsafePointer<CChar>?,
  _ publicName: UnsafePointer<CChar>?, _ hasInternalSubset: Int32
) {
  state(context)?.stop("it has a document type")
}
