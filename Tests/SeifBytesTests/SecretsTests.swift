import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

/// Each test finds its bytes while they should be there, or the search would prove nothing.
@Suite struct WipingTests {
  @Test func secretBytesAreGoneWithTheirOwner() {
    let needle = MemoryScan()
    do {
      let secret = filled(needle)
      #expect(needle.count() == 1)
      do {
        let twice = secret.duplicate()
        let same = twice.withBytes { a in secret.withBytes { b in constantTimeEqual(a, b) } }
        #expect(same)
        #expect(needle.count() == 2)
      }
      #expect(needle.count() == 1)
    }
    #expect(needle.count() == 0)
  }

  @Test func secretBytesAreWipedWhenTheirMakingFails() {
    struct Failure: Error {}
    let needle = MemoryScan()
    #expect(throws: Failure.self) {
      _ = try SecretBytes(byteCount: 64) { (buffer) throws(Failure) in
        needle.write(to: buffer)
        #expect(needle.count() == 1)
        throw Failure()
      }
    }
    #expect(needle.count() == 0)
  }

  @Test func aSecretValueIsWipedWithItsLastHolder() throws {
    let needle = MemoryScan()
    var address: UInt = 0
    do {
      var first: SecretValue? = filled(needle).withBytes { SecretValue(copying: $0) }
      let second = first
      address = try #require(first).withBytes { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
      #expect(needle.stands(at: address))
      first = nil
      #expect(needle.stands(at: address))
      withExtendedLifetime(second) {}
    }
    #expect(!needle.stands(at: address))
    #expect(needle.count() == 0)
  }

  @Test func aSecretValueIsWipedWhenItsMakingFails() {
    struct Failure: Error {}
    let needle = MemoryScan()
    #expect(throws: Failure.self) {
      _ = try SecretValue(byteCount: 64) { (buffer) throws(Failure) in
        needle.write(to: buffer)
        throw Failure()
      }
    }
    #expect(needle.count() == 0)
  }

  // What free() leaves is what these tests would find without a wipe: an array of the same bytes is found.
  @Test func anOrdinaryArrayIsFoundAfterItIsFreed() {
    let needle = MemoryScan(randomByteCount: 64)
    do {
      let bytes = (0..<400).map { needle.byte($0 % 64) }
      #expect(bytes.count == 400)
    }
    #expect(needle.count() > 0)
  }

  @Test func aGrowingBufferWipesWhatItLeavesBehind() {
    let needle = MemoryScan()
    do {
      var buffer = SecretBuffer(capacity: 32)
      for index in 0..<needle.byteCount { buffer.append(needle.byte(index)) }
      #expect(needle.count() == 1)
      for round in 0..<12 {
        for _ in 0..<(40 << round) { buffer.append(0x20) }
        #expect(needle.count() == 1, "after growing \(round + 1) times")
      }
      #expect(buffer.withBytes { $0.unsafeLoad(as: UInt8.self) } == needle.byte(0))
    }
    #expect(needle.count() == 0)
  }

  @Test func finishingMovesAndForgettingWipes() {
    let needle = MemoryScan()
    var buffer = SecretBuffer(capacity: 64)
    filled(needle).withBytes { buffer.append($0) }
    do {
      let value = buffer.finish()
      #expect(value.byteCount == 32)
      #expect(needle.count() == 1)
      withExtendedLifetime(value) {}
    }
    #expect(needle.count() == 0)
    var again = SecretBuffer(capacity: 64)
    filled(needle).withBytes { again.append($0) }
    #expect(needle.count() == 1)
    again.removeAll()
    #expect(needle.count() == 0)
    #expect(again.byteCount == 0)
  }

  @Test func decodingLeavesOnlyItsResult() throws {
    let needle = MemoryScan(randomByteCount: 40)
    let text = filled(needle).withBytes { Base64.encode($0) }
    let base32 = Base32.encode(filled(needle).withBytes { SecretValue(copying: $0) })
    #expect(needle.count() == 0)
    do {
      let value = try text.withBytes { bytes throws(EncodingError) in try Base64.decode(bytes, lineBreaks: true) }
      #expect(needle.count() == 1)
      withExtendedLifetime(value) {}
    }
    do {
      let value = try base32.withBytes { bytes throws(EncodingError) in try Base32.decodeLeniently(bytes) }
      #expect(needle.count() == 1)
      withExtendedLifetime(value) {}
    }
    #expect(needle.count() == 0)
  }

  @Test func anASCIIPassphraseLeavesNoCopyBesideItsForm() {
    // 40 letters, so that no search byte is outside of ASCII.
    let needle = MemoryScan(inverted: (0..<40).map { _ in ~UInt8.random(in: 0x61...0x7A) })
    do {
      let passphrase = filled(needle)
      let forms = Normalization.passphraseForms(passphrase)
      #expect(forms.count == 1)
      #expect(needle.count() == 2)
    }
    #expect(needle.count() == 0)
  }

  @Test func aJSONStringLeavesOnlyDocumentAndValue() throws {
    let needle = MemoryScan(inverted: (0..<40).map { _ in ~UInt8.random(in: 0x61...0x7A) })
    do {
      var text = SecretBuffer()
      text.append(utf8: "{\"a\\u0062\":\"\\u0041")
      filled(needle).withBytes { text.append($0) }
      text.append(utf8: "\"}")
      let document = try JSONDocument(parsing: text.finish(), policy: .strict)
      #expect(needle.count() == 1)
      let value = try #require(document.root["ab"]?.secret)
      #expect(needle.count() == 2)
      let canonical = document.root.canonical
      #expect(needle.count() == 3)
      withExtendedLifetime((value, canonical, document)) {}
    }
    #expect(needle.count() == 0)
  }

  func filled(_ needle: MemoryScan) -> SecretBytes {
    SecretBytes(byteCount: needle.byteCount) {
      needle.write(to: $0)
      return needle.byteCount
    }
  }
}

