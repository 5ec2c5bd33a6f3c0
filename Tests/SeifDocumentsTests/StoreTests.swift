import SeifDocumentFormat
import Testing

@Suite struct StoreTests {
  @Test func aManifestHasALimit() {
    #expect(DocumentLimits.manifestByteCount == 16_777_216)
  }
}
