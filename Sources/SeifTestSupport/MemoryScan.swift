private import Glibc
private import Synchronization

/// Looks for bytes in this process's own memory, through `/proc/self/mem`: what was wiped must not be found, and what
/// wasn't wiped yet must be, or the search is worth nothing.
public struct MemoryScan {
  // Held inverted, so that the search doesn't find itself.
  private let inverted: [UInt8]

  /// A search for bytes given inverted (`~byte`), at least 8 of them.
  public init(inverted: [UInt8]) {
    precondition(inverted.count >= 8, "a needle of fewer than 8 bytes is found by chance")
    self.inverted = inverted
  }

  /// A search for `byteCount` bytes of chance; `byte(_:)` gives them.
  public init(randomByteCount byteCount: Int = 32) {
    self.init(inverted: (0..<byteCount).map { _ in UInt8.random(in: 0...255) })
  }

  /// A byte of what is looked for.
  public func byte(_ index: Int) -> UInt8 { ~inverted[index] }

  /// How many bytes.
  public var byteCount: Int { inverted.count }

  /// Writes what is looked for, byte by byte, so that no array of it is left.
  public func write(to buffer: UnsafeMutableRawBufferPointer) {
    for index in inverted.indices { buffer[index] = byte(index) }
  }

  /// Whether the bytes still stand at an address, freed or not; false where nothing can be read any more.
  public func stands(at address: UInt) -> Bool {
    var found = [UInt8](repeating: 0, count: byteCount)
    let descriptor = open("/proc/self/mem", O_RDONLY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard pread(descriptor, &found, found.count, off_t(address)) == found.count else { return false }
    // This copy mustn't be what a later search finds.
    defer { found.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } } }
    return found.indices.allSatisfy { found[$0] == byte($0) }
  }

  /// How often the bytes stand anywhere in the writable memory of this process, or -1 if it can't be read.
  public func count() -> Int {
    // One search at a time: the window of another would hold what both have read.
    Self.turn.withLock { _ in search() }
  }

  private static let turn = Mutex(())

  private func search() -> Int {
    let window = 1 << 20
    let descriptor = open("/proc/self/mem", O_RDONLY)
    guard descriptor >= 0 else { return -1 }
    defer { close(descriptor) }
    let mapped = mmap(nil, window, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let buffer = mapped, buffer != MAP_FAILED else { return -1 }
    defer { munmap(buffer, window) }
    let own = UInt(bitPattern: buffer)..<UInt(bitPattern: buffer) + UInt(window)
    var hits = 0
    // The address sanitizer's shadow is terabytes of nothing.
    for region in Self.writableRegions() where region.count <= 1 << 36 {
      // The kernel merges neighbouring regions, so the window is left out by its address.
      for part in [
        region.lowerBound..<max(region.lowerBound, min(region.upperBound, own.lowerBound)),
        min(region.upperBound, max(region.lowerBound, own.upperBound))..<region.upperBound,
      ] {
        var address = part.lowerBound
        while address < part.upperBound {
          let length = min(window, Int(part.upperBound - address))
          let read = pread(descriptor, buffer, length, off_t(address))
          if read >= byteCount { hits += matches(buffer, read) }
          // Windows overlap, so that nothing hides on their edge.
          address += UInt(length == window ? window - byteCount + 1 : length)
        }
      }
    }
    return hits
  }

  private func matches(_ buffer: UnsafeMutableRawPointer, _ length: Int) -> Int {
    let first = byte(0)
    var hits = 0
    var start = buffer
    let last = buffer + length - byteCount
    while start <= last, let hit = memchr(start, Int32(first), last - start + 1) {
      let isWhole = inverted.indices.allSatisfy { hit.load(fromByteOffset: $0, as: UInt8.self) == byte($0) }
      if isWhole { hits += 1 }
      start = hit + 1
    }
    return hits
  }

  private static func writableRegions() -> [Range<UInt>] {
    guard let file = fopen("/proc/self/maps", "r") else { return [] }
    defer { fclose(file) }
    var regions: [Range<UInt>] = []
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let fields = text.split(separator: " ")
      guard fields.count > 1, fields[1].hasPrefix("rw") else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2, ends[0] < ends[1] { regions.append(ends[0]..<ends[1]) }
    }
    return regions
  }
}
