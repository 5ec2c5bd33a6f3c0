import SeifCommandLine
import CSeif
import Glibc

@testable import SeifCommands

/// A folder that goes away with its owner.
final class TemporaryFolder {
  let path: String

  init() throws { path = try Self.make("commands") }

  /// Makes a folder below `/tmp`, which is the caller's to remove.
  static func make(_ name: String) throws -> String {
    var template = Array("/tmp/seif-\(name)-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Terminal.Failure(what: "no temporary folder") }
    return String(cString: made)
  }

  deinit {
    for name in names { if unlink(path + "/" + name) != 0 { rmdir(path + "/" + name) } }
    rmdir(path)
  }

  /// What is in it, hidden files too.
  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = String(cString: seif_entry_name(entry))
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Writes a file and gives its path.
  func write(_ text: String, as name: String, mode: mode_t = 0o600) throws -> String {
    let full = path + "/" + name
    let descriptor = seif_open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Terminal.Failure(what: "can't write \(full)") }
    var text = text
    text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: descriptor) }
    fchmod(descriptor, mode)
    close(descriptor)
    return full
  }

  func read(_ name: String) throws -> String { try Self.text(of: path + "/" + name) }

  /// The whole text of any file.
  static func text(of path: String) throws -> String {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw Terminal.Failure(what: "can't read \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = buffer.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) }
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }

  func status(_ name: String) -> stat? {
    var status = stat()
    return lstat(path + "/" + name, &status) == 0 ? status : nil
  }
}
