internal import SeifCommandLine
internal import CSeif
internal import Glibc

/// The folders of everybody, where a program may leave what it shouldn't.
enum LeakFolders {
  private static let folders = ["/tmp", "/var/tmp", "/dev/shm"]
  /// More than this of new files is a finding for a person.
  private static let limit: Int64 = 1 << 30

  /// What stands there now.
  static func names() -> Set<String> {
    Set(folders.flatMap { folder in Machine.names(in: folder, limit: 100_000).map { folder + "/" + $0 } })
  }

  /// Searches what has come since and belongs to this user.
  static func search(new before: Set<String>, _ search: LeakSearch, plant: String, own: String) -> LeakPlace {
    var place = LeakPlace(folders.joined(separator: ", "))
    var planted: [String] = []
    defer { planted.forEach { unlink($0) } }
    for folder in folders {
      var template = Array("\(folder)/seif-leak-plant-XXXXXX".utf8CString)
      let descriptor = mkstemp(&template)
      guard descriptor >= 0 else { continue }
      planted.append(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
      let bytes = Array(plant.utf8)
      _ = bytes.withUnsafeBytes { seif_write_all(descriptor, $0.baseAddress, $0.count) }
      close(descriptor)
    }
    var found = 0
    for path in names().subtracting(before) where path != own {
      guard let status = Machine.status(path, followingLinks: false), status.st_uid == getuid() else { continue }
      guard place.byteCount < limit else {
        place.reason = "more than a gigabyte is new there"
        break
      }
      var one = LeakPlace(place.name)
      search.search(path: path, &one)
      if planted.contains(path), one.isPlantFound == true { found += 1 }
      place.add(one)
    }
    place.isPlantFound = !planted.isEmpty && found == planted.count
    return place
  }
}

/// The log of the system. No ordinary program can stand in for its socket, so what is looked at is whether this program
/// could write there at all.
enum LeakLog {
  static func place() -> LeakPlace {
    var place = LeakPlace("log of the system")
    guard let program = Machine.bytes(of: "/proc/self/exe") else {
      place.reason = "the program's file can't be read"
      return place
    }
    place.byteCount = Int64(program.count)
    // As names of functions that it takes from libraries; spelled backwards, since they stand in this program otherwise.
    func imports(_ name: String) -> Bool {
      let needle = [0] + Array(name.utf8.reversed()) + [0]
      return program.withUnsafeBytes { seif_find($0.baseAddress, $0.count, needle, needle.count) } >= 0
    }
    place.isPlantFound = imports("nwaps_xisop")
    for name in ["golsys", "golsysv", "khc_golsys__", "golnepo", "dnes_lanruoj_ds", "tnirp_lanruoj_ds"]
    where imports(name) { place.couldWrite = true }
    return place
  }
}

extension Machine {
  /// A file, no more of it than about a limit; nil where it can't be read.
  static func bytes(of path: String, limit: Int = 1 << 30) -> [UInt8]? {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit,
      case let count = buffer.withUnsafeMutableBytes({ Descriptor.read(descriptor, into: $0) }), count != 0
    {
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
    return bytes
  }
}
