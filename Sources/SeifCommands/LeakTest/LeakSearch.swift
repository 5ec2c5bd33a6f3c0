internal import SeifCommandLine
internal import CSeif
internal import Glibc

/// What was found in one place.
struct LeakPlace {
  let name: String
  var byteCount: Int64 = 0
  /// How often each canary was found, by its place in the list.
  var found: [Int: Int] = [:]
  /// Whether what was planted there was found; nil where nothing can be planted.
  var isPlantFound: Bool?
  /// A command that is meant to show a secret there showed none: nothing was looked at.
  var isShownMissing = false
  /// Why it wasn't searched, or not all of it.
  var reason: String?
  /// What is found is known and only counted: docs/leak-test.md says why.
  var isCountedOnly = false

  /// The program has a way there that it doesn't need.
  var couldWrite = false

  init(_ name: String) { self.name = name }

  mutating func add(_ other: LeakPlace) {
    byteCount += other.byteCount
    found.merge(other.found) { $0 + $1 }
    if other.isPlantFound == true { isPlantFound = true }
    if reason == nil { reason = other.reason }
  }
}

/// Searches files, memory and texts for canaries. The last canary of the list is the plant.
struct LeakSearch {
  private let needles: LeakNeedles
  private let plant: Int

  init(_ canaries: [LeakCanary], plant: String) {
    needles = LeakNeedles(canaries + [LeakCanary("the plant", text: plant)])
    self.plant = canaries.count
  }

  /// Counts of canaries; the plant is taken out and said apart.
  private func settle(_ counts: [Int: Int], _ place: inout LeakPlace) {
    for (index, count) in counts {
      if index == plant { place.isPlantFound = true } else { place.found[index, default: 0] += count }
    }
  }

  func search(_ bytes: [UInt8], _ place: inout LeakPlace) {
    place.byteCount += Int64(bytes.count)
    settle(needles.found(in: bytes), &place)
  }

  // MARK: - Files

  /// Searches a file or everything below a folder, names too; links aren't followed.
  func search(path: String, _ place: inout LeakPlace, depth: Int = 0, skipping: Set<String> = []) {
    if skipping.contains(path) { return }
    search(Array(path.utf8), &place)
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFDIR where depth < 64:
      for name in Machine.names(in: path) {
        search(path: path + "/" + name, &place, depth: depth + 1, skipping: skipping)
      }
    case S_IFREG: search(file: path, &place)
    default: break
    }
  }

  private func search(file path: String, _ place: inout LeakPlace) {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else {
      place.reason = place.reason ?? "a file can't be read: \(Descriptor.words(for: errno))"
      return
    }
    defer { close(descriptor) }
    _ = windows(&place) { buffer, offset in pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  // MARK: - Memory

  /// Searches what a core file of a process would hold: all of its memory that isn't a file's alone.
  ///
  /// - Returns: nil, or why the kernel doesn't let us.
  func search(memoryOf process: Int32, _ place: inout LeakPlace) -> String? {
    let memory = seif_open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC, 0)
    guard memory >= 0, let maps = Machine.head(of: "/proc/\(process)/maps", byteCount: 4 << 20) else {
      if memory >= 0 { close(memory) }
      return "the kernel refuses it"
    }
    defer { close(memory) }
    var hasRead = false
    for line in maps.split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count >= 5, fields[1].hasPrefix("r"), fields[1].hasPrefix("rw") || fields[4] == "0" else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard ends.count == 2, let begin = ends.first, let end = ends.last, begin < end, end <= UInt64(Int64.max) else {
        continue
      }
      let count = windows(&place) { buffer, offset in
        let left = end - begin - min(UInt64(offset), end - begin)
        return pread(memory, buffer.baseAddress, Int(min(UInt64(buffer.count), left)), off_t(begin) + off_t(offset))
      }
      if count > 0 { hasRead = true }
    }
    return hasRead ? nil : "the kernel refuses it"
  }

  /// Reads on and on, each window beginning with the end of the one before, so that nothing hides on an edge.
  private func windows(_ place: inout LeakPlace, _ read: (UnsafeMutableRawBufferPointer, Int64) -> Int) -> Int64 {
    let size = 1 << 20
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    var (offset, kept): (Int64, Int) = (0, 0)
    while true {
      let count = read(UnsafeMutableRawBufferPointer(rebasing: buffer[kept...]), offset)
      guard count > 0 else { return offset }
      offset += Int64(count)
      place.byteCount += Int64(count)
      let filled = kept + count
      var counts: [Int: Int] = [:]
      needles.found(in: UnsafeRawBufferPointer(rebasing: buffer[..<filled]), known: kept, &counts)
      settle(counts, &place)
      kept = min(filled, needles.longest - 1)
      if let base = buffer.baseAddress { memmove(base, base + filled - kept, kept) }
    }
  }
}
