import SeifDocumentFormat
import Testing

@Suite struct LimitTests {
  @Test func aSealedDocumentIs28BytesLonger() {
    #expect(DocumentLimits.objectByteCount == 52_428_828)
  }
}
