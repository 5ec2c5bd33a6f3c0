import FoundationEssentials
import Glibc
import SeifTUI
import Testing

/// Screens change on purpose only. `SEIF_RECORD=1 swift test --filter SeifTUITests` stores them anew.
@Suite struct SnapshotTests {
  private static let folder =
    #filePath.split(separator: "/").dropLast(2).reduce(into: "") { $0 += "/" + $1 } + "/Snapshots/tui"

  private static func check(_ screen: TestScreen, _ name: String) throws {
    let path = "\(folder)/\(name).txt"
    let text = screen.text + "\n"
    if getenv("SEIF_RECORD").map({ String(cString: $0) }) == "1" {
      try Data(text.utf8).write(to: URL(filePath: path))
    } else {
      let stored = try? String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)
      #expect(text == stored, "\(name): see the head of this file\n\(text)")
    }
  }

  static let sizes = [
    (120, 36), (100, 12), (99, 12), (80, 24), (70, 12), (69, 12), (50, 20), (40, 10), (39, 10), (80, 9),
  ]

  @Test(arguments: sizes)
  func everyWidthIsAsStored(columns: Int, rows: Int) throws {
    try Self.check(TestScreen(columns: columns, rows: rows), "codes-\(columns)x\(rows)")
  }

  @Test func whatIsDoneMostIsAsStored() throws {
    var screen = TestScreen()
    screen.press(.down, .down, .character("r"))
    try Self.check(screen, "revealed")
    screen.press(.character("/"))
    screen.type("a")
    try Self.check(screen, "search")
    screen.type("zzz")
    try Self.check(screen, "nothing-fits")
    screen.press(.escape, .character("?"))
    try Self.check(screen, "help")
    screen.press(.escape, .enter)
    try Self.check(screen, "copied")
    screen.press(.character("]"), .character("c"))
    try Self.check(screen, "fields")
    screen.press(.escape, .tab, .down)
    try Self.check(screen, "details")
    screen.press(.character("l"))
    try Self.check(screen, "locked")
  }

  @Test func withoutUTF8EverythingIsASCII() throws {
    var screen = TestScreen(columns: 100, rows: 12, isUTF8: false)
    try Self.check(screen, "codes-ascii")
    screen = TestScreen(isUTF8: false, items: [TestScreen.item(1, .codes, "Poșta 日本", "ana")])
    #expect(screen.text.utf8.allSatisfy { $0 < 0x80 })
    #expect(screen.text.contains("Po?ta ??"))
  }

  @Test func anEmptyVaultSaysWhatToDo() throws {
    try Self.check(TestScreen(items: []), "empty")
  }

  @Test func noSnapshotIsLeftOfAScreenThatWent() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    let others = [
      "revealed", "search", "nothing-fits", "help", "copied", "fields", "details", "locked", "codes-ascii", "empty",
    ]
    #expect(Set(names) == Set((Self.sizes.map { "codes-\($0.0)x\($0.1)" } + others).map { $0 + ".txt" }))
  }
}
