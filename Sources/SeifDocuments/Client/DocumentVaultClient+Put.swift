internal import CSeif
internal import Glibc
package import SeifBytes
internal import SeifCrypto
package import SeifDocumentFormat

/// Something that is to go into a vault.
package enum PutItem: Sendable {
  /// A file, or a folder with all in it, under its own name or another; links inside a folder aren't followed.
  case path(String, name: String? = nil)
  /// What a descriptor gives to its end, under a name.
  case stream(Int32, name: String)
}

/// What came of putting files into a vault.
package struct PutReport: Sendable {
  /// Files that are in the vault now: their nodes and where they came from.
  package var added: [(id: UUID, path: String)] = []
  /// Files that were there already under the same name, in the same folder, with the same length.
  package var present: [String] = []
  /// Files that weren't put, and why.
  package var refused: [(path: String, error: DocumentError)] = []
  /// Files whose bytes don't look like what their extension says; they are in the vault.
  package var warnings: [(path: String, type: ContentType)] = []
  /// What lost in a merge with others' changes.
  package var lost: [MergeNote] = []
  /// Whether the person ended it: what is in `added` is in the vault, the rest isn't.
  package var wasCancelled = false
}

extension DocumentVaultClient {
  /// Seals files and puts them into a folder of the vault; nil: the root. Folders come with their names.
  ///
  /// Files are committed in groups, so that one that was put stays put, whatever ends the work.
  ///
  /// - Parameter skipsPresent: leaves out files that are there already, so that work that was ended can go on.
  /// - Throws: what keeps all of it from being done: `rollback`, `conflict`, a store that fails. What is wrong with one
  ///   file is in the report.
  package func put(
    _ items: [PutItem], into parent: UUID?, skipsPresent: Bool = false, watch: WorkWatch = WorkWatch()
  ) throws(DocumentError) -> PutReport {
    try requireWritable()
    try requireFolder(parent, manifest)
    var report = PutReport()
    var plan = PutPlan(parent: parent, random: random)
    for item in items { plan.add(item, &report) }
    if skipsPresent { plan.leaveOutPresent(in: manifest, &report) }
    let meter = WorkMeter(watch, documents: plan.files.count, bytes: plan.byteCount)
    var group = PutGroup()
    // Drawn and noted a group at a time: what is abandoned half-way must be known as this client's own before it is sent.
    let objects = plan.files.map { _ in random.makeUUID() }
    for (index, file) in plan.files.enumerated() {
      if index % PutGroup.fileCount == 0 {
        let time = now().milliseconds
        try state.note(objects.dropFirst(index).prefix(PutGroup.fileCount).map { ($0, .uploading(time)) })
      }
      guard !meter.wantsEnd else {
        report.wasCancelled = true
        break
      }
      let before = meter.bytes
      do throws(DocumentError) {
        try send(file, as: objects[index], meter, &group)
        meter.addDocument()
      } catch {
        meter.set(bytes: before)
        guard error.code != .cancelled else {
          report.wasCancelled = true
          break
        }
        // A source's fault costs that file; the store's, all that follow.
        guard Self.isOfSource(error.code) || error.place == file.path else {
          try? commit(&group, plan, &report)
          throw error
        }
        report.refused.append((file.path, error))
      }
      if group.files.count >= PutGroup.fileCount || group.byteCount >= 256 << 20 { try commit(&group, plan, &report) }
    }
    let needsFolders = !report.wasCancelled && plan.folders.contains { manifest.node($0.id) == nil }
    if !group.files.isEmpty || needsFolders { try commit(&group, plan, &report, withAllFolders: needsFolders) }
    return report
  }

  private static func isOfSource(_ code: DocumentError.Code) -> Bool {
    [.sourceChanged, .notAFile, .tooLarge, .notAllowed].contains(code)
  }

