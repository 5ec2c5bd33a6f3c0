import SeifBytes
import SeifCrypto
import SeifRecords
import Testing

@Suite struct CodecTests {
  private func decode(_ kind: RecordKind, _ text: String) throws -> (Records, [EntryProblem]) {
    let document = try JSONDocument(parsing: SecretValue(utf8: text), policy: .strict)
    var (records, problems) = (Records(), [EntryProblem]())
    EntryDecoding.decode(kind, from: document.root, into: &records, problems: &problems)
    return (records, problems)
  }

  private func encode(_ kind: RecordKind, _ records: Records) -> String {
    var writer = JSONWriter()
    EntryEncoding.encode(kind, of: records, into: &writer)
    return writer.finish().exposedText() ?? ""
  }

  @Test(arguments: [
    // What isn't understood stands at its place again, whatever it is.
    (
      RecordKind.accounts,
      #"[{"account":"","algorithm":"SHA1","digits":6,"icon":[1,{"a":2.50}],"isFavorite":false,"issuer":"","notes":"","period":30,"secret":"MY","sortIndex":0,"type":"totp","zzz":null}]"#
    ),
    // A date that can't be read and an identifier that is no UUID are kept.
    (
      .accounts,
      #"[{"account":"","algorithm":"SHA1","createdAt":"yesterday","digits":6,"id":"seven","isFavorite":false,"issuer":"","notes":"","period":30,"secret":"MY","sortIndex":0,"type":"totp"}]"#
    ),
    // A counter beside TOTP means nothing and is kept.
    (
      .accounts,
      #"[{"account":"","algorithm":"SHA1","counter":4,"digits":6,"isFavorite":false,"issuer":"","notes":"","period":30,"secret":"MY","sortIndex":0,"type":"totp"}]"#
    ),
    // An addition of the wrong type is kept.
    (.notes, #"[{"isFavorite":false,"sortIndex":0,"tags":7,"text":"t","title":""}]"#),
    (.passwords, #"[{"isFavorite":false,"notes":"","password":"p","sortIndex":0,"title":5,"urls":[],"username":""}]"#),
    // Integers of more than 64 bits keep their digits.
    (.notes, #"[{"isFavorite":false,"sortIndex":99999999999999999999,"text":"t","title":""}]"#),
    // Rows of an addition keep what isn't understood.
    (
      .notes,
      #"[{"customFields":[{"isSecret":true,"kind":"x","name":"n","value":"v"}],"isFavorite":false,"sortIndex":0,"text":"t","title":""}]"#
    ),
  ])
  func whatIsReadIsWrittenBack(kind: RecordKind, text: String) throws {
    #expect(encode(kind, try decode(kind, text).0) == text)
  }

  @Test func aPersonsChangeWinsOverWhatWasKept() throws {
    var (records, _) = try decode(.notes, #"[{"isFavorite":false,"sortIndex":0,"tags":7,"text":"t","title":""}]"#)
    records.notes[0].info.tags = ["new"]
    #expect(encode(.notes, records) == #"[{"isFavorite":false,"sortIndex":0,"tags":["new"],"text":"t","title":""}]"#)
  }

  @Test func unusableEntriesStandAtTheEndOfTheirList() throws {
    let (records, problems) = try decode(.accounts, #"[7,{"secret":"MY","type":"totp"},{"type":"totp"}]"#)
    #expect(problems.map(\.index) == [0, 2])
    #expect(records.accounts.count == 1)
    #expect(encode(.accounts, records).hasSuffix(#"},7,{"type":"totp"}]"#))
  }

  @Test func problemsHoldNoValues() throws {
    let (_, problems) = try decode(.accounts, #"[{"secret":"CANARY!","type":"totp"},{"secret":"MY","type":"CANARY"}]"#)
    #expect(problems.count == 2)
    #expect(!"\(problems)".contains("CANARY"))
  }

  @Test func identifiersAreMadeAndMadeUnique() throws {
    let id = "ef238090-1890-43bd-899d-7fb833c9eb7b"
    let (records, _) = try decode(.notes, #"[{"id":"\#(id)","text":"a"},{"id":"\#(id)","text":"b"},{"text":"c"}]"#)
    let settled = records.withIdentifiers(from: .system)
    #expect(settled.notes[0].info.id?.description == id)
    #expect(Set(settled.notes.compactMap(\.info.id)).count == 3)
  }

  @Test(arguments: [
    ("4111111111111111", true), ("4111111111111112", false), ("5555555555554444", true), ("378282246310005", true),
  ])
  func theCheckDigitIsLuhns(number: String, isValid: Bool) {
    #expect(Card(number: SecretValue(utf8: number)).hasValidCheckDigit == isValid)
  }

  @Test(arguments: ["", "4", "4111 1111", "411111111111111x"])
  func otherTextsHaveNoCheckDigit(number: String) {
    #expect(Card(number: SecretValue(utf8: number)).hasValidCheckDigit == nil)
  }
}
