package import SeifBytes
internal import SeifCrypto
package import SeifDocumentFormat

extension Manifest {
  static var empty: Manifest { Manifest() }

  static func opened(_ blob: [UInt8], _ key: borrowing SecretBytes, place: String) throws(DocumentError) -> Manifest {
    guard let cipher = try? AES256GCM(key: key), let plain = try? cipher.openCombined(blob.span.bytes, aad: RawSpan())
    else { throw DocumentError(.cannotOpen, place: place) }
    do { return try Manifest(parsing: plain) } catch { throw DocumentError(.notUnderstood, place: place) }
  }

  func sealed(
    _ key: borrowing SecretBytes, _ random: RandomSource, place: String
  ) throws(DocumentError) -> [UInt8] {
    let plain = encoded
    do {
      let cipher = try AES256GCM(key: key)
      return try plain.withBytes { try cipher.sealCombined($0, nonce: random.makeBytes(12), aad: RawSpan()) }
    } catch { throw DocumentError(.failed, place: place) }
  }

  package func node(_ id: UUID) -> ManifestNode? { nodes.first { $0.id == id } }
  mutating func add(_ node: ManifestNode) { nodes.append(node) }
  mutating func update(_ id: UUID, _ change: (inout ManifestNode) -> Void) {
    if let index = nodes.firstIndex(where: { $0.id == id }) { change(&nodes[index]) }
  }
  mutating func remove(_ ids: Set<UUID>) -> [ManifestNode] {
    let gone = nodes.filter { ids.contains($0.id) }
    nodes.removeAll { ids.contains($0.id) }
    return gone
  }
  package var objectIDs: Set<UUID> { Set(nodes.compactMap(\.objectID)) }
  package func subtree(of ids: [UUID]) -> Set<UUID> {
    let children = Dictionary(grouping: nodes) { $0.parent }
    var all: Set<UUID> = []
    var open = ids
    while let id = open.popLast() {
      guard all.insert(id).inserted else { continue }
      open += (children[id] ?? []).map(\.id)
    }
    return all
  }
  static func merged(
    base: Manifest, server: Manifest, ours: Manifest, _ random: RandomSource
  ) -> (manifest: Manifest, lost: [MergeLoss]) {
    var all = server
    let seen = Set(base.nodes.map(\.id))
    for node in ours.nodes where !seen.contains(node.id) && server.node(node.id) == nil { all.nodes.append(node) }
    let kept = Set(ours.nodes.map(\.id))
    all.nodes.removeAll { seen.contains($0.id) && !kept.contains($0.id) }
    return (all, [])
  }
}

extension ManifestNode {
  package var isFolder: Bool { kind == .folder }
  package var isFile: Bool { kind == .file }
  package var title: String { name }
  package var objectID: UUID? { isFile ? object : nil }
  package var fileKey: SecretValue? { key }
  package var size: Int? { bytes }
  package var fileExtension: String { ext ?? "" }
  package var isFavourite: Bool {
    get { favorite }
    set { favorite = newValue }
  }
  mutating func rename(_ name: String) { self.name = name }
  mutating func setContent(object: UUID, key: SecretValue) {
    self.object = object
    self.key = key
  }
  static func newFolder(_ id: UUID, name: String, parent: UUID?, createdAt: Timestamp) -> ManifestNode {
    ManifestNode(id: id, parent: parent, kind: .folder, name: name, createdAt: createdAt)
  }
  static func newFile(
    _ id: UUID, name: String, parent: UUID?, createdAt: Timestamp, object: UUID, key: SecretValue, byteCount: Int
  ) -> ManifestNode {
    var node = ManifestNode(id: id, parent: parent, kind: .file, name: name, createdAt: createdAt)
    node.object = object
    node.key = key
    node.bytes = byteCount
    node.ext = DocumentNames.ext(name)
    return node
  }
}

enum DocumentNames {
  static func ext(_ name: String) -> String { name.split(separator: ".").last.map { $0.lowercased() } ?? "" }
  static func isAllowed(_ name: String) -> Bool { DocumentCategory(fileExtension: ext(name)) != nil }
  static func safe(_ name: String) -> String { String(name.map { $0 == "/" ? "_" : $0 }) }
  static func numbered(_ name: String, _ number: Int) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(name) (\(number))" }
    return "\(name[..<dot]) (\(number))\(name[dot...])"
  }
}

enum DocumentKinds {
  static func warning(fileExtension: String, head: [UInt8]) -> String? { nil }
}

struct ObjectSealer: ~Copyable {
  private var sealing: AES256GCMSealing
  static func begun(_ key: SecretValue, nonce: [UInt8], place: String) throws(DocumentError) -> ObjectSealer {
    do { return ObjectSealer(sealing: try AES256GCMSealing(key: SecretBytes(copying: key), nonce: nonce)) } catch {
      throw DocumentError(.failed, place: place)
    }
  }
  mutating func sealed(inPlace piece: UnsafeMutableRawBufferPointer, place: String) throws(DocumentError) {
    do { try sealing.update(inPlace: piece) } catch { throw DocumentError(.failed, place: place) }
  }
  mutating func sealed(_ piece: RawSpan, into output: inout [UInt8], place: String) throws(DocumentError) {
    output = piece.withUnsafeBytes { [UInt8]($0) }
    let done = output.withUnsafeMutableBytes { buffer in (try? sealing.update(inPlace: buffer)) != nil }
    guard done else { throw DocumentError(.failed, place: place) }
  }
  consuming func ended(place: String) throws(DocumentError) -> [UInt8] {
    do { return try sealing.finish() } catch { throw DocumentError(.failed, place: place) }
  }
}

struct ObjectOpener: ~Copyable {
  private var opening: AES256GCMOpening
  static func begun(_ key: SecretValue, nonce: [UInt8], place: String) throws(DocumentError) -> ObjectOpener {
    do { return ObjectOpener(opening: try AES256GCMOpening(key: SecretBytes(copying: key), nonce: nonce)) } catch {
      throw DocumentError(.damaged, place: place)
    }
  }
  mutating func opened(
    _ piece: RawSpan, into output: UnsafeMutableRawBufferPointer, place: String
  ) throws(DocumentError) {
    do { try opening.update(piece, intoUnverified: output) } catch { throw DocumentError(.damaged, place: place) }
  }
  consuming func ended(tag: [UInt8], place: String) throws(DocumentError) {
    do { try opening.finish(tag: tag.span.bytes) } catch { throw DocumentError(.damaged, place: place) }
  }
}

extension RandomSource {
  /// A random file key.
  func makeValue(_ count: Int) -> SecretValue {
    makeSecret(byteCount: count).withBytes { SecretValue(copying: $0) }
  }
}
