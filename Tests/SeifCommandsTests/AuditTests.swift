import SeifCommandLine
import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifRecords
import SeifVault
import Synchronization
import Testing

@testable import SeifCommands

/// Lists of breached passwords that are made up, and logins beside them.
@Suite struct BreachedListTests {
  /// A list of so many lines in order, with the hashes of some passwords among them.
  static func text(_ count: Int, with passwords: [String: Int] = [:], end: String = "\r\n") -> [UInt8] {
    var lines: [String] = []
    let tail = String(repeating: "A", count: 32)
    let step = UInt64(1) << 32 / UInt64(count + 1)
    for index in 0..<count {
      let number = String(UInt64(index + 1) * step, radix: 16, uppercase: true)
      let hash = String(repeating: "0", count: 8 - number.count) + number + tail
      lines.append("\(hash):\(index % 9999 + 1)")
    }
    for (password, times) in passwords { lines.append(Base16.encode(sha1(password)).uppercased() + ":\(times)") }
    lines.sort { utf8Precedes($0, $1) }
    return Array((lines.joined(separator: end) + end).utf8)
  }

  static func sha1(_ text: String) -> [UInt8] { Digest.hash(.sha1, Array(text.utf8).span.bytes) }

  /// Counts what is read.
  final class Source: Sendable {
    let bytes: [UInt8]
    let reads = Mutex<[Int]>([])
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func list() throws(BreachedList.Fault) -> BreachedList {
      try BreachedList(byteCount: Int64(bytes.count)) { offset, buffer in
        self.reads.withLock { $0.append(buffer.count) }
        let part = self.bytes[Int(offset)..<min(self.bytes.count, Int(offset) + buffer.count)]
        buffer.copyBytes(from: part)
        return part.count
      }
    }
  }

  @Test(arguments: ["\r\n", "\n"])
  func everyHashOfAListIsFoundAndNoOther(end: String) throws {
    for count in [1, 2, 3, 4, 7, 64, 333] {
      let text = Self.text(count, with: ["password": 7], end: end)
      for bytes in [text, Array(text.dropLast(end.utf8.count))] {
        let list = try Source(bytes).list()
        for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
          let hash = try Base16.decode(String(line.prefix(40).lowercased()))
          let count = line.dropFirst(41).prefix { $0.isNumber }
          #expect(try list.count(of: hash).map { "\($0)" } == String(count))
          // One beside it.
          #expect(try list.count(of: hash.dropLast() + [hash[19] ^ 1]) == nil)
        }
        #expect(try list.count(of: Self.sha1("nobody has this")) == nil)
        #expect(try list.count(of: [UInt8](repeating: 0, count: 20)) == nil)
        #expect(try list.count(of: [UInt8](repeating: 255, count: 20)) == nil)
      }
    }
  }

  @Test func aLongListIsSearchedWithFewSmallReads() throws {
    let source = Source(Self.text(300_000, with: ["password": 4_000_000]))
    let list = try source.list()
    source.reads.withLock { $0 = [] }
    #expect(try list.count(of: Self.sha1("password")) == 4_000_000)
    #expect(try list.count(of: Self.sha1("none")) == nil)
    let reads = source.reads.withLock { $0 }
    // Twice 2^19 lines: a read for the line's start and one for the line at each step.
    #expect(reads.count <= 2 * 2 * 20)
    #expect(reads.allSatisfy { $0 <= 256 })
  }

  @Test func whatIsNoSuchListIsSaid() throws {
    func fault(_ text: String) -> BreachedList.Fault? {
      do throws(BreachedList.Fault) {
        let list = try Source(Array(text.utf8)).list()
        _ = try list.count(of: Self.sha1("password"))
        return nil
      } catch {
        return error
      }
    }
    let line = String(repeating: "0", count: 40)
    let last = String(repeating: "F", count: 40)
    #expect(fault("") == .malformed(offset: 0))
    #expect(fault("password\n") == .malformed(offset: 0))
    #expect(fault("\(line):1\n\(last):2\n") == nil)
    #expect(fault("\(line):1\n\(last):2") == nil)
    for bad in ["\(line)\n", "\(line):\n", "\(line):x\n", "\(line):-1\n", "\(line): 1\n", "\(line.dropLast()):1\n"] {
      #expect(fault(bad) == .malformed(offset: 0), "\(bad)")
      #expect(fault("\(line):1\n" + bad) == .malformed(offset: 43), "\(bad)")
    }
    #expect(fault("\(line):1\n\(last.lowercased()):1\n") == .malformed(offset: 43))
    #expect(fault("\u{FEFF}\(line):1\n") == .malformed(offset: 0))
    #expect(fault("\(line):1\n\n") == .malformed(offset: 43))
    #expect(fault("\(line):\(String(repeating: "9", count: 400))\n") == .malformed(offset: 0))
    #expect(fault("\(last):1\n\(line):1\n") == .unordered(offset: 43))
    #expect(fault("\(line):1\n\(line):1\n") == .unordered(offset: 43))
    // Ordered by count, as one of the public lists is: the first line in the middle shows it.
    let middle = "\(String(repeating: "F", count: 39))E:9\n" + "\(String(repeating: "1", count: 40)):8\n"
    #expect(fault("\(line):1\n" + middle + middle + "\(String(repeating: "F", count: 39))D:1\n") != nil)
  }

  @Test func aFileThatGetsShorterIsSaid() throws {
    let bytes = Self.text(100)
    #expect(throws: BreachedList.Fault.cannotRead) {
      try BreachedList(byteCount: Int64(bytes.count) + 100) { offset, buffer in
        let part = bytes[min(bytes.count, Int(offset))..<min(bytes.count, Int(offset) + buffer.count)]
        buffer.copyBytes(from: part)
        return part.count
      }
    }
  }
}

