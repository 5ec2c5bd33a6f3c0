import CSeif
import Glibc
import SeifBytes
import SeifCrypto
import SeifServerStore
import Testing

/// A folder of one test, which goes with it.
final class Scratch {
  let path: String

  init() throws {
    var template = Array("/tmp/seif-server-store-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = String(cString: seif_entry_name(entry))
        guard name != ".", name != ".." else { continue }
        if unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
      }
      closedir(folder)
    }
    rmdir(path)
  }

  var database: String { path + "/server.db" }
  var blobs: String { path + "/blobs" }

  func mode(_ name: String) -> UInt32? {
    var status = stat()
    return lstat(path + "/" + name, &status) == 0 ? status.st_mode & 0o7777 : nil
  }
}

func blobPath(_ blob: UUID) -> String { String(blob.description.prefix(2)) + "/" + blob.description }

func store(_ bytes: [UInt8], in blobs: any BlobStore) throws -> UUID {
  let writer = try blobs.begin()
  try bytes.withUnsafeBytes { try writer.write($0) }
  return try writer.finish()
}

func contents(_ blob: UUID, in blobs: any BlobStore) throws -> [UInt8]? {
  guard let reader = try blobs.open(blob) else { return nil }
  var buffer = [UInt8](repeating: 0, count: reader.byteCount + 1)
  let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0, at: 0) }
  return Array(buffer.prefix(count))
}

func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var stream = SHA256Stream()
  stream.update(bytes.span.bytes)
  return stream.finish()
}
