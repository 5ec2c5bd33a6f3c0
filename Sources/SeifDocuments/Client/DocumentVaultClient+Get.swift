internal import CSeif
internal import Glibc
package import SeifBytes
internal import SeifCrypto
internal import SeifDocumentFormat

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
  /// - Parameter name: for a single document: what its file is called, and then a name that is taken is refused.
  /// - Parameter replaces: whether a file that is there under the name goes; a folder never does.
  package func get(
    _ ids: [UUID], into folder: String, as name: String? = nil, replaces: Bool = false, watch: WorkWatch = WorkWatch()
  ) throws(DocumentError) -> GetReport {
    var report = GetReport()
    for id in ids { _ = try node(id, manifest) }
    let tree = ManifestTree(manifest)
    let starts = ids.compactMap { tree.index(of: $0) }
    let files = Set(starts + starts.flatMap { tree.below($0) }).map { manifest.nodes[$0] }.filter(\.isFile)
    let meter = WorkMeter(watch, documents: files.count, bytes: files.reduce(0) { $0 &+ ($1.size ?? 0) })
    var open = starts.reversed().map { (index: $0, folder: folder) }
    var done: Set<Int> = []
    while let next = open.popLast() {
      guard !meter.wantsEnd else {
        report.wasCancelled = true
        return report
      }
      guard done.insert(next.index).inserted else { continue }
      let node = manifest.nodes[next.index]
      let wanted = name ?? DocumentName.fileName(node.name)
      do throws(DocumentError) {
        if node.isFolder {
          let path = try Self.makeFolder(wanted, in: next.folder)
          for child in tree.children(of: next.index).reversed() { open.append((child, path)) }
        } else if node.isFile {
          let path = try write(
            node, into: next.folder, wanted, replaces: replaces, isExact: name != nil, meter, &report)
          report.written.append((node.id, DocumentName.display(node.name), path))
          meter.addDocument()
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
    let node = try node(id, manifest)
    let spool = try Spool(folder: state.path)
    let meter = WorkMeter(watch, documents: 1, bytes: node.size ?? 0)
    let object = try object(of: node)
    try store.readObject(object, range: nil) { (piece) throws(DocumentError) in
      try meter.check(store.place)
      try spool.write(piece)
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

  private func write(
    _ node: ManifestNode, into folder: String, _ name: String, replaces: Bool, isExact: Bool, _ meter: WorkMeter,
    _ report: inout GetReport
  ) throws(DocumentError) -> String {
    let object = try object(of: node)
    guard let length = try store.objectByteCount(object) else {
      throw DocumentError(.notFound, place: place(object))
    }
    let target = try FolderHandle(path: folder)
    let names = isExact ? [] : try target.names().map(Normalization.nfc)
    let taken = Set(names)
    var output = try OutputFile(in: target)
    var opener = try OpeningObject(node.fileKey, byteCount: length, place: place(object))
    try store.readObject(object, range: nil) { (piece) throws(DocumentError) in
      try meter.check(store.place)
      try opener.take(piece) { (plain) throws(DocumentError) in
        try output.file.write(plain)
        meter.add(bytes: plain.byteCount)
      }
    }
    try opener.finish()
    if let size = node.size, size != length - DocumentLimits.sealedOverhead {
      report.otherLength.append(DocumentName.display(node.name))
    }
    for attempt in 1...1000 {
      let candidate = attempt == 1 ? name : DocumentName.fileName(DocumentName.numbered(name, attempt))
      // Told to replace, it replaces the file of this very name; else letters in another form are the same name.
      if !isExact, !replaces, taken.contains(Normalization.nfc(candidate)) { continue }
      do throws(DocumentError) {
        try output.publish(as: candidate, replaces: replaces)
        return folder.hasSuffix("/") ? folder + candidate : "\(folder)/\(candidate)"
      } catch {
        guard error.code == .exists, !isExact, !replaces else { throw error }
      }
    }
    throw DocumentError(.exists, place: folder)
  }

  /// A new folder for the files of one; a folder of this name that is there isn't mixed with them.
  private static func makeFolder(_ name: String, in folder: String) throws(DocumentError) -> String {
    let parent = try FolderHandle(path: folder)
    let taken = Set(try parent.names().map(Normalization.nfc))
    for attempt in 1...1000 {
      let candidate = attempt == 1 ? name : DocumentName.fileName(DocumentName.numbered(name, attempt))
      if taken.contains(Normalization.nfc(candidate)) { continue }
      if mkdirat(parent.descriptor, candidate, 0o700) == 0 {
        try parent.sync()
        return parent.path(candidate)
      }
      guard errno == EEXIST else { throw SystemRefusal.error(place: parent.path(candidate)) }
    }
    throw DocumentError(.exists, place: folder)
  }

  func object(of node: ManifestNode) throws(DocumentError) -> UUID {
    guard node.isFile, let object = node.objectID else {
      throw DocumentError(.notPossible, place: store.place, reason: "it has no document")
    }
    return object
  }

  func place(_ object: UUID) -> String { "\(store.place), object \(object)" }
}

extension Spool {
  func write(_ piece: RawSpan) throws(DocumentError) { try file.write(piece) }
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
  consuming func finish() throws(DocumentError) {
    guard offset == byteCount, let opener = opener.take() else { throw DocumentError(.damaged, place: place) }
    try opener.ended(tag: tag, place: place)
  }
}
