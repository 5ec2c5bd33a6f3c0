import SeifBytes
import SeifCrypto
import SeifDocumentFormat
import SeifTestSupport
import Testing

@Suite struct KeyTests {
  private func typed(_ row: DocumentVectors.Row) throws -> SecretBytes {
    SecretBytes(copying: SecretValue(try row.bytes("inputHex")))
  }

  @Test(arguments: DocumentVectors.rows("recoveryCodes"))
  func aTypedCodeIsNormalisedOrRefused(_ row: DocumentVectors.Row) throws {
    let input = try typed(row)
    do throws(RecoveryCodeFault) {
      let code = try DocumentRecoveryCode(typed: input)
      let normalised = code.withBytes { bytes in bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
      #expect(normalised == row.value["normalised"]?.string)
    } catch {
      #expect(row.value["accepted"]?.bool == false, "\(error)")
      #expect(error.characterCount != 24)
    }
  }

  @Test(arguments: DocumentVectors.rows("recoveryKeys")) func aCodeGivesTheVectorsKey(_ row: DocumentVectors.Row) throws
  {
    let code = try DocumentRecoveryCode(typed: SecretBytes(copying: SecretValue(utf8: try row.text("code"))))
    #expect(code.grouped.exposedText() == (try row.text("shown")))
    let key = try code.deriveKey(salt: row.bytes("salt"))
    #expect(key.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } } == (try row.bytes("key")))
  }

  @Test(arguments: DocumentVectors.rows("passkeyKeys")) func aPasskeyGivesTheVectorsKey(_ row: DocumentVectors.Row)
    throws
  {
    let key = try PasskeyKey.deriveKey(prfOutput: row.key("prfOutput"))
    #expect(key.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } } == (try row.bytes("key")))
  }

  @Test func theConstantsAreTheSeeds() throws {
    let constants = try #require(DocumentVectors.root?["constants"])
    #expect(constants["prfEvalFirstHex"]?.hexBytes == PasskeyKey.evaluationInput)
    #expect(Digest.sha256(Array(PasskeyKey.label.utf8).span.bytes) == PasskeyKey.evaluationInput)
    #expect(constants["hmacSecretSaltHex"]?.hexBytes == PasskeyKey.hmacSecretSalt)
    #expect(constants["rounds"]?.int64 == Int64(DocumentRecoveryCode.rounds))
    #expect(constants["maxPlaintextBytes"]?.int64 == Int64(DocumentLimits.documentByteCount))
    #expect(constants["maxBlobBytes"]?.int64 == Int64(DocumentLimits.objectByteCount))
    #expect(constants["overhead"]?.int64 == Int64(DocumentLimits.sealedOverhead))
  }

  @Test(arguments: DocumentVectors.rows("wraps")) func aWrapOpensAndIsSealedAgain(_ row: DocumentVectors.Row) throws {
    let key = try row.key("key")
    let master = try row.key("masterKey")
    let opened = try KeyWrap.open(row.bytes("wrapped"), with: key)
    #expect(opened.withBytes { left in master.withBytes { constantTimeEqual(left, $0) } })
    let kind: KeyWrap.Kind =
      try row.text("kind") == "recovery" ? .recovery(salt: try row.bytes("salt")) : .passkey(credentialID: [1, 2, 3])
    let made = try KeyWrap.seal(
      master, id: ManifestVectorTests.id(1), kind: kind, key: key, nonce: row.bytes("nonce"),
      createdAt: Timestamp(seconds: 0))
    #expect(made.wrappedKey == (try row.bytes("wrapped")))
    let json = try JSONDocument(parsing: made.json, policy: .strict).root
    #expect(json["wrappedKey"]?.string == (try row.text("wrappedBase64")))
    #expect(try KeyWrap(json) == made)
  }

  @Test(arguments: DocumentVectors.rows("hostileWraps")) func aHostileWrapIsOfItsClass(_ row: DocumentVectors.Row)
    throws
  {
    let expected: DocumentFormatError =
      switch try row.text("expect") {
      case "cannot-open": .cannotOpen
      case "bad-wrap": .badWrap
      default: .noKey
      }
    let error = #expect(throws: DocumentFormatError.self) {
      if row.value["prfOutput"] != nil {
        _ = try PasskeyKey.deriveKey(prfOutput: row.key("prfOutput"))
      } else {
        _ = try KeyWrap.open(row.bytes("wrapped"), with: row.key("key"))
      }
    }
    #expect(error == expected)
  }