  private func send(
    _ file: PutPlan.File, as object: UUID, _ meter: WorkMeter, _ group: inout PutGroup
  ) throws(DocumentError) {
    let key = random.makeValue(32)
    let upload: Upload
    switch file.source {
    case .path(let path, let isInside):
      upload = try Upload.file(key: key, random: random, meter: meter) { () throws(DocumentError) in
        guard isInside, let slash = path.lastIndex(of: "/") else { return try SourceFile(path: path) }
        let folder = try FolderHandle(path: String(path[..<slash]))
        return try SourceFile(String(path[path.index(after: slash)...]), in: folder)
      }
    case .stream(let descriptor):
      upload = try Upload.stream(
        descriptor, place: file.path, key: key, random: random, meter: meter, folder: state.path)
    }
    _ = try store.putObject(object, from: upload.source())
    let id = random.makeUUID()
    let content = DocumentContent(
      object: object, key: key, byteCount: upload.byteCount,
      ext: DocumentKind.acceptedExtension(of: file.name) ?? "")
    let node = ManifestNode.file(id: id, parent: file.parent, name: file.name, createdAt: now(), content: content)
    group.files.append((id, node, object, file.path, upload))
    group.byteCount += upload.byteCount
  }

  private func commit(
    _ group: inout PutGroup, _ plan: PutPlan, _ report: inout PutReport, withAllFolders: Bool = false
  ) throws(DocumentError) {
    let files = group.files
    guard !files.isEmpty || withAllFolders else { return }
    let uploads = Dictionary(uniqueKeysWithValues: files.map { ($0.object, $0.upload) })
    let folders = plan.folders
    let done = try change(uploads: uploads) { (manifest) throws(DocumentError) in
      var wanted = Set(folders.map(\.id))
      if !withAllFolders { wanted = PutPlan.needed(files.compactMap(\.node.parent), folders) }
      for folder in folders where wanted.contains(folder.id) && manifest.node(folder.id) == nil {
        manifest.add(folder.node(now()))
      }
      for file in files { manifest.add(file.node) }
    }
    report.lost += done.lost
    for file in files {
      report.added.append((file.id, file.path))
      let type = file.upload.type
      if !type.fits(extension: file.node.fileExtension) { report.warnings.append((file.path, type)) }
    }
    group = PutGroup()
  }
}

/// Files that are sent and not named yet.
private struct PutGroup {
  var files: [(id: UUID, node: ManifestNode, object: UUID, path: String, upload: Upload)] = []
  var byteCount = 0

  /// Most files that are sent before they are named.
  static let fileCount = 100
}

/// What a put will do: which files go where.
struct PutPlan {
  enum Source {
    /// Whether it was found inside a folder, where no link is followed.
    case path(String, isInside: Bool)
    case stream(Int32)
  }
  struct File {
    var source: Source
    var path: String
    var name: String
    var parent: UUID?
    var byteCount: Int
  }
  struct Folder {
    var id: UUID
    var name: String
    var parent: UUID?
    func node(_ now: Timestamp) -> ManifestNode { .folder(id: id, parent: parent, name: name, createdAt: now) }
  }

  let parent: UUID?
  let random: RandomSource
  private(set) var files: [File] = []
  private(set) var folders: [Folder] = []

  /// A folder deeper than this is refused: no person's folders are, and a loop of mounts may be.
  static let depth = 64
  static let fileCount = 100_000

  init(parent: UUID?, random: RandomSource) {
    self.parent = parent
    self.random = random
  }

  var byteCount: Int { files.reduce(0) { $0 + $1.byteCount + DocumentLimits.sealedOverhead } }

  mutating func add(_ item: PutItem, _ report: inout PutReport) {
    switch item {
    case .stream(let descriptor, let name):
      guard DocumentKind.acceptedExtension(of: name) != nil else {
        report.refused.append((name, DocumentError(.notAllowed, place: name)))
        return
      }
      files.append(File(source: .stream(descriptor), path: name, name: name, parent: parent, byteCount: 0))
    case .path(let path, let given):
      var status = stat()
      guard stat(path, &status) == 0 else {
        report.refused.append((path, SystemRefusal.error(place: path)))
        return
      }
      let trimmed = Self.trimmed(path)
      let name = given ?? Self.ownName(trimmed)
      if status.st_mode & S_IFMT == S_IFDIR {
        walk(trimmed, name, &report)
      } else {
        addFile(path, name, parent, status, isInside: false, &report)
      }
    }
  }

