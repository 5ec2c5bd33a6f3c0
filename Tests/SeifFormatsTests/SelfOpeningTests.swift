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
    let far = String(repeating: " ", count: SelfOpeningPage.templateLimit)
    #expect(failure(page("{}", start: "<!doctype html>" + far)) == .unknownFormat(.html))
  }

  @Test func aTemplateHasAnEmptyBlock() {
    #expect(SelfOpeningPage(template: page("")) != nil)
    #expect(SelfOpeningPage(template: page("{}")) == nil)
    #expect(SelfOpeningPage(template: text("<!doctype html>")) == nil)
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
