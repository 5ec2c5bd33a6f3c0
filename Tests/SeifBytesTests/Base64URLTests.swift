import SeifBytes
import Testing

@Suite struct Base64URLTests {
  @Test func everyLengthComesBack() throws {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 251 &+ 3) }
      let text = Base64URL.encode(bytes.span.bytes)
      #expect(text.exposedText()?.contains { "+/=".contains($0) } == false)
      #expect(try text.withBytes { try Base64URL.decode($0) }.exposedBytes() == bytes)
    }
  }

  @Test(arguments: ["A", "AAAAA", "AA==", "+A", "/A", "AB", "A A", "AAA=", "ÄA"]) func oneTextAloneHasABytesValue(
    _ text: String
  ) {
    #expect(throws: EncodingError.self) { _ = try Base64URL.decode(Array(text.utf8).span.bytes) }
  }
}