  /// The name of what stands at a path; `.` has one too.
  private static func ownName(_ path: String) -> String {
    func last(_ path: String) -> String {
      path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
    guard ["", ".", ".."].contains(last(path)), let real = realpath(path, nil) else { return last(path) }
    defer { free(real) }
    return last(String(cString: real))
  }

  private static func trimmed(_ path: String) -> String {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  private mutating func addFile(
    _ path: String, _ name: String, _ parent: UUID?, _ status: stat, isInside: Bool, _ report: inout PutReport
  ) {
    let refusal: DocumentError? =
      if status.st_mode & S_IFMT != S_IFREG {
        DocumentError(.notAFile, place: path)
      } else if DocumentKind.acceptedExtension(of: name) == nil {
        DocumentError(.notAllowed, place: path)
      } else if status.st_size > DocumentLimits.documentByteCount {
        DocumentError(.tooLarge, place: path, reason: "50 MiB at most")
      } else if files.count >= Self.fileCount {
        DocumentError(.notPossible, place: path, reason: "too many files at once")
      } else {
        nil
      }
    if let refusal {
      report.refused.append((path, refusal))
    } else {
      files.append(
        File(
          source: .path(path, isInside: isInside), path: path, name: name, parent: parent,
          byteCount: Int(status.st_size)))
    }
  }

  /// All files below a folder, without recursion: how deep it goes is the folder's to say.
  private mutating func walk(_ path: String, _ name: String, _ report: inout PutReport) {
    let top = Folder(id: random.makeUUID(), name: name, parent: parent)
    folders.append(top)
    var open = [(path: path, id: top.id, depth: 0)]
    while let next = open.popLast() {
      do throws(DocumentError) {
        guard next.depth < Self.depth else { throw DocumentError(.notPossible, place: next.path, reason: "too deep") }
        let folder = try FolderHandle(path: next.path)
        for child in try folder.names().sorted(by: utf8Precedes) {
          let childPath = folder.path(child)
          var status = stat()
          guard fstatat(folder.descriptor, child, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            report.refused.append((childPath, SystemRefusal.error(place: childPath)))
            continue
          }
          if status.st_mode & S_IFMT == S_IFDIR {
            let inner = Folder(id: random.makeUUID(), name: child, parent: next.id)
            folders.append(inner)
            open.append((childPath, inner.id, next.depth + 1))
          } else {
            addFile(childPath, child, next.id, status, isInside: true, &report)
          }
        }
      } catch {
        report.refused.append((next.path, error))
      }
    }
  }

  /// The planned folders that some folders stand in, themselves included.
  static func needed(_ parents: [UUID], _ folders: [Folder]) -> Set<UUID> {
    let byID = Dictionary(uniqueKeysWithValues: folders.map { ($0.id, $0) })
    var all: Set<UUID> = []
    for parent in parents {
      var next: UUID? = parent
      while let id = next, let folder = byID[id], all.insert(id).inserted { next = folder.parent }
    }
    return all
  }

  /// Takes folders and files for those of the same names that are there, and leaves out files that are there as they are.
  mutating func leaveOutPresent(in manifest: Manifest, _ report: inout PutReport) {
    struct Key: Hashable {
      var parent: UUID?
      var name: String
      var size: Int?
    }
    var there: [Key: UUID] = [:]
    for node in manifest.nodes {
      if node.isFolder { there[Key(parent: node.parent, name: node.name, size: nil)] = node.id }
      if node.isFile { there[Key(parent: node.parent, name: node.name, size: node.size)] = node.id }
    }
    var same: [UUID: UUID] = [:]
    for index in folders.indices {
      folders[index].parent = folders[index].parent.map { same[$0] ?? $0 }
      let key = Key(parent: folders[index].parent, name: folders[index].name, size: nil)
      if let id = there[key] {
        same[folders[index].id] = id
        folders[index].id = id
      }
    }
    var rest: [File] = []
    for var file in files {
      file.parent = file.parent.map { same[$0] ?? $0 }
      if case .path = file.source,
        there[Key(parent: file.parent, name: file.name, size: file.byteCount)] != nil
      {
        report.present.append(file.path)
      } else {
        rest.append(file)
      }
    }
    files = rest
  }
}