@Suite struct LockedPagesTests {
  static func status(_ field: String) -> Int? {
    guard let status = try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8) else { return nil }
    return status.split(separator: "\n").first { $0.hasPrefix("\(field):") }?.split { $0 == " " || $0 == "\t" }
      .compactMap {
        Int($0)
      }.first
  }

  // In a process of its own: other tests lock pages too.
  @Test func secretBytesStandInLockedPages() async {
    await #expect(processExitsWith: .success) {
      let before = LockedPagesTests.status("VmLck") ?? -1
      do {
        let secret = SecretBytes(copying: SecretValue(utf8: "secret"))
        guard secret.isLocked, LockedPagesTests.status("VmLck") == before + 4, before >= 0 else { exit(1) }
        let long = SecretBytes(byteCount: 10_000) { _ in 10_000 }
        guard long.isLocked, LockedPagesTests.status("VmLck") == before + 16 else { exit(2) }
      }
      exit(LockedPagesTests.status("VmLck") == before ? 0 : 3)
    }
  }

  @Test func refusedLockingIsReportedAndNotFatal() async {
    await #expect(processExitsWith: .success) {
      // Root may lock in spite of its limit, so that right is given up: to nobody, in this process alone.
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      guard setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &none) == 0 else { exit(1) }
      if getuid() == 0, setuid(65534) != 0 { exit(2) }
      let secret = SecretBytes(copying: SecretValue(utf8: "secret"))
      guard !secret.isLocked, secret.byteCount == 6 else { exit(3) }
      let isWhole = secret.withBytes { bytes in
        SecretValue(utf8: "secret").withBytes { constantTimeEqual($0, bytes) }
      }
      exit(isWhole ? 0 : 4)
    }
  }

  @Test func coreDumpsLeaveThemOut() throws {
    let secret = SecretBytes(copying: SecretValue(utf8: "secret"))
    let address = secret.withBytes { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    let file = try #require(fopen("/proc/self/smaps", "r"))
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 4096)
    var isInside = false
    var flags: String?
    while fgets(&buffer, 4096, file) != nil {
      let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2 { isInside = ends[0] <= address && address < ends[1] }
      if isInside, line.hasPrefix("VmFlags:") { flags = line }
    }
    let words = try #require(flags).split { $0 == " " || $0 == "\n" }
    #expect(words.contains("dd"))
    withExtendedLifetime(secret.byteCount) {}
  }
}

