import SeifServerStore
import Testing

@Suite struct ManifestTagTests {
  @Test func aTagIsReadAsItIsWrittenAndOnlySo() {
    let tag = ManifestTag(version: 7, blob: [1, 2, 3])
    #expect(tag.text == "\"7-039058c6f2c0cb49\"")
    #expect(ManifestTag(tag.text) == tag)
    #expect(ManifestTag("\"9223372036854775807-039058c6f2c0cb49\"")?.version == .max)
  }

  @Test(arguments: [
    "*", "", "\"\"", "W/\"7-039058c6f2c0cb49\"", "7-039058c6f2c0cb49", "\"07-039058c6f2c0cb49\"",
    "\"7-039058C6F2C0CB49\"", "\"7-039058c6f2c0cb4\"", "\"7-039058c6f2c0cb499\"", "\"-1-039058c6f2c0cb49\"",
    "\"0-039058c6f2c0cb49\"", "\"7-039058c6f2c0cb49\", \"8-039058c6f2c0cb49\"",
    "\"9223372036854775808-039058c6f2c0cb49\"",
    " \"7-039058c6f2c0cb49\"",
  ])
  func anythingElseIsNone(text: String) {
    #expect(ManifestTag(text) == nil)
  }
}
