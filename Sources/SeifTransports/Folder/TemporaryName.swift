internal import CSeif
internal import Glibc

/// Names of files that are being written, on file systems without nameless ones: `.seif-RANDOM.part`.
enum TemporaryName {
  /// How long one lies before it is taken for left behind, in seconds. Should a slow writer lose its file so, its link
  /// fails and it says so; nothing else can go wrong.
  static let lifetime = 86_400

  static func make() -> String {
    var random = SystemRandomNumberGenerator()
    return ".seif-" + String(random.next() as UInt64, radix: 36) + ".part"
  }

  static func matches(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    let (head, tail) = (Array(".seif-".utf8), Array(".part".utf8))
    guard (head.count + tail.count + 1...head.count + tail.count + 13).contains(bytes.count), bytes.starts(with: head),
      bytes.suffix(tail.count).elementsEqual(tail)
    else { return false }
    return bytes.dropFirst(head.count).dropLast(tail.count)
      .allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }

  /// Removes those that a killed program left in a folder.
  static func removeLeftOver(in folder: Int32) {
    let copy = seif_openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard copy >= 0 else { return }
    guard let entries = fdopendir(copy) else {
      close(copy)
      return
    }
    defer { closedir(entries) }
    let now = time(nil)
    while let entry = readdir(entries) {
      let name = FolderEntry.name(of: entry)
      var status = stat()
      guard matches(name), fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFREG, status.st_mtim.tv_sec < now - lifetime
      else { continue }
      unlinkat(folder, name, 0)
    }
  }
}

/// What a folder's listing gives.
enum FolderEntry {
  static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    String(cString: seif_entry_name(entry))
  }
}
