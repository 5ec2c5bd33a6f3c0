import SeifBytes
import SeifCrypto
import Testing

@Suite struct SHA256StreamTests {
  @Test(arguments: [0, 1, 55, 56, 64, 65, 1000, 70_000], [1, 7, 64, 4096])
  func piecesDontShow(count: Int, piece: Int) {
    let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var stream = SHA256Stream()
    for start in stride(from: 0, to: count, by: piece) {
      stream.update(Array(message[start..<min(count, start + piece)]).span.bytes)
    }
    #expect(stream.finish() == Digest.sha256(message.span.bytes))
  }

  @Test func theDigestIsTheStandards() {
    var stream = SHA256Stream()
    stream.update(Array("a".utf8).span.bytes)
    stream.update(Array("bc".utf8).span.bytes)
    let digest = Base16.encode(stream.finish())
    #expect(digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
