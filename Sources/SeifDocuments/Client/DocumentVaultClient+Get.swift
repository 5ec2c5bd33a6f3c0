internal import CSeif
internal import Glibc
package import SeifBytes
internal import SeifCrypto
package import SeifDocumentFormat

/// What came of taking documents out of a vault.
package struct GetReport: Sendable {
  /// Files that were written.
  package var written: [(id: UUID?, name: String, path: String)] = []
  /// Documents that weren't written, and why.
  package var failed: [(id: UUID?, name: String, error: DocumentError)] = []
  /// Documents whose length isn't the one that the manifest says; they were written as they are.
  package var otherLength: [String] = []
  package var wasCancelled = false
}

extension DocumentVaultClient {
  /// Writes documents, and folders with all in them, into a folder of this machine.
  ///
  /// A file has its name only once its tag was checked. Names are made safe; one that is taken, by what was there or by a
  /// name that is the same but for its letters' form, gets a number.
  ///
  /// - Parameters:
  ///   - ids: what is meant; of two nodes with one identifier the first.
  ///   - name: for a single document: what its file is called, and then a name that is taken is refused.
  ///   - replaces: whether a file that is there under the name goes; a folder never does.
  package func get(
    _ ids: [UUID], into folder: String, as name: String? = nil, replaces: Bool = false, watch: WorkWatch = WorkWatch()
  ) throws(DocumentError) -> GetReport {
    let tree = ManifestTree(manifest)
    return try get(
      at: ids.map { (id) throws(DocumentError) in try position(of: id, in: tree) }, tree, into: folder, as: name,
      replaces: replaces, watch: watch)
  }

  /// The same by positions in the manifest, since not each node has an identifier of its own.
  ///
  /// - Parameter tree: that of the manifest.
  package func get(
    at starts: [Int], _ tree: ManifestTree, into folder: String, as name: String? = nil, replaces: Bool = false,
    watch: WorkWatch = WorkWatch()
  ) throws(DocumentError) -> GetReport {
    var report = GetReport()
    let files = Set(starts + starts.flatMap { tree.below($0) }).map { manifest.nodes[$0] }.filter(\.isFile)
    let meter = WorkMeter(watch, documents: files.count, bytes: files.reduce(0) { $0 &+ ($1.size ?? 0) })
    var open = try starts.reversed().map { (index) throws(DocumentError) in (index, try TargetFolder(folder)) }
    // What is asked for goes into one folder, whose names are read once.
    if let first = open.first { open = open.map { ($0.0, first.1) } }
    var done: Set<Int> = []
    while let (index, target) = open.popLast() {
      guard !meter.wantsEnd else {
        report.wasCancelled = true
        return report
      }
      guard done.insert(index).inserted else { continue }
      let node = manifest.nodes[index]
      let wanted = name ?? DocumentName.fileName(node.name)
      do throws(DocumentError) {
        switch node.kind {
        case .folder:
          let inner = try target.makeFolder(wanted)
          for child in tree.children(of: index).reversed() { open.append((child, inner)) }
        case .file:
          let path = try write(
            node, into: target, wanted, replaces: replaces, isExact: name != nil, meter, &report)
          report.written.append((node.id, DocumentName.display(node.name), path))
          meter.addDocument()
        case .unknown:
          throw DocumentError(.notPossible, place: store.place, reason: "its kind isn't known here")
        }
      } catch {
        guard error.code != .cancelled else {
          report.wasCancelled = true
          return report
        }
        report.failed.append((node.id, DocumentName.display(node.name), error))
      }
    }
    return report
  }

  /// Gives a document's bytes, each only after all of them were checked: the sealed bytes lie in a nameless file of the
  /// state folder meanwhile.
  package func read(
    _ id: UUID, watch: WorkWatch = WorkWatch(), _ body: (RawSpan) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    try read(at: position(of: id, in: ManifestTree(manifest)), watch: watch, body)
  }

  /// The same by its position in the manifest.
  package func read(
    at index: Int, watch: WorkWatch = WorkWatch(), _ body: (RawSpan) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    let node = manifest.nodes[index]
    let spool = try Spool(folder: state.path)
    let meter = WorkMeter(watch, documents: 1, bytes: node.size ?? 0)
    let object = try object(of: node)
    try store.readObject(object, range: nil) { (piece) throws(DocumentError) in
      try meter.check(store.place)
      try spool.file.write(piece)
    }
    let length = spool.file.byteCount
    func pass(_ body: (RawSpan) throws(DocumentError) -> Void) throws(DocumentError) {
      var opener = try OpeningObject(node.fileKey, byteCount: length, place: place(object))
      try spool.file.forEachPiece(0..<length) { (piece) throws(DocumentError) in
        try meter.check(store.place)
        try opener.take(piece, body)
      }
      try opener.finish()
    }
    try pass { _ in }
    try pass(body)
  }

