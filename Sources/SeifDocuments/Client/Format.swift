package import SeifBytes
internal import SeifCrypto
package import SeifDocumentFormat

extension Manifest {
  static func opened(_ blob: [UInt8], _ key: borrowing SecretBytes, place: String) throws(DocumentError) -> Manifest {
    do throws(DocumentFormatError) { return try Manifest(opening: blob, masterKey: key) } catch {
      switch error {
      case .badManifest, .unsupportedVersion:
        throw DocumentError(.notUnderstood, place: place, reason: error.description)
      default: throw DocumentError(.cannotOpen, place: place)
      }
    }
  }

  func sealed(
    _ key: borrowing SecretBytes, _ random: RandomSource, place: String
  ) throws(DocumentError) -> [UInt8] {
    do throws(DocumentFormatError) { return try sealed(masterKey: key, nonce: random.makeBytes(12)) } catch {
      throw DocumentError(
        error == .badLength ? .tooLarge : .failed, place: place, reason: "the table of contents has 16 MiB at most")
    }
  }

  /// The first node of an identifier.
  package func node(_ id: UUID) -> ManifestNode? { nodes.first { $0.id == id } }

  mutating func add(_ node: ManifestNode) { nodes.append(node) }

  /// Changes the first node of an identifier.
  mutating func update(_ id: UUID, _ change: (inout ManifestNode) -> Void) {
    if let index = nodes.firstIndex(where: { $0.id == id }) { change(&nodes[index]) }
  }

  mutating func remove(_ ids: Set<UUID>) -> [ManifestNode] {
    var (kept, gone) = ([ManifestNode](), [ManifestNode]())
    for node in nodes {
      if let id = node.id, ids.contains(id) { gone.append(node) } else { kept.append(node) }
    }
    nodes = kept
    return gone
  }

  package var objectIDs: Set<UUID> { Set(nodes.compactMap(\.objectID)) }

  /// Identifiers of nodes and of all below them.
  package func subtree(of ids: [UUID]) -> Set<UUID> {
    let tree = ManifestTree(self)
    var all = Set(ids)
    for index in ids.compactMap({ tree.index(of: $0) }) { all.formUnion(tree.below(index).compactMap { nodes[$0].id }) }
    return all
  }
}

extension ManifestNode {
  var isFolder: Bool { kind == .folder }
  var isFile: Bool { kind == .file }
  /// Of documents that can be opened.
  var objectID: UUID? { content?.object }
  var fileKey: SecretValue? { content?.key }
  var size: Int? { content?.byteCount }
  var fileExtension: String { content?.ext ?? "" }
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
  mutating func sealed(_ piece: RawSpan, place: String) throws(DocumentError) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: piece.byteCount)
    let done = output.withUnsafeMutableBytes { buffer in (try? sealing.update(piece, into: buffer)) != nil }
    guard done else { throw DocumentError(.failed, place: place) }
    return output
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
