internal import CExpat
internal import SeifBytes

/// Why a document can't be used, in words without its contents.
struct XMLFault: Error, Equatable {
  var words: String
}

/// What takes the parts of a document as they come, and bounds them.
protocol XMLHandler: AnyObject {
  /// An element begins: its namespace, a space and its local name, which holds none; without a namespace the name alone.
  func start(_ name: String) throws(XMLFault)
  /// The element that began last ends.
  func end() throws(XMLFault)
  /// A piece of the text of the element that is open.
  func add(_ bytes: UnsafeBufferPointer<CChar>) throws(XMLFault)
}

/// Reads a document with libexpat: namespaces, and no document type, without which there are no entities (RFC 4918 §17.8).
enum XMLReader {
  /// Hands a document's parts to a handler, until the first fault.
  static func read(_ document: SecretValue, to handler: any XMLHandler) throws(XMLFault) {
    guard let byteCount = Int32(exactly: document.byteCount) else { throw XMLFault(words: "it is too large") }
    guard let parser = XML_ParserCreateNS(nil, 0x20) else { throw XMLFault(words: "there is no memory") }
    defer { XML_ParserFree(parser) }
    let state = XMLReaderState(parser, handler)
    XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
    XML_SetElementHandler(parser, expatStarts, expatEnds)
    XML_SetCharacterDataHandler(parser, expatGivesText)
    XML_SetStartDoctypeDeclHandler(parser, expatGivesDocumentType)
    let status = withExtendedLifetime(state) {
      document.withBytes { bytes in
        bytes.withUnsafeBytes { raw in
          XML_Parse(parser, raw.bindMemory(to: CChar.self).baseAddress, byteCount, 1)
        }
      }
    }
    if let fault = state.fault { throw fault }
    guard status == XML_STATUS_OK else { throw XMLFault(words: "it isn't XML") }
  }
}

private final class XMLReaderState {
  private let parser: XML_Parser
  private let handler: any XMLHandler
  private(set) var fault: XMLFault?

  init(_ parser: XML_Parser, _ handler: any XMLHandler) {
    self.parser = parser
    self.handler = handler
  }

  // After a stop expat may end the element that it was in.
  func tell(_ body: (any XMLHandler) throws(XMLFault) -> Void) {
    guard fault == nil else { return }
    do throws(XMLFault) {
      try body(handler)
    } catch {
      fault = error
      XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
  }
}

// MARK: - What expat calls, on the thread that reads

private func tell(_ context: UnsafeMutableRawPointer?, _ body: (any XMLHandler) throws(XMLFault) -> Void) {
  guard let context else { return }
  Unmanaged<XMLReaderState>.fromOpaque(context).takeUnretainedValue().tell(body)
}

private func expatStarts(
  _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
  _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
  guard let name else { return }
  tell(context) { (handler) throws(XMLFault) in try handler.start(String(cString: name)) }
}

private func expatEnds(_ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
  tell(context) { (handler) throws(XMLFault) in try handler.end() }
}

private func expatGivesText(_ context: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ count: Int32) {
  tell(context) { (handler) throws(XMLFault) in
    try handler.add(UnsafeBufferPointer(start: text, count: Int(count)))
  }
}

private func expatGivesDocumentType(
  _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?, _ system: UnsafePointer<CChar>?,
  _ publicName: UnsafePointer<CChar>?, _ hasInternalSubset: Int32
) {
  tell(context) { (_) throws(XMLFault) in throw XMLFault(words: "it has a document type") }
}
