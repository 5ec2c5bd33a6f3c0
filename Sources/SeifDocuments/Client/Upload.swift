internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifCrypto
internal import SeifDocumentFormat

/// A document on its way into a vault: where its bytes come from, sealed anew each time that they are sent.
package final class Upload {
  /// What the source is called.
  let place: String
  let byteCount: Int
  let key: SecretValue
  /// What its first bytes say that it is.
  fileprivate(set) var type = ContentType.empty
  private let makeSource: (Upload) throws(DocumentError) -> ObjectSource

  private init(
    place: String, byteCount: Int, key: SecretValue,
    makeSource: @escaping (Upload) throws(DocumentError) -> ObjectSource
  ) {
    self.place = place
    self.byteCount = byteCount
    self.key = key
    self.makeSource = makeSource
  }

  /// The sealed document: nonce, ciphertext, tag; once more each time.
  func source() throws(DocumentError) -> ObjectSource { try makeSource(self) }

  /// A file, read and sealed each time. The nonce is a new one each time, so that a file that changed in between reveals
  /// nothing; it is refused then all the same.
  static func file(
    key: SecretValue, random: RandomSource, meter: WorkMeter,
    open: @escaping () throws(DocumentError) -> SourceFile
  ) throws(DocumentError) -> Upload {
    let first = try open()
    let (byteCount, modifiedAt) = (first.byteCount, first.modifiedAt)
    return Upload(place: first.file.place, byteCount: byteCount, key: key) { (upload) throws(DocumentError) in
      let file = try open()
      guard file.byteCount == byteCount, file.modifiedAt == modifiedAt else {
        throw DocumentError(.sourceChanged, place: upload.place)
      }
      let sealing = try SealingFile(file, key: key, nonce: random.makeBytes(12))
      return ObjectSource(byteCount: byteCount + DocumentLimits.sealedOverhead) { (buffer) throws(DocumentError) in
        try meter.check(sealing.place)
        let count = try sealing.read(into: buffer) { upload.type = $0 }
        meter.add(bytes: count)
        return count
      }
    }
  }

  /// What a descriptor gives, to its end: sealed into a nameless file of a folder as it comes, since it comes once and its
  /// length isn't known before.
  static func stream(
    _ descriptor: Int32, place: String, key: SecretValue, random: RandomSource, meter: WorkMeter, folder: String
  ) throws(DocumentError) -> Upload {
    let spool = try Spool(folder: folder)
    let nonce = random.makeBytes(12)
    var sealer = try ObjectSealer.begun(key, nonce: nonce, place: place)
    try spool.file.write(nonce)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer {
      FileHandle.wipe(buffer)
      buffer.deallocate()
    }
    // A pipe may give its first bytes one by one.
    var total = 0
    var head = SecretBuffer(capacity: ContentType.probedByteCount)
    while true {
      try meter.check(place)
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemRefusal.error(place: place) }
      if count == 0 { break }
      total += count
      guard total <= DocumentLimits.documentByteCount else {
        throw DocumentError(.tooLarge, place: place, reason: "50 MiB at most")
      }
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      for byte in piece.prefix(ContentType.probedByteCount - head.byteCount) { head.append(byte) }
      try sealer.sealed(inPlace: piece, place: place)
      try spool.file.write(UnsafeRawBufferPointer(piece))
    }
    try spool.file.write(try sealer.ended(place: place))
    let upload = Upload(place: place, byteCount: total, key: key) { _ throws(DocumentError) in
      var offset = 0
      return ObjectSource(byteCount: total + DocumentLimits.sealedOverhead) { (buffer) throws(DocumentError) in
        try meter.check(place)
        let count = try spool.file.read(into: buffer, at: offset)
        offset += count
        meter.add(bytes: count)
        return count
      }
    }
    upload.type = head.finish().withBytes { $0.withUnsafeBytes { ContentType(probing: $0) } }
    return upload
  }
}

extension ContentType {
  /// The type that the beginning of a document suggests; no copy of it is left.
  fileprivate init(probing bytes: UnsafeRawBufferPointer) {
    var probe = [UInt8](bytes.prefix(Self.probedByteCount))
    self.init(firstBytes: probe)
    probe.withUnsafeMutableBytes { FileHandle.wipe($0) }
  }
}

/// A file without a name for sealed bytes, gone with this value.
final class Spool {
  let file: FileHandle

  init(folder path: String) throws(DocumentError) {
    let folder = try FolderHandle(path: path)
    let nameless = seif_openat(folder.descriptor, ".", seif_O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600)
    guard nameless < 0 else {
      file = FileHandle(nameless, place: path)
      return
    }
    let name = TemporaryName.make()
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let named = seif_openat(folder.descriptor, name, flags, 0o600)
    guard named >= 0 else { throw SystemRefusal.error(place: path) }
    unlinkat(folder.descriptor, name, 0)
    file = FileHandle(named, place: path)
  }
}

/// Seals a file while it is read.
private final class SealingFile {
  let place: String
  private let file: SourceFile
  private var pending: [UInt8]
  private var sealer: ObjectSealer?
  private var offset = 0

  init(_ file: consuming SourceFile, key: SecretValue, nonce: [UInt8]) throws(DocumentError) {
    place = file.file.place
    self.file = file
    sealer = try ObjectSealer.begun(key, nonce: nonce, place: place)
    pending = nonce
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, type: (ContentType) -> Void
  ) throws(DocumentError) -> Int {
    if !pending.isEmpty {
      let count = min(buffer.count, pending.count)
      pending.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      pending.removeFirst(count)
      return count
    }
    guard offset < file.byteCount else {
      guard let sealer = sealer.take() else { return 0 }
      // Before the tag: without it the store has no whole object, and keeps none.
      try file.checkUnchanged()
      pending = try sealer.ended(place: place)
      return try read(into: buffer, type: type)
    }
    let count = try file.read(into: buffer, at: offset)
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    if offset == 0 { type(ContentType(probing: UnsafeRawBufferPointer(piece))) }
    guard sealer != nil else { return 0 }
    try sealer?.sealed(inPlace: piece, place: place)
    offset += count
    return count
  }
}
