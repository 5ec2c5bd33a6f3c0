import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifFormats

/// Pages that hold a backup.
@Suite struct SelfOpeningTests {
  private static let mark = #"<script type="application/json" id="seif-backup">"#

  private func text(_ text: String) -> SecretValue { SecretValue(utf8: text) }

  private func page(_ content: String, start: String = "<!doctype html>\n", end: String = "</script>\n") -> SecretValue
  {
    text(start + "<p>&lt;script</p>" + Self.mark + content + end)
  }

  private func failure(_ file: SecretValue) -> FormatError? {
    do throws(FormatError) {
      _ = try FormatRegistry.read(FormatInput(file))
      return nil
    } catch {
      return error
    }
  }

  @Test func aPageHoldsAWholeBackupAndIsReadAsIt() throws {
    let records = try FullRecords.make()
    let writer = SelfOpeningWriter(page: try #require(SelfOpeningPage(template: page(""))))
    #expect(writer.fileExtension == "html")
    #expect(try RoundTripTests.through(writer, records).records == records)
  }

  @Test func whatAPageHoldsIsTheFileThatWouldStandAlone() throws {
    for vector in try FormatVector.load("authbackup-v2.json") {
      let page = try #require(SelfOpeningPage(template: page(""))).holding(vector.file)
      let input = FormatInput(page)
      #expect(input.isSelfOpening)
      #expect(try FormatRegistry.read(input).header.format == .authbackup)
      #expect(!FormatInput(vector.file).isSelfOpening)
    }
  }

  @Test func aSignThatCouldEndTheBlockIsEscaped() throws {
    let held = try #require(SelfOpeningPage(template: page(""))).holding(text(#"{"a":"</script><b>"}"#))
    let input = FormatInput(held)
    #expect(try input.json.get().root["a"]?.string == "</script><b>")
  }

  @Test func aPageThatABrowserSavedIsRead() throws {
    let saved = page(
      #"{"format":"authbackup","version":3}"#, start: "<!DOCTYPE HTML>\n<!-- saved from url=(0014) -->\n")
    #expect(failure(saved) == .unsupportedVersion(3))
  }

  @Test func aPageWithoutItsBackupIsDamaged() {
    for content in ["", "  ", "{", "x", #"{"format":"authbackup","format":"authbackup"}"#] {
      guard case .unreadable = failure(page(content)) else {
        Issue.record("\(content)")
        continue
      }
    }
    guard case .unreadable = failure(page(#"{"format":"auth"#, end: "")) else {
      Issue.record("one that was cut off")
      return
    }
  }

  @Test func otherPagesHoldNoBackup() {
    #expect(failure(text("<!doctype html><p>Sign in</p>")) == .unknownFormat(.html))
    #expect(failure(text("x" + Self.mark + "{}</script>")) == .unknownFormat(.text))
  }

  @Test func aPageInWhichAnotherReaderCouldFindAnotherBackupIsRefused() throws {
    let vectors = try FormatVector.load("authbackup-v2.json").filter { $0.file.byteCount < 10_000 }
    let whole = try #require(vectors.compactMap { $0.file.exposedText() }.first { !$0.contains("<") })
    #expect(failure(page(whole)) == nil)
    let block = Self.mark + whole + "</script>"
    let others = ["<!-- \(block) -->", block, Self.mark, #"<p ID="SEIF-BACKUP">"#]
    for start in others + ["<!--", "<!-- --><!-- "] {
      guard case .unreadable = failure(page(whole, start: "<!doctype html>\n" + start)) else {
        Issue.record("before it: \(start.prefix(20))")
        continue
      }
    }
    for end in others {
      guard case .unreadable = failure(page(whole, end: "</script>" + end)) else {
        Issue.record("behind it: \(end.prefix(20))")
        continue
      }
    }
    for end in ["<p></script>", "</SCRIPT>", "</script >", "<"] {
      guard case .unreadable = failure(page(whole, end: end)) else {
        Issue.record("\(end)")
        continue
      }
    }
    #expect(failure(page(whole, start: "<!doctype html>\n<!-- one --><!-- two -->")) == nil)
    #expect(failure(page(whole, start: "<!doctype html>" + String(repeating: " ", count: 2 << 20))) == nil)
  }

  @Test func aPageHoldsNothingButAuthBackupOfVersion2() throws {
    for name in ["authbackup-v1.json", "vault2fa-v1.json"] {
      let vector = try #require(
        try FormatVector.load(name).first { failure($0.file) == nil && $0.file.exposedText()?.contains("<") == false })
      let text = try #require(vector.file.exposedText())
      #expect(failure(page(text)) == (name == "authbackup-v1.json" ? .unsupportedVersion(1) : .otherFormat))
    }
    #expect(failure(page(#"{"format":"seif-export","version":1}"#)) == .otherFormat)
    guard case .unreadable = failure(page("otpauth://totp/a?secret=AAAA")) else {
      Issue.record("a list of addresses")
      return
    }
  }

  @Test func aTemplateHasAnEmptyBlock() {
    #expect(SelfOpeningPage(template: page("")) != nil)
    #expect(SelfOpeningPage(template: page("{}")) == nil)
    #expect(SelfOpeningPage(template: text("<!doctype html>")) == nil)
    #expect(SelfOpeningPage(template: page("", end: "</script>" + Self.mark + "</script>")) == nil)
    let long = String(repeating: " ", count: SelfOpeningPage.templateLimit)
    #expect(SelfOpeningPage(template: page("", end: "</script>" + long)) == nil)
  }

  @Test func whatIsWeakOfAPageIsSaid() throws {
    let vector = try #require(FormatVector.load("authbackup-v2.json").first)
    let header = try FormatRegistry.read(FormatInput(vector.file))
    let said = Inspection(header, isSelfOpening: true).weaknesses.filter { $0.hasPrefix("The page isn't sealed") }
    #expect(said.count == 1)
    #expect(Inspection(header).weaknesses == Inspection(header, isSelfOpening: true).weaknesses.dropLast())
  }
}
