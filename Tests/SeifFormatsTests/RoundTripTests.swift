import SeifBytes
import SeifCrypto
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

@testable import SeifFormats

@Suite struct RoundTripTests {
  static let passphrase = SecretValue(utf8: "correct horse battery staple")

  static var options: WritingOptions {
    var options = WritingOptions(exportedAt: Timestamp(seconds: 1_789_000_000))
    options.testCost = Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1)
    options.testRounds = 1
    return options
  }

  static func through(_ writer: any BackupWriter, _ records: Records) throws -> OpenedBackup {
    let file = try writer.write(
      records, options: options, passphrase: writer.isSealed ? SecretBytes(copying: passphrase) : nil)
    let input = FormatInput(file)
    #expect(FormatRegistry.identify(input) == [writer.identifier])
    return try FormatRegistry.read(input).openTryingForms(passphrase: SecretBytes(copying: passphrase))
  }

  @Test func theFullRecordsLeaveNoFieldAtItsDefault() throws {
    // A note's text is a field of its own, so its `notes` stay empty; nothing else may.
    #expect(Set(fieldsAtTheirDefault(try FullRecords.make())) == [".notes.info.notes"])
  }

  @Test func aWholeBackupLosesNoField() throws {
    let records = try FullRecords.make()
    let backup = try Self.through(AuthBackupWriter(), records)
    #expect(backup.records == records)
    #expect(AuthBackupWriter().losses(of: records).isEmpty)
  }

  @Test func version1LosesCardsAndSaysSo() throws {
    var records = try FullRecords.make()
    let losses = AuthBackupWriter.version1.losses(of: records)
    #expect(losses == [Loss(kind: .cards, index: 0)])
    let backup = try Self.through(AuthBackupWriter.version1, records)
    records.cards = []
    #expect(backup.records == records)
  }

  @Test func neutralJSONLosesDocumentKeysAndSaysSo() throws {
    var records = try FullRecords.make()
    let writer = NeutralJSONWriter()
    #expect(writer.losses(of: records) == [Loss(kind: .documents, index: 0)])
    let backup = try Self.through(writer, records)
    records.documents = []
    #expect(backup.records == records)
  }

  @Test(arguments: ["authbackup-v2.json", "authbackup-v2-whole.json"])
  func whatIsntUnderstoodStaysAtItsPlace(file: String) async throws {
    for vector in try FormatVector.load(file) {
      let first = try #require(await OpenedVectors.outcome(vector, of: file).backup)
      var options = Self.options
      options.link = first.link
      options.exportedAt = first.exportedAt ?? options.exportedAt
      let written = try AuthBackupWriter().write(
        first.records, options: options, passphrase: SecretBytes(copying: Self.passphrase))
      let second = try FormatRegistry.read(FormatInput(written)).open(passphrases: [Self.passphrase])
      let before = try JSONDocument(parsing: first.body, policy: .strict).root
      let after = try JSONDocument(parsing: second.body, policy: .strict).root
      for (key, value) in before.members where !["exportedAt", "seif", "version"].contains(key.text) {
        // An addition without entries is left out.
        if value.canonical.exposedText() == "[]" { continue }
        let other = try #require(after[key.text], "\(vector.name) \(key.text)")
        Self.expectKept(value, in: other, "\(vector.name) \(key.text)")
      }
      #expect(
        Set(first.problems.map { ProblemPlace($0) }.filter { $0.list != "seif" })
          .isSubset(of: Set(second.problems.map { ProblemPlace($0) })) || !first.problems.isEmpty)
    }
  }

  /// Every entry and member of `before` stands in `after` with its value, in any order of entries: unusable ones go to
  /// the end of their list. Values that are defaults, null or an empty text where nothing was stored may be missing.
  private static func expectKept(_ before: JSONValue, in after: JSONValue, _ place: String) {
    guard before.kind == .array else {
      #expect(before.canonical.exposedText() == after.canonical.exposedText(), "\(place)")
      return
    }
    var left = after.elements.map { $0 }
    for entry in before.elements {
      let position = left.firstIndex { holds($0, entry) }
      #expect(position != nil, "\(place): \(entry.canonical.exposedText() ?? "")")
      if let position { left.remove(at: position) }
    }
    #expect(left.isEmpty, "\(place)")
  }

  private static func holds(_ after: JSONValue, _ before: JSONValue) -> Bool {
    guard before.kind == .object, after.kind == .object else { return before.canonical == after.canonical }
    return before.members.allSatisfy { key, value in
      if let other = after[key.text], same(other, value) { return true }
      let empties = ["[]", "\"\"", "false", "null"]
      // The second of two entries with one identifier gets a new one; what is spelt another way is the same date.
      return empties.contains(value.canonical.exposedText() ?? "") || key.text == "id"
        || value.string.flatMap { Timestamp(rfc3339: $0) } != nil
    }
  }

  // Rows of an addition get the keys that are always written.
  private static func same(_ left: JSONValue, _ right: JSONValue) -> Bool {
    guard left.kind == .array, right.kind == .array else { return left.canonical == right.canonical }
    let (after, before) = (left.elements.map { $0 }, right.elements.map { $0 })
    return after.count == before.count && zip(after, before).allSatisfy { holds($0, $1) }
  }

  @Test func membersOfOtherFormatsThatClashAreNamedAndCostNothing() throws {
    let body = """
      {"accounts":[{"uri":"otpauth://totp/A:b?secret=GEZDGNBVGY3TQOJQ&issuer=A","id":5,"counter":"x","more":1},\
      {"uri":"otpauth://totp/A:c?secret=GEZDGNBVGY3TQOJQ&issuer=A","secret":"y"}],\
      "app":"Vault2FA","exported":"2026-09-17T08:15:30Z","version":7,"passwords":5,"notes":[1],"seif":{},"other":true}
      """
    let vault = try Vault2FAWriter().seal(
      SecretValue(utf8: body), options: Self.options, passphrase: SecretBytes(copying: Self.passphrase))
    let read = try FormatRegistry.read(FormatInput(vault)).open(passphrases: [Self.passphrase])
    #expect(read.problems.isEmpty)
    let writer = AuthBackupWriter()
    let fields = Set(writer.losses(of: read.records).map { "\($0.index ?? -1) \($0.field ?? "")" })
    #expect(fields == ["0 id", "0 counter", "1 secret", "-1 version", "-1 passwords", "-1 notes", "-1 seif"])
    let backup = try Self.through(writer, read.records)
    #expect(backup.problems.isEmpty)
    #expect(backup.records.accounts.map(\.account) == ["b", "c"])
    #expect(backup.records.accounts[0].info.opaque.map(\.key) == ["more"])
    #expect(backup.records.opaque.map(\.key) == ["other"])
    // Into its own format it all comes back.
    let again = try Self.through(Vault2FAWriter(), read.records)
    #expect(again.records.opaque == read.records.opaque)
    #expect(again.records.accounts.map(\.info.opaque) == read.records.accounts.map(\.info.opaque))
  }

  @Test func listsOfURIsKeepWhatTheyCan() throws {
    let text = """
      \u{FEFF}# comment
      otpauth://totp/A:b?secret=GEZDGNBVGY3TQOJQ&issuer=A&period=60

      otpauth://totp/broken?secret=!!!
      motp://C:d?secret=0123456789abcdef&pin=GEZDGNA
      https://example.com/
      otpauth-migration://offline?data=CgA%3D

      """
    let backup = try FormatRegistry.read(FormatInput(SecretValue(utf8: text))).open(passphrases: [])
    #expect(backup.header.format == .uriList)
    #expect(backup.records.accounts.map(\.account) == ["b"])
    #expect(backup.records.otherAccounts.map(\.type) == ["motp"])
    #expect(
      backup.problems.map(\.reason) == ["bad-uri:secret:line-4", "bad-uri:scheme:line-6", "migration:line-7"])
    #expect(backup.problems.map(\.index) == [1, 3, 4])
    let writer = URIListWriter()
    #expect(writer.losses(of: backup.records).isEmpty)
    let again = try Self.through(writer, backup.records)
    #expect(again.records == backup.records)
    let full = try FullRecords.make()
    let lost = Set(writer.losses(of: full))
    #expect(lost.contains(Loss(kind: .accounts, index: 0, field: "tags")))
    #expect(lost.contains(Loss(kind: .otherAccounts, index: 2)))
    #expect(lost.contains(Loss(kind: .cards, index: 0)))
    #expect(lost.contains(Loss(kind: .accounts, index: 3)))
    #expect(lost.contains(Loss(kind: .notes, index: 1)))
  }

  @Test func withoutRevealNoSecretIsWritten() throws {
    let records = try FullRecords.make()
    let document = NeutralJSON.write(
      source: SourceFacts(format: "vault"), records: records, reveal: false, codesAt: Timestamp(seconds: 59))
    let text = try #require(document.exposedText())
    let seed = Base32.encode(SecretValue([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).exposedText() ?? "?"
    for secret in [
      seed, "4111111111111111", "012\"", "\"text\"", "GEZDGNBV", "\"old\"", "1234", "line", "zukunft", "BwcHBw",
    ] {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(text.contains("\"secrets\": \"left out\""))
    #expect(text.contains("\"code\": "))
    #expect(text.contains("\"name\": \"PUK\""))
    let backup = try FormatRegistry.read(FormatInput(document)).open(passphrases: [])
    #expect(backup.records.count == 0 || backup.records.otherAccounts.map(\.type) == ["push"])
    #expect(!backup.notices.isEmpty)
  }

  @Test func codesAreDroppedWhenReadAndMembersOfTheirNamesAreNot() throws {
    var records = Records()
    let otp = try OTPParameters(kind: .totp(period: 30), secret: SecretValue(utf8: "12345678901234567890"), digits: 8)
    records.accounts = [Account(issuer: "A", account: "b", otp: otp)]
    records.accounts[0].info.sortIndex = 0
    let document = NeutralJSON.write(
      source: SourceFacts(format: "vault"), records: records, reveal: true, codesAt: Timestamp(seconds: 59))
    #expect(document.exposedText()?.contains("\"code\": \"94287082\"") == true)
    #expect(document.exposedText()?.contains("\"secondsLeft\": 1") == true)
    #expect(try FormatRegistry.read(FormatInput(document)).open(passphrases: []).records == records)
    records.accounts[0].info.opaque = [OpaqueMember(key: "code", value: SecretValue(utf8: "1"))]
    let plain = NeutralJSON.write(source: SourceFacts(format: "vault"), records: records, reveal: true)
    #expect(try FormatRegistry.read(FormatInput(plain)).open(passphrases: []).records == records)
  }

  @Test func neutralJSONOfMoreValuesThanAHeaderMayHaveIsRead() throws {
    var records = Records()
    records.notes = (0..<2).map { _ in Note(text: SecretValue(utf8: "x")) }
    records.notes[0].info.sortIndex = 0
    records.notes[1].info.sortIndex = 1
    records.notes[0].info.tags = [String](repeating: "", count: 2 << 20)
    let document = try NeutralJSONWriter().write(records, options: Self.options, passphrase: nil)
    let input = FormatInput(document)
    #expect(FormatRegistry.identify(input) == [.json])
    #expect(try FormatRegistry.read(input).open(passphrases: []).records == records)
  }
}
