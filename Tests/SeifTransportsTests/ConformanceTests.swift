import Glibc
import SeifBackups
import SeifBytes
import SeifTransports
import Testing

/// The rules of transports, at a folder, and at places that break one each.
@Suite struct ConformanceTests {
  @Test(arguments: TransportConformance.checks(.full))
  func aFolderKeepsEveryRule(check: TransportConformance.Check) throws {
    let place = ProgramFolder()
    try check.run(FolderTransport(path: place.path))
    #expect(try FolderTransport(path: place.path).listBackups().isEmpty)
  }

  @Test(arguments: TransportConformance.checks(.short))
  func aFolderWithoutNamelessFilesKeepsEveryRule(check: TransportConformance.Check) throws {
    let place = ProgramFolder()
    var folder = FolderTransport(path: place.path)
    folder.allowsUnnamed = false
    try check.run(folder)
  }

  @Test(arguments: Lie.allCases)
  func aPlaceThatBreaksARuleIsFound(lie: Lie) throws {
    let place = ProgramFolder()
    let liar = Liar(folder: FolderTransport(path: place.path), lie: lie)
    let findings = TransportConformance.checks(.short).filter { check in
      do {
        try check.run(liar)
        return false
      } catch {
        return true
      }
    }
    #expect(!findings.isEmpty, "\(lie)")
  }
}

/// Ways to break a rule.
enum Lie: CaseIterable {
  case flipsABit, cutsTheEnd, ignoresTheLimit, forgets, listsNothing, listsTwice, listsAWrongSize, overwrites
  case doesntDelete, deletesTheMissing, changesNames, takesPaths
}

struct Liar: BackupTransport {
  let folder: FolderTransport
  let lie: Lie

  var id: String { "liar" }
  var displayName: String { "liar" }
  var requiresAuthentication: Bool { false }
  var supportsAutomaticRestore: Bool { false }
  var fixedName: String? { nil }
  func isAvailable() -> Bool { true }

  func listBackups() throws(TransportError) -> [BackupDescriptor] {
    let listed = try folder.listBackups()
    switch lie {
    case .listsNothing: return []
    case .listsTwice: return listed + listed
    case .listsAWrongSize: return listed.map { BackupDescriptor(id: $0.id, name: $0.name, byteCount: 7) }
    default: return listed
    }
  }

  func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    switch lie {
    case .forgets: return BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
    case .overwrites: try? folder.delete(id: name)
    case .takesPaths where name.utf8.contains(0x2F):
      return BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
    case .changesNames where name.utf8.contains(0x20):
      return try folder.upload(content, name: String(name.map { $0 == " " ? "_" : $0 }))
    default: break
    }
    return try folder.upload(content, name: name)
  }

  func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    let file = try folder.download(id: id, limit: lie == .ignoresTheLimit ? .max : limit)
    guard file.byteCount > 0 else { return file }
    var bytes = file.exposedBytes()
    switch lie {
    case .flipsABit: bytes[bytes.count / 2] ^= 1
    case .cutsTheEnd: bytes.removeLast()
    default: break
    }
    return SecretValue(bytes)
  }

  func delete(id: String) throws(TransportError) {
    switch lie {
    case .doesntDelete: return
    case .deletesTheMissing: try? folder.delete(id: id)
    default: try folder.delete(id: id)
    }
  }
}
