import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifDocumentFormat
import Testing

@testable import SeifCommands

/// `seif docs`: from an empty folder to documents that come back.
@Suite struct DocsCommandTests {
  let home: Home
  private let pdf = Array("%PDF-1.7 what only the person should read\n".utf8)

  init() throws {
    home = try Fixture.withVault()
    _ = try home.write(pdf, as: "contract.pdf")
  }

  private func run(_ words: String...) throws -> Terminal.Result {
    try home.seif(list: ["docs"] + words, passphrase: Canary.vaultPassphrase)
  }

  private func made() throws {
    let result = try run("init", "--kit", home.file("kit.txt"))
    #expect(result.exitCode == 0, "\(result.errors)")
  }

  /// A file with the recovery code of a kit.
  private func code(_ kit: String = "kit.txt") throws -> String {
    let line = try #require(home.read(kit).split(separator: "\n").first { $0.hasPrefix("Recovery code: ") })
    let path = try home.write(String(line.dropFirst("Recovery code: ".count)) + "\n", as: "code-of-\(kit)")
    #expect(chmod(path, 0o600) == 0)
    return path
  }

  private func paths() throws -> [String] {
    let root = try document(try run("ls", "--tree", "--json").output, "seif-docs")
    return try #require(root["documents"]).elements.compactMap { $0["path"]?.string }
  }

