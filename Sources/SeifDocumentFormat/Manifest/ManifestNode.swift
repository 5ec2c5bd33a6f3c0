public import SeifBytes

/// A document or a folder, as the manifest has it.
///
/// What a reader doesn't understand, fields with values that can't be used and fields that nobody here knows, stays with
/// the node and is written back as it was.
public struct ManifestNode: Sendable, Hashable {
  /// What it is. A kind that isn't known is kept and shown, and holds nothing.
  public enum Kind: Sendable, Hashable {
    case folder, file, unknown
  }

  /// Its identifier; nil for one that is missing or no UUID.
  public internal(set) var id: UUID?
  /// The folder that it is in; nil: the root, or see `problems`.
  public internal(set) var parent: UUID?
  /// What it is.
  public internal(set) var kind: Kind
  /// Its name, any text: to be shown by `DocumentName.display` and made a file's by `DocumentName.fileName`.
  public internal(set) var name: String
  /// When it was put in, as its client says.
  public internal(set) var createdAt: Timestamp?
  /// Whether it is a favourite.
  public internal(set) var isFavorite: Bool
  /// Where a document's bytes are; nil for folders, and for documents that can't be opened.
  public internal(set) var content: DocumentContent?
  /// What is wrong with the node itself, apart from its place in the tree; nil: nothing.
  public var problem: ManifestProblem.Kind? { faults.first?.kind }

  // Texts as they were found, so that a rewrite of another client's node changes nothing: letter case of identifiers,
  // forms of a date.
  var idText = ""
  var parentText: String?
  var createdAtText = ""
  var objectText = ""
  /// Known fields that can't be used as they are, until they are set.
  var faults: [Fault] = []
  /// What stood there in their place, and the rest of what would be a document's content.
  var spoilt: [OpaqueMember] = []
  /// Fields that aren't known.
  var opaque: [OpaqueMember] = []
  /// What stood in the place of a node and is no object.
  var other: SecretValue?

  /// A new folder.
  ///
  /// - Parameters:
  ///   - id: drawn at random for it.
  ///   - parent: a folder of the manifest; nil: the root.
  public static func folder(id: UUID, parent: UUID?, name: String, createdAt: Timestamp) -> ManifestNode {
    ManifestNode(id: id, parent: parent, kind: .folder, name: name, createdAt: createdAt, content: nil)
  }

  /// A new document.
  ///
  /// - Parameters:
  ///   - id: drawn at random for it.
  ///   - parent: a folder of the manifest; nil: the root.
  public static func file(
    id: UUID, parent: UUID?, name: String, createdAt: Timestamp, content: DocumentContent
  ) -> ManifestNode {
    ManifestNode(id: id, parent: parent, kind: .file, name: name, createdAt: createdAt, content: content)
  }

  init(id: UUID, parent: UUID?, kind: Kind, name: String, createdAt: Timestamp, content: DocumentContent?) {
    self.id = id
    self.kind = kind
    self.name = name
    self.createdAt = createdAt
    self.content = content
    isFavorite = false
    idText = id.description
    createdAtText = createdAt.rfc3339Milliseconds
    objectText = content?.object.description ?? ""
    move(to: parent)
  }

  init(other: SecretValue) {
    kind = .unknown
    name = ""
    isFavorite = false
    faults = [Fault(key: "", kind: .notAnObject)]
    self.other = other
  }

  /// Gives it another name.
  public mutating func rename(to name: String) {
    self.name = name
    settle("name")
  }

  /// Puts it into another folder; nil: at the root.
  public mutating func move(to parent: UUID?) {
    self.parent = parent
    parentText = parent?.description
    settle("parent")
  }

  /// Makes it a favourite or none.
  public mutating func setFavorite(_ isFavorite: Bool) {
    self.isFavorite = isFavorite
    settle("favorite")
  }

  /// Gives a document other bytes.
  public mutating func setContent(_ content: DocumentContent) {
    precondition(kind == .file, "internal error: only a document has content")
    self.content = content
    objectText = content.object.description
    for key in ["object", "key", "bytes", "ext"] { settle(key) }
  }

  /// Whether it can be given an identifier: what is no object can't.
  public var canHaveIdentifier: Bool { other == nil }

  /// Gives it another identifier: what a second node of one identifier gets when it is written.
  public mutating func setID(_ id: UUID) {
    self.id = id
    idText = id.description
    settle("id")
  }

  // What was set is no longer what couldn't be used.
  private mutating func settle(_ key: String) {
    spoilt.removeAll { $0.key == key }
    faults.removeAll { $0.key == key }
  }

  /// A known field that is missing or has a value that can't be used.
  struct Fault: Sendable, Hashable {
    var key: String
    var kind: ManifestProblem.Kind
  }
}

/// Where a document's bytes are, and the key that opens them.
public struct DocumentContent: Sendable, Hashable {
  /// The sealed object.
  public var object: UUID
  /// Its key, 32 bytes.
  public var key: SecretValue
  /// Bytes of the document, not of the sealed object.
  public var byteCount: Int
  /// Extension without its dot, in lower case.
  public var ext: String

  /// The content of a document.
  public init(object: UUID, key: SecretValue, byteCount: Int, ext: String) {
    self.object = object
    self.key = key
    self.byteCount = byteCount
    self.ext = ext
  }
}

/// Something wrong with one node, which costs no other node anything.
public struct ManifestProblem: Sendable, Hashable {
  /// The kinds; the raw values are those of the format's vectors.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case notAnObject = "not-an-object"
    case badID = "bad-id"
    case unknownKind = "unknown-kind"
    case badName = "bad-name"
    case badParent = "bad-parent"
    case badDate = "bad-date"
    case badFavorite = "bad-favorite"
    case badObject = "bad-object"
    case badKey = "bad-key"
    case badBytes = "bad-bytes"
    case badExtension = "bad-ext"
    /// Another node before it has the same identifier.
    case duplicateID = "duplicate-id"
    /// The folder that it should be in isn't there.
    case parentMissing = "parent-missing"
    /// What it should be in is no folder.
    case parentNotAFolder = "parent-not-a-folder"
    /// It is, through others, inside itself.
    case parentCycle = "parent-cycle"
  }
  /// Position of the node in the manifest.
  public let index: Int
  /// What is wrong.
  public let kind: Kind

  /// A problem of the node at a position.
  public init(index: Int, kind: Kind) {
    self.index = index
    self.kind = kind
  }
}
