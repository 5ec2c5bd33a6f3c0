import SeifBytes
import SeifDocumentFormat
import SeifTestSupport
import Testing

@Suite struct NameTests {
  @Test(arguments: DocumentVectors.rows("names")) func aNameIsShownAndExportedSafely(_ row: DocumentVectors.Row) throws
  {
    let name = String(decoding: try row.bytes("hex"), as: UTF8.self)
    #expect(Array(DocumentName.display(name).utf8) == Array(try row.text("display").utf8))
    #expect(Array(DocumentName.fileName(name).utf8) == Array(try row.text("exportName").utf8))
  }

  @Test(arguments: DocumentVectors.rows("extensions")) func theListDecidesWhatIsAdded(_ row: DocumentVectors.Row) throws
  {
    #expect(DocumentKind.acceptedExtension(of: try row.text("name")) == row.value["ext"]?.string)
  }

  @Test func theListIsTheSeeds() throws {
    let list = try #require(DocumentVectors.root?["constants"]?["extensions"]).elements.compactMap(\.string)
    #expect(Set(DocumentKind.allExtensions) == Set(list))
    #expect(DocumentKind.allExtensions.count == 23)
  }

  @Test func theSecondOfANameHasItsNumberBeforeTheExtension() {
    #expect(DocumentName.numbered("a.b.pdf", 2) == "a.b (2).pdf")
    #expect(DocumentName.numbered("notes", 3) == "notes (3)")
    #expect(DocumentName.numbered(".pdf", 2) == ".pdf (2)")
  }

  @Test func aDifferentTypeIsNoticed() {
    let samples: [(bytes: [UInt8], fits: [String], not: [String])] = [
      (Array("%PDF-1.7\n".utf8), ["pdf"], ["jpg", "txt", "docx"]),
      ([0xFF, 0xD8, 0xFF, 0xE0], ["jpg", "jpeg"], ["png", "pdf"]),
      ([0x50, 0x4B, 0x03, 0x04, 0], ["zip", "docx", "odt", "xlsx"], ["doc", "pdf"]),
      ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], ["doc", "xls", "ppt"], ["docx", "zip"]),
      (Array("a;b\n1;2\n".utf8), ["csv", "txt", "json"], ["pdf", "png"]),
      (Array("#!/bin/sh\n".utf8), [], ["txt", "pdf"]), (Array("MZ\u{1}\u{0}".utf8), [], ["pdf", "txt", "zip"]),
      ([0, 0, 0, 0x18] + Array("ftypheic".utf8), ["heic", "heif"], ["jpg"]), ([], ["txt"], ["pdf"]),
      (Array("RIFF\u{1}\u{1}\u{1}\u{1}WEBPVP8 ".utf8), ["webp"], ["png"]), ([1, 2, 3, 0], [], ["txt", "pdf"]),
    ]
    for sample in samples {
      let type = ContentType(firstBytes: sample.bytes)
      for name in sample.fits { #expect(type.fits(extension: name), "\(type) \(name)") }
      for name in sample.not { #expect(!type.fits(extension: name), "\(type) \(name)") }
    }
    // A letter of several bytes cut by the end of what is looked at.
    let long = Array(String(repeating: "ă", count: 400).utf8)
    #expect(ContentType(firstBytes: Array(long.prefix(511))) == .text)
  }
}
