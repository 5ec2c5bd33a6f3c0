internal import SeifBytes

/// An element of a document, all sizes bounded.
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
    let reader = S3ElementReader()
    do throws(XMLFault) {
      try XMLReader.read(document, to: reader)
    } catch {
      throw S3Document.Fault(words: error.words)
    }
    guard let root = reader.root else { throw S3Document.Fault(words: "it isn't XML") }
    self = root
  }

  /// The text of the one element of a name; nil: there is none, or several.
  func text(of name: String) -> String? {
    let found = children.filter { $0.name == name }
    return found.count == 1 ? String(decoding: found[0].text, as: UTF8.self) : nil
  }
}

/// What stands open while a document is read.
private final class S3ElementReader: XMLHandler {
  private var open: [S3Element] = []
  private var count = 0
  private(set) var root: S3Element?

  func start(_ name: String) throws(XMLFault) {
    count += 1
    guard open.count < S3Element.maximumDepth, count <= S3Element.maximumCount else {
      throw XMLFault(words: "it holds too much")
    }
    open.append(S3Element(name: name.split(separator: " ").last.map(String.init) ?? name))
  }

  func end() throws(XMLFault) {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  func add(_ bytes: UnsafeBufferPointer<CChar>) throws(XMLFault) {
    guard let last = open.indices.last else { return }
    guard open[last].text.count + bytes.count <= S3Element.maximumTextByteCount else {
      throw XMLFault(words: "a text in it is too long")
    }
    open[last].text += bytes.lazy.map { UInt8(bitPattern: $0) }
  }
}
