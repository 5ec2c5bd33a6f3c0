import SeifTestSupport
import Testing

@testable import SeifTransports

@Suite struct SFTPCodecTests {
  // MARK: - What is sent

  @Test func aRequestIsTheBytesOfTheDraft() {
    #expect(SFTPRequest.initialize.packet(9) == [0, 0, 0, 5, 1, 0, 0, 0, 3])
    #expect(
      SFTPRequest.open(path: "ab", flags: SFTPRequest.OpenFlags.createNew).packet(7)
        == [0, 0, 0, 23, 3, 0, 0, 0, 7, 0, 0, 0, 2, 0x61, 0x62, 0, 0, 0, 0x2A, 0, 0, 0, 4, 0, 0, 1, 0x80])
    #expect(
      SFTPRequest.open(path: "a", flags: SFTPRequest.OpenFlags.read).packet(1)
        == [0, 0, 0, 18, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0x61, 0, 0, 0, 1, 0, 0, 0, 0])
    #expect(
      SFTPRequest.read(handle: [5], offset: 0x0102_0304_0506, count: 32_768).packet(0xFFFF_FFFF)
        == [
          0, 0, 0, 22, 5, 255, 255, 255, 255, 0, 0, 0, 1, 5, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0x80, 0,
        ])
    #expect(
      SFTPRequest.rename(from: "a", to: "b").packet(2)
        == [0, 0, 0, 15, 18, 0, 0, 0, 2, 0, 0, 0, 1, 0x61, 0, 0, 0, 1, 0x62])
  }

  @Test func theLengthOfAWriteCountsTheBytesThatFollow() {
    let packet = SFTPRequest.write(handle: [5], offset: 1, count: 10).packet(3)
    #expect(packet == [0, 0, 0, 32, 6, 0, 0, 0, 3, 0, 0, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 10])
  }

  // MARK: - What is read

  private static let status: [UInt8] = [101, 0, 0, 0, 7, 0, 0, 0, 4, 0, 0, 0, 2, 0x68, 0x69, 0, 0, 0, 0]
  private static let attributes: [UInt8] =
    [105, 0, 0, 0, 7, 0x80, 0, 0, 0x0F, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0x81, 0x80]
    + [0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0, 1, 0x78, 0, 0, 0, 0]
  private static let names: [UInt8] =
    [104, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 1, 0x61, 0, 0, 0, 0, 0, 0, 0, 0]
    + [0, 0, 0, 1, 0xFF, 0, 0, 0, 1, 0x6C, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9]
  private static let whole: [[UInt8]] = [
    status, attributes, names, [102, 0, 0, 0, 7, 0, 0, 0, 2, 1, 2], [103, 0, 0, 0, 7, 0, 0, 0, 3, 1, 2, 3],
  ]

  @Test func anAnswerIsReadToItsEnd() throws {
    let (id, status) = try SFTPAnswer.parse(Self.status)
    #expect(id == 7)
    guard case .status(let read) = status else { throw SFTPFault.kind(0) }
    #expect(read.code == 4 && read.message == "hi")
    #expect(
      try SFTPAnswer.parse(Self.attributes).answer
        == .attributes(SFTPAttributes(byteCount: 258, permissions: 0o100600, modified: 6)))
    #expect(
      try SFTPAnswer.parse(Self.names).answer
        == .names([
          SFTPName(text: "a", attributes: SFTPAttributes()),
          SFTPName(text: nil, attributes: SFTPAttributes(byteCount: 9)),
        ]))
    #expect(try SFTPAnswer.parse([102, 0, 0, 0, 7, 0, 0, 0, 2, 1, 2]).answer == .handle([1, 2]))
    #expect(try SFTPAnswer.parse([103, 0, 0, 0, 7, 0, 0, 0, 2, 1, 2]).answer == .data([1, 2]))
  }

  @Test(arguments: whole) func aPacketThatEndsEarlyOrLateIsRefused(packet: [UInt8]) {
    for count in 0..<packet.count {
      // A status may be the code alone, and one without a language is whole too.
      if packet == Self.status, [9, 15].contains(count) { continue }
      #expect(throws: SFTPFault.self, "\(count) of \(packet.count) bytes") {
        try SFTPAnswer.parse(Array(packet.prefix(count)))
      }
    }
    #expect(throws: SFTPFault.trailingBytes) { try SFTPAnswer.parse(packet + [0]) }
  }

  @Test(arguments: [0, 1, 4, 262_145, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
  func aLengthThatNoPacketHasIsRefused(length: UInt32) {
    var writer = SFTPWriter()
    writer.uint32(length)
    #expect(throws: SFTPFault.length(length)) { try SFTPAnswer.length(writer.bytes) }
  }

  @Test func theLargestPacketIsTaken() throws {
    #expect(try SFTPAnswer.length([0, 4, 0, 0]) == 262_144)
  }

  @Test func aCountIsHeldAgainstWhatThereIs() {
    let many: [UInt8] = [104, 0, 0, 0, 7, 0xFF, 0xFF, 0xFF, 0xFF]
    #expect(throws: SFTPFault.count(field: "names")) { try SFTPAnswer.parse(many) }
    #expect(throws: SFTPFault.truncated(field: "name")) { try SFTPAnswer.parse([104, 0, 0, 0, 7, 0, 0, 0, 9]) }
    #expect(throws: SFTPFault.truncated(field: "data")) {
      try SFTPAnswer.parse([103, 0, 0, 0, 7, 0xFF, 0xFF, 0xFF, 0xFF, 1])
    }
    let extended: [UInt8] = [105, 0, 0, 0, 7, 0x80, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]
    #expect(throws: SFTPFault.count(field: "extended attributes")) { try SFTPAnswer.parse(extended) }
    let handle: [UInt8] = [102, 0, 0, 0, 7, 0, 0, 1, 1] + [UInt8](repeating: 1, count: 257)
    #expect(throws: SFTPFault.count(field: "bytes of a handle")) { try SFTPAnswer.parse(handle) }
  }

  @Test func attributesOfLaterVersionsAreRefused() {
    #expect(throws: SFTPFault.attributes(0x10)) { try SFTPAnswer.parse([105, 0, 0, 0, 7, 0, 0, 0, 0x10]) }
  }

  @Test(arguments: [[0x2E, 0x2F, 0x61], [0x61, 0], []] as [[UInt8]])
  func aNameThatLeadsElsewhereIsRefused(name: [UInt8]) {
    let packet: [UInt8] = [104, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, UInt8(name.count)] + name + [0, 0, 0, 0, 0, 0, 0, 0]
    #expect(throws: SFTPFault.name) { try SFTPAnswer.parse(packet) }
  }

  @Test(arguments: [0, 1, 3, 200, 255] as [UInt8]) func whatIsNoAnswerIsRefused(kind: UInt8) {
    #expect(throws: SFTPFault.kind(kind)) { try SFTPAnswer.parse([kind, 0, 0, 0, 7]) }
  }

  @Test func onlyVersionThreeIsSpoken() throws {
    #expect(try SFTPAnswer.version([2, 0, 0, 0, 3]) == [])
    let named: [UInt8] = [2, 0, 0, 0, 3, 0, 0, 0, 1, 0x61, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0]
    #expect(try SFTPAnswer.version(named) == ["a"])
    #expect(throws: SFTPFault.version(2)) { try SFTPAnswer.version([2, 0, 0, 0, 2]) }
    #expect(throws: SFTPFault.version(6)) { try SFTPAnswer.version([2, 0, 0, 0, 6]) }
    #expect(throws: SFTPFault.kind(101)) { try SFTPAnswer.version([101, 0, 0, 0, 3]) }
    #expect(throws: SFTPFault.truncated(field: "extension")) { try SFTPAnswer.version([2, 0, 0, 0, 3, 0, 0, 0, 1]) }
    let many = (0..<65).flatMap { _ in [0, 0, 0, 0, 0, 0, 0, 0] as [UInt8] }
    #expect(throws: SFTPFault.count(field: "extensions")) { try SFTPAnswer.version([2, 0, 0, 0, 3] + many) }
  }

  @Test func theFreeSpaceOfAFileSystemDoesNotOverflow() throws {
    var writer = SFTPWriter()
    for value in [4_096, .max, 0, 0, 2, 0, 0, 0, 0, 1, 255] as [UInt64] { writer.uint64(value) }
    let system = try SFTPFileSystem(writer.bytes[...])
    #expect(system.freeBytes == .max && system.isReadOnly)
    #expect(throws: SFTPFault.trailingBytes) { try SFTPFileSystem((writer.bytes + [1])[...]) }
    #expect(throws: SFTPFault.truncated(field: "longest name")) { try SFTPFileSystem(writer.bytes.dropLast()) }
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func damagedPacketsNeverTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var refused = 0
    for _ in 0..<5_000 {
      var packet = Self.whole.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        packet[Int.random(in: 0..<packet.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if (try? SFTPAnswer.parse(packet)) == nil { refused += 1 }
      _ = try? SFTPAnswer.version(packet)
      _ = try? SFTPFileSystem(packet[...])
      _ = try? SFTPAnswer.length(packet)
    }
    #expect(refused > 1_000)
  }
}