  @Test func whatIsWrongWithATypedCodeIsSaidByGroup() throws {
    let faults = [
      ("ABCD-EFGH-2345-678O-JKLM-NPQR", 23, [4], [Int]()), ("ABCD-EFGH-2345-678-JKLM-NPQR", 23, [], [4]),
      ("ABCD EFGH 2345 6789 JKLM NPQRS", 25, [], [6]), ("0BCD-1FGH-2345-6789-JKLM-NPQ", 21, [1, 2], [6]),
      ("ABCD", 4, [], []), ("", 0, [], []), ("ABCDEFGH2345678OJKLMNPQR", 23, [], []),
    ]
    for (text, count, excluded, uneven) in faults {
      do throws(RecoveryCodeFault) {
        _ = try DocumentRecoveryCode(typed: SecretBytes(copying: SecretValue(utf8: text)))
        Issue.record("\(count) characters were taken")
      } catch {
        #expect(error.characterCount == count)
        #expect(error.excluded == excluded, "\(error)")
        #expect(error.uneven == uneven, "\(error)")
        #expect(!text.isEmpty ? !error.description.contains(text) : true)
      }
    }
  }

  @Test func aRowThatCanNotBeUsedCostsNoOther() throws {
    let wrap = #""wrappedKey":"DJ8kRKp8zkH4IsS3H8qUB8PISoEK1WaR6lIZKzURPmZWSPALD85XAoKCtX+ORHCCYdTY4/+brKnPwEd3""#
    let salt = #""salt":"D4gEJFD36QDdgv/ojaQeEg==""#
    func row(_ number: Int, _ fields: String) -> String {
      #"{"id":"\#(ManifestVectorTests.id(number))",\#(fields)}"#
    }
    let rows = [
      row(0, #""kind":"recovery","iterations":600000,\#(salt),\#(wrap)"#),
      row(1, #""kind":"recovery","iterations":1000,\#(salt),\#(wrap)"#),
      row(2, #""kind":"recovery","iterations":600000,"salt":"D4gEQlD3","wrappedKey":"AA==""#),
      row(3, #""kind":"passkey","credentialId":"a+b/","wrappedKey":"AA==""#),
      row(4, #""kind":"future","shares":[1,2]"#), row(5, #""kind":"passkey","credentialId":"AQID",\#(wrap)"#),
      #"{"kind":"recovery"}"#, row(7, #""kind":"passkey","credentialId":"AQID","wrappedKey":"AA==""#),
    ]
    let list = try KeyWraps(parsing: SecretValue(utf8: "[" + rows.joined(separator: ",") + "]"))
    #expect(list.rows.map(\.id) == [0, 4, 5].map { ManifestVectorTests.id($0) })
    #expect(list.rows[1].kind == .other("future"))
    #expect(list.rows[1].json.exposedText()?.contains(#""shares":[1,2]"#) == true)
    let expected: [DocumentFormatError] = [
      .badRow("iterations"), .badRow("salt"), .badRow("credentialId"), .badRow("id"), .badWrap,
    ]
    #expect(list.faults.map(\.error) == expected)
    let code = try DocumentRecoveryCode(typed: SecretBytes(copying: SecretValue(utf8: "89D7W4AK78APJPGYP3KD52AM")))
    let opened = try list.open(with: code)
    #expect(opened.row.id == ManifestVectorTests.id(0))
    let other = DocumentRecoveryCode.make()
    #expect(throws: DocumentFormatError.cannotOpen) { _ = try list.open(with: other) }
  }
}

@Suite struct SealedDocumentTests {
  @Test(arguments: DocumentVectors.rows("blobs")) func aBlobOpensInPieces(_ row: DocumentVectors.Row) throws {
    let plaintext = try self.plaintext(row)
    #expect(Digest.sha256(plaintext.span.bytes) == (try row.bytes("plaintextSHA256")))
    let key = try row.key("key")
    let (nonce, tag) = (try row.bytes("nonce"), try row.bytes("tag"))
    for size in [1, 16, 1000, 1 << 20] where size > 1 || plaintext.count < 5000 {
      var sealing = try AES256GCMSealing(key: key, nonce: nonce)
      var blob = nonce
      for piece in pieces(plaintext, size) {
        var piece = piece
        try piece.withUnsafeMutableBytes { try sealing.update(inPlace: $0) }
        blob += piece
      }
      blob += try sealing.finish()
      #expect(Array(blob.suffix(16)) == tag)
      #expect(Digest.sha256(blob.span.bytes) == (try row.bytes("blobSHA256")))
      var opening = try AES256GCMOpening(key: key, nonce: nonce)
      var opened: [UInt8] = []
      for piece in pieces(Array(blob.dropFirst(12).dropLast(16)), size) {
        var output = [UInt8](repeating: 0, count: piece.count)
        try output.withUnsafeMutableBytes { try opening.update(piece.span.bytes, intoUnverified: $0) }
        opened += output
      }
      try opening.finish(tag: tag.span.bytes)
      #expect(opened == plaintext)
    }
  }

  @Test(arguments: DocumentVectors.rows("hostileBlobs")) func aHostileBlobIsOfItsClass(_ row: DocumentVectors.Row)
    throws
  {
    let (blob, expected) = (try row.bytes("blob"), try row.text("expect"))
    guard blob.count >= 28 else {
      #expect(expected == "cannot-open")
      return
    }
    var opening = try AES256GCMOpening(key: row.key("key"), nonce: Array(blob.prefix(12)))
    let sealed = Array(blob.dropFirst(12).dropLast(16))
    var output = [UInt8](repeating: 0, count: sealed.count)
    try output.withUnsafeMutableBytes { try opening.update(sealed.span.bytes, intoUnverified: $0) }
    do throws(CryptoError) {
      try opening.finish(tag: Array(blob.suffix(16)).span.bytes)
      // Authentic, and of another length than the manifest says, which is told to the person.
      #expect(expected == "open-with-problems")
      #expect(row.value["bytesInManifest"]?.int64 != Int64(output.count))
    } catch {
      #expect(expected == "cannot-open")
      #expect(error == .authenticationFailed)
    }
  }

  @Test(arguments: DocumentVectors.rows("sizes")) func theLimitIsOfTheDocument(_ row: DocumentVectors.Row) throws {
    let size = try #require(Int(try row.text("plaintextBytes")))
    #expect((size <= DocumentLimits.documentByteCount) == row.value["accepted"]?.bool)
    let isAccepted = size <= DocumentLimits.documentByteCount
    if isAccepted { #expect(size + DocumentLimits.sealedOverhead == Int(try row.text("blobBytes"))) }
  }

  private func plaintext(_ row: DocumentVectors.Row) throws -> [UInt8] {
    let count = Int(try #require(row.value["bytes"]?.int64))
    let seed = Array(try row.text("plaintextSeed").utf8)
    var (bytes, number) = ([UInt8](), UInt64(0))
    while bytes.count < count {
      bytes += Digest.sha256((seed + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }).span.bytes)
      number += 1
    }
    return Array(bytes.prefix(count))
  }

  private func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    var (pieces, rest) = ([[UInt8]](), bytes[...])
    while !rest.isEmpty {
      pieces.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return pieces
  }
}