/// What the command says of a vault.
@Suite struct AuditTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func run(_ words: String..., secret: String? = nil) throws -> Terminal.Result {
    try home.seif(list: words, passphrase: Canary.vaultPassphrase, secret: secret)
  }

  private func array(_ value: JSONValue?) -> [JSONValue] { value.map { Array($0.elements) } ?? [] }

  @Test func weakReusedAndBreachedPasswordsAreNamedAndNeverShown() throws {
    let list = try home.write(BreachedListTests.text(300_000, with: ["sunshine": 12_345]), as: "breached.txt")
    let clean = try run("audit", "--breached", list)
    #expect(clean.exitCode == 0, "\(clean.output)\(clean.errors)")
    #expect(clean.output == "✓ 1 password, none to change\n")
    #expect(try run("add", "login", "--name", "Shop", "--account", "ana", secret: "sunshine").exitCode == 0)
    #expect(try run("add", "login", "--name", "Other", secret: "sunshine").exitCode == 0)
    let found = try run("audit", "--breached", list)
    #expect(found.exitCode == 2)
    #expect(found.output.contains("✗ breached  Shop, ana: 12345 times in the list\n"))
    #expect(found.output.contains("✗ weak      Shop, ana: guessed in under a second\n"))
    #expect(found.output.contains("✗ reused    Shop, ana; Other\n"))
    let unsearched = try run("audit")
    #expect(!unsearched.output.contains("breached"))
    let root = try document(try run("audit", "--json", "--breached", list).output, "seif-audit")
    #expect(root["ok"]?.bool == false)
    #expect(root["logins"]?.int64 == 3)
    #expect(array(root["breached"]).map { $0["count"]?.int64 } == [12_345, 12_345])
    #expect(array(array(root["reused"]).first).map { $0["name"]?.string } == ["Shop", "Other"])
    #expect(array(root["weak"]).count == 2)
    #expect(array(root["old"]).isEmpty)
    for text in [found.output, found.errors, try home.read("breached.txt")] { #expect(!text.contains("sunshine")) }
  }

  @Test func aListThatIsNoneIsSaidBeforeAPassphraseIsAskedFor() throws {
    let list = try home.write("sunshine\n", as: "words.txt")
    let result = try home.seif("audit", "--breached", list)
    #expect(result.exitCode == 65)
    #expect(result.errors.contains("byte 0"))
    #expect(!result.errors.contains("sunshine"))
    #expect(try home.seif("audit", "--breached", home.file("nothing")).exitCode == 66)
    #expect(try home.seif("audit", "--breached", try home.folder("folder")).exitCode == 65)
  }

  @Test func aPasswordIsAsOldAsItsLastChangeAndOnlyWhereThatIsKnown() throws {
    func login(_ previous: [PreviousPassword], createdAt: Timestamp?) -> Password {
      var login = Password(password: SecretValue(utf8: "correct horse battery staple \(previous.count)"))
      login.history = previous
      login.info.createdAt = createdAt
      return login
    }
    let (made, changed) = (Timestamp(seconds: 1_000), Timestamp(seconds: 2_000))
    func previous(_ at: Timestamp?) -> PreviousPassword {
      PreviousPassword(password: SecretValue(utf8: "x"), changedAt: at)
    }
    #expect(PasswordAudit.lastChange(login([], createdAt: nil)) == nil)
    #expect(PasswordAudit.lastChange(login([], createdAt: made)) == made)
    #expect(PasswordAudit.lastChange(login([previous(changed), previous(made)], createdAt: made)) == changed)
    #expect(PasswordAudit.lastChange(login([previous(nil)], createdAt: made)) == nil)
  }

  @Test func anOldPasswordIsNamedByItsAge() throws {
    let file = try home.write(
      """
      {"schema":"seif-records","version":1,"source":{"format":"test"},"accounts":[],"passwords":[
      {"title":"Long ago","username":"ana","password":"\(Canary.password)","createdAt":"2020-01-01T00:00:00Z"}],
      "cards":[],"notes":[],"problems":[],"lost":[]}
      """, as: "old-in-clear.json")
    #expect(try home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    let found = try run("audit", "--older-than", "3")
    #expect(found.exitCode == 2)
    #expect(found.output.contains("✗ old       Long ago, ana: unchanged since "))
    #expect(!(try run("audit", "--older-than", "100").output.contains("old  ")))
  }
}