  private func position(of id: UUID, in tree: ManifestTree) throws(DocumentError) -> Int {
    guard let index = tree.index(of: id) else {
      throw DocumentError(.notFound, place: store.place, reason: "no document has this identifier")
    }
    return index
  }

  private func write(
    _ node: ManifestNode, into target: TargetFolder, _ name: String, replaces: Bool, isExact: Bool, _ meter: WorkMeter,
    _ report: inout GetReport
  ) throws(DocumentError) -> String {
    let object = try object(of: node)
    guard let length = try store.objectByteCount(object) else {
      throw DocumentError(.notFound, place: place(object))
    }
    var opener = try OpeningObject(node.fileKey, byteCount: length, place: place(object))
    let path = try target.write(name, replaces: replaces, isExact: isExact) { (file) throws(DocumentError) in
      try store.readObject(object, range: nil) { (piece) throws(DocumentError) in
        try meter.check(store.place)
        try opener.take(piece) { (plain) throws(DocumentError) in
          try file.write(plain)
          meter.add(bytes: plain.byteCount)
        }
      }
      try opener.finish()
    }
    if let size = node.size, size != length - DocumentLimits.sealedOverhead {
      report.otherLength.append(DocumentName.display(node.name))
    }
    return path
  }

  func object(of node: ManifestNode) throws(DocumentError) -> UUID {
    guard node.isFile, let object = node.objectID else {
      throw DocumentError(.notPossible, place: store.place, reason: "it has no document")
    }
    return object
  }

  func place(_ object: UUID) -> String { "\(store.place), object \(object)" }
}

extension FileHandle {
  func write(_ piece: RawSpan) throws(DocumentError) {
    // `withUnsafeBytes` doesn't carry typed errors, hence the result.
    try piece.withUnsafeBytes { bytes in Result { () throws(DocumentError) in try write(bytes) } }.get()
  }
}

/// Opens a sealed document that comes in pieces of any length. What it gives isn't authentic before `finish` returned.
struct OpeningObject: ~Copyable {
  private let key: SecretValue
  private let place: String
  private let byteCount: Int
  private var nonce: [UInt8] = []
  private var tag: [UInt8] = []
  private var opener: ObjectOpener?
  private var offset = 0

  /// - Throws: `damaged` for what is too short to be sealed or has no key, `tooLarge` for what is too long.
  init(_ key: SecretValue?, byteCount: Int, place: String) throws(DocumentError) {
    guard let key, byteCount >= DocumentLimits.sealedOverhead else { throw DocumentError(.damaged, place: place) }
    guard byteCount <= DocumentLimits.objectByteCount else { throw DocumentError(.tooLarge, place: place) }
    self.key = key
    self.place = place
    self.byteCount = byteCount
  }

  mutating func take(_ piece: RawSpan, _ body: (RawSpan) throws(DocumentError) -> Void) throws(DocumentError) {
    guard piece.byteCount <= byteCount - offset else { throw DocumentError(.damaged, place: place) }
    var start = 0
    let head = min(piece.byteCount, max(0, 12 - offset))
    for index in 0..<head { nonce.append(piece.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
    start = head
    if opener == nil, nonce.count == 12 { opener = try ObjectOpener.begun(key, nonce: nonce, place: place) }
    let bodyEnd = byteCount - 16
    let end = min(piece.byteCount, max(start, bodyEnd - offset))
    if start < end {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: end - start, alignment: 16)
      defer {
        FileHandle.wipe(buffer)
        buffer.deallocate()
      }
      try opener?.opened(piece.extracting(start..<end), into: buffer, place: place)
      try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(buffer)))
    }
    for index in end..<piece.byteCount { tag.append(piece.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
    offset += piece.byteCount
  }

  /// - Throws: `damaged` for what ended early, was altered or has another key.
  mutating func finish() throws(DocumentError) {
    guard offset == byteCount, let opener = opener.take() else { throw DocumentError(.damaged, place: place) }
    try opener.ended(tag: tag, place: place)
  }
}