@Suite struct UnprintableTests {
  @Test func aSecretValueShowsNothing() throws {
    let value = SecretValue(utf8: "canary-5d1f")
    struct Holder { let value: SecretValue }
    let document = try JSONDocument(parsing: SecretValue(utf8: #"{"k":"canary-5d1f"}"#), policy: .strict)
    let member = OpaqueMember(key: "k", value: value)
    var shown = ""
    for thing in [
      value, Holder(value: value), [value], ["k": value], member, Optional(value) as Any, document,
      document.root,
    ] as [Any] {
      print(thing, to: &shown)
      debugPrint(thing, to: &shown)
      dump(thing, to: &shown)
      shown += String(reflecting: thing) + String(describing: thing) + "\(thing)"
    }
    #expect(shown.contains("<secret>"))
    #expect(!shown.contains("canary"))
    // Neither as numbers, as an array of bytes would be dumped.
    #expect(!shown.contains("99, 97, 110") && !shown.contains("- 99\n"))
    #expect(Mirror(reflecting: value).children.isEmpty)
    #expect("\(value)" == "<secret>")
  }

  @Test func errorsSayNothingOfTheText() throws {
    let texts = ["{\"canary\":1,\"canary\":2}", "[canary]", "\"canary\\x\""]
    for text in texts {
      do {
        _ = try JSONDocument(parsing: SecretValue(utf8: text), policy: .strict)
        Issue.record("taken: \(text)")
      } catch {
        var shown = "\(error)" + String(reflecting: error)
        dump(error, to: &shown)
        #expect(!shown.contains("canary"))
      }
    }
  }
}

@Suite struct SecretEqualityTests {
  @Test func equalMeansTheSameBytesAndLength() {
    let bytes = [UInt8](0..<100)
    let value = SecretValue(bytes)
    #expect(value == SecretValue(bytes))
    #expect(value.hashValue == SecretValue(bytes).hashValue)
    #expect(value != SecretValue(Array(bytes.dropLast())))
    #expect(value != SecretValue(bytes + [0]))
    for bit in 0..<800 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(value != SecretValue(other), "bit \(bit)")
    }
    #expect(SecretValue.empty == SecretValue([]))
    // Composed and decomposed letters are different bytes, whatever String says.
    #expect("\u{E9}" == "e\u{301}")
    #expect(SecretValue(utf8: "\u{E9}") != SecretValue(utf8: "e\u{301}"))
  }

  @Test func bytesComeOutAsTheyWentIn() {
    #expect(SecretValue(utf8: "aé\u{0}").exposedText() == "aé\u{0}")
    #expect(SecretValue([0xFF]).exposedText() == nil)
    #expect(SecretValue([1, 2, 3]).exposedBytes() == [1, 2, 3])
    #expect(SecretValue.empty.isEmpty && SecretValue.empty.exposedText() == "")
    #expect(SecretBytes(copying: SecretValue.empty).byteCount == 0)
    var buffer = SecretBuffer(capacity: 0)
    buffer.append([1])
    buffer.append(SecretValue([2]))
    buffer.append(utf8: "é")
    buffer.appendBigEndian(0x0102_0304, byteCount: 8)
    buffer.appendBigEndian(0x0102, byteCount: 1)
    #expect(buffer.byteCount == 13)
    #expect(buffer.finish().exposedBytes() == [1, 2, 0xC3, 0xA9, 0, 0, 0, 0, 1, 2, 3, 4, 2])
  }
}