  @Test func documentsGoInAndComeBackByteForByte() throws {
    try made()
    for name in ["tree/a.txt", "tree/deep/b.csv"] {
      _ = try home.folder("tree/deep")
      _ = try home.write(Array(name.utf8), as: name)
    }
    let put = try run("put", home.file("contract.pdf"), home.file("tree"), "--to", "Home/Papers", "--parents")
    #expect(put.exitCode == 0, "\(put.errors)")
    #expect(
      try paths() == [
        "/Home", "/Home/Papers", "/Home/Papers/tree", "/Home/Papers/tree/deep", "/Home/Papers/tree/deep/b.csv",
        "/Home/Papers/tree/a.txt", "/Home/Papers/contract.pdf",
      ])
    #expect(try run("cat", "/Home/Papers/contract.pdf").output.utf8.elementsEqual(pdf))
    _ = try home.folder("out")
    #expect(try run("get", "/", "-o", home.file("out")).exitCode == 0)
    #expect(try home.bytes("out/Home/Papers/contract.pdf") == pdf)
    #expect(try home.read("out/Home/Papers/tree/deep/b.csv") == "tree/deep/b.csv")
    #expect(home.mode("out/Home/Papers/contract.pdf") == 0o600)
    // A second time nothing is overwritten.
    #expect(try run("get", "Home/Papers/contract.pdf", "-o", home.file("out/Home/Papers")).exitCode == 0)
    #expect(try home.bytes("out/Home/Papers/contract (2).pdf") == pdf)
    #expect(try run("doctor").exitCode == 0)
  }

  @Test func whatLiesOnTheDiskNamesNothing() throws {
    try made()
    let secret = "the-name-that-nobody-sees"
    _ = try home.write(pdf, as: "\(secret).pdf")
    #expect(try run("put", home.file("\(secret).pdf"), "--to", "folder-\(secret)", "--parents").exitCode == 0)
    #expect(try run("rm", "folder-\(secret)").exitCode == 0)
    #expect(try run("undo").exitCode == 0)
    #expect(try run("rotate", "--files", "--kit", home.file("kit2.txt")).exitCode == 0)
    let code = try home.read("kit.txt").split(separator: "\n").first { $0.hasPrefix("Recovery code: ") }.map(
      String.init)
    let words = [secret, "only the person", try #require(code?.dropFirst(15)).description]
    var searched = 0
    for folder in [".local/share", ".local/state"] {
      let root = URL(filePath: home.file(folder))
      let all = try FileManager.default.subpathsOfDirectory(atPath: root.path)
      for name in all {
        #expect(!name.contains(secret))
        guard let bytes = try? Data(contentsOf: root.appending(path: name)) else { continue }
        searched += 1
        for word in words {
          let utf8 = Data(word.utf8)
          let utf16 = Data(word.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
          for needle in [utf8, utf16, Data(utf8.base64EncodedString().prefix(16).utf8)] {
            #expect(!Self.holds([UInt8](bytes), [UInt8](needle)), "\(name)")
          }
        }
      }
    }
    #expect(searched > 8)
  }

  private static func holds(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
    guard let first = needle.first, bytes.count >= needle.count else { return false }
    return (0...bytes.count - needle.count).contains {
      bytes[$0] == first && bytes[$0..<$0 + needle.count].elementsEqual(needle)
    }
  }

  @Test func theRecoveryCodeOpensItAloneAndAWrongOneDoesNot() throws {
    try made()
    #expect(try run("put", home.file("contract.pdf")).exitCode == 0)
    let code = try code()
    try FileManager.default.removeItem(atPath: home.file(".local/share/seif"))
    let listed = try home.seif("docs", "ls", "--docs-code-file", code)
    #expect(listed.exitCode == 0, "\(listed.errors)")
    #expect(listed.output.contains("contract.pdf"))
    // Of two codes that can't be, one says where.
    let cut = try home.write("ABCD-EFGH-2345-678O-JKLM-NPQR\n", as: "cut")
    #expect(chmod(cut, 0o600) == 0)
    let refused = try home.seif("docs", "ls", "--docs-code-file", cut)
    #expect(refused.exitCode == 77)
    #expect(refused.errors.contains("group 4"))
    #expect(!refused.errors.contains("678O"))
    let other = try home.write("ABCD-EFGH-2345-6789-JKLM-NPQR\n", as: "other")
    #expect(chmod(other, 0o600) == 0)
    #expect(try home.seif("docs", "ls", "--docs-code-file", other).exitCode == 77)
  }

  @Test func changesAreMadeSaidAndTakenBack() throws {
    try made()
    #expect(try run("put", home.file("contract.pdf")).exitCode == 0)
    #expect(try run("mkdir", "A/B", "--parents").exitCode == 0)
    #expect(try run("mkdir", "A").exitCode == 73)
    #expect(try run("mv", "contract.pdf", "A/B").exitCode == 0)
    #expect(try run("mv", "A", "A/B").exitCode == 64)
    #expect(try run("rename", "A/B/contract.pdf", "../x").exitCode == 0)
    #expect(try run("fav", "A").exitCode == 0)
    #expect(try paths() == ["/A", "/A/B", "/A/B/../x"])
    let before = try run("ls", "--tree", "--json").output
    #expect(try run("rm", "A").exitCode == 0)
    #expect(try paths() == [])
    #expect(try run("undo").exitCode == 0)
    let after = try document(try run("ls", "--tree", "--json").output, "seif-docs")
    #expect(try document(before, "seif-docs")["documents"]?.canonical == after["documents"]?.canonical)
    #expect(try run("undo").exitCode == 66)
    #expect(try run("ls", "nowhere").exitCode == 66)
    #expect(try run("rm", "/").exitCode == 64)
    let usage = try document(try run("usage", "--json").output, "seif-docs-usage")
    #expect(usage["kinds"]?["document"]?["count"]?.int64 == 1)
  }

  @Test func twoOfOneNameAreToldApartById() throws {
    try made()
    for _ in 1...2 { #expect(try run("put", home.file("contract.pdf")).exitCode == 0) }
    let both = try run("cat", "contract.pdf")
    #expect(both.exitCode == 66)
    let line = try #require(both.errors.split(separator: "\n").first { $0.contains("id:") })
    let id = try #require(line.split(separator: " ").first { $0.hasPrefix("id:") }).description
    #expect(try run("cat", id).output.utf8.elementsEqual(pdf))
  }

  @Test func whatMayNotGoInIsNamedAndTheRestGoesIn() throws {
    try made()
    _ = try home.write(Array("#!/bin/sh\n".utf8), as: "run.sh")
    _ = try home.write(Array("hello".utf8), as: "plain.pdf")
    let put = try run("put", home.file("contract.pdf"), home.file("run.sh"), home.file("plain.pdf"))
    #expect(put.exitCode == 1)
    #expect(put.errors.contains("run.sh"))
    #expect(put.errors.contains("isn't what its name says"))
    #expect(try paths() == ["/contract.pdf", "/plain.pdf"])
    #expect(try run("put", home.file("run.sh")).exitCode == 65)
    #expect(try run("put", home.file("gone.pdf")).exitCode == 66)
  }

  @Test func anAlteredObjectGivesNothingAndTheDoctorNamesIt() throws {
    try made()
    #expect(try run("put", home.file("contract.pdf")).exitCode == 0)
    let objects = ".local/share/seif-documents/objects"
    let name = try #require(try home.names(in: objects).first)
    var bytes = try home.bytes("\(objects)/\(name)")
    bytes[20] ^= 1
    _ = try home.write(bytes, as: "\(objects)/\(name)")
    let cat = try run("cat", "contract.pdf")
    #expect(cat.exitCode == 65 && cat.output == "")
    let get = try run("get", "contract.pdf", "-o", home.file("opened.pdf"))
    #expect(get.exitCode == 65 && !home.exists("opened.pdf"))
    let doctor = try run("doctor")
    #expect(doctor.exitCode == 2)
    #expect(doctor.errors.contains("/contract.pdf"))
  }

  @Test func anOlderCopyIsNoticedUntilThePersonTakesIt() throws {
    try made()
    #expect(try run("put", home.file("contract.pdf")).exitCode == 0)
    let folder = home.file(".local/share/seif-documents")
    try FileManager.default.copyItem(atPath: folder, toPath: home.file("older"))
    #expect(try run("mkdir", "Later").exitCode == 0)
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: home.file("older"), toPath: folder)
    let refused = try run("mkdir", "More")
    #expect(refused.exitCode == 2)
    #expect(refused.errors.contains("revision"))
    let listed = try run("ls")
    #expect(listed.exitCode == 2 && listed.output.contains("contract.pdf"))
    let accepted = try run("accept-rollback", "--yes")
    #expect(accepted.exitCode == 0, "\(accepted.errors)")
    #expect(accepted.errors.contains("/Later"))
    #expect(try run("mkdir", "More").exitCode == 0)
  }

  @Test func aNewKeyLeavesTheOldCodeUseless() throws {
    try made()
    #expect(try run("put", home.file("contract.pdf")).exitCode == 0)
    let old = try code()
    #expect(try run("rotate", "--files", "--kit", home.file("kit2.txt")).exitCode == 0)
    #expect(try home.seif("docs", "ls", "--docs-code-file", old).exitCode == 77)
    #expect(try home.seif("docs", "ls", "--docs-code-file", try code("kit2.txt")).exitCode == 0)
    // The vault has the new key.
    #expect(try run("cat", "contract.pdf").output.utf8.elementsEqual(pdf))
  }

  @Test func aCopyIsKeptUpToDateAndOpensByItself() throws {
    try made()
    #expect(try run("put", home.file("contract.pdf")).exitCode == 0)
    #expect(try run("sync", home.file("copy")).exitCode == 0)
    #expect(try run("mkdir", "More").exitCode == 0)
    let synced = try document(try run("sync", home.file("copy"), "--json").output, "seif-docs-sync")
    #expect(synced["changed"]?.bool == true && synced["copied"]?.int64 == 0)
    let listed = try run("ls", "--docs", home.file("copy"))
    #expect(listed.exitCode == 0, "\(listed.errors)")
    #expect(listed.output.contains("More"))
  }

  @Test func aChangedCopyIsRefusedByNameAndOneInsideTheVaultToo() throws {
    try made()
    #expect(try run("sync", home.file("copy")).exitCode == 0)
    #expect(try run("mkdir", "OnlyThere", "--docs", home.file("copy")).exitCode == 0)
    let refused = try run("sync", home.file("copy"))
    #expect(refused.exitCode == 73)
    #expect(refused.errors.contains("OnlyThere") && refused.errors.contains("--force"))
    #expect(try run("ls", "--docs", home.file("copy")).output.contains("OnlyThere"))
    #expect(try run("sync", home.file("copy"), "--force").exitCode == 0)
    #expect(try run("sync", home.file(".local/share/seif-documents/sub")).exitCode == 64)
    #expect(!home.exists(".local/share/seif-documents/sub"))
  }

  @Test func theRowOfTheKitBringsBackALostWayIn() throws {
    try made()
    let row = try #require(home.read("kit.txt").split(separator: "\n").first { $0.hasPrefix("[{") })
    try FileManager.default.removeItem(atPath: home.file(".local/share/seif-documents/wraps.json"))
    let lost = try home.seif("docs", "ls", "--docs-code-file", try code())
    #expect(lost.exitCode == 77 && lost.errors.contains("recovery kit"))
    _ = try home.write(String(row) + "\n", as: ".local/share/seif-documents/wraps.json")
    #expect(try home.seif("docs", "ls", "--docs-code-file", try code()).exitCode == 0)
  }

  @Test func aVaultThatLostTheKeyGetsItBackByTheCode() throws {
    #expect(try run("init", "--without-vault", "--kit", home.file("kit.txt")).exitCode == 0)
    let asked = try home.seif("docs", "ls", passphrase: Canary.vaultPassphrase)
    #expect(asked.exitCode == 77)
    #expect(try run("keep", "--docs-code-file", try code()).exitCode == 0)
    #expect(try run("ls").exitCode == 0)
    let kit = try run("kit", "-o", home.file("again.txt"), "--docs-code-file", try code())
    #expect(kit.exitCode == 0, "\(kit.errors)")
    #expect(try home.read("again.txt").contains("Wrapped key: "))
  }
}
