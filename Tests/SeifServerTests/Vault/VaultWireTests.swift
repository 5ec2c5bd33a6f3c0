import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifServer
import SeifServerStore
import Testing

/// Every call on both mounts: the same requests, one after the other, and the same answers.
@Suite(.timeLimit(.minutes(15))) struct VaultWireTests {
  static let raw = HTTPField("Content-Type", "application/octet-stream")
  static let json = HTTPField("Content-Type", "application/json")

  /// Runs a story on each mount of a server of its own, and compares all answers.
  private func onBoth(quota: Int = 1 << 30, _ story: (VaultServer, VaultMount, inout [Reply]) throws -> Void) throws {
    var all: [[Reply]] = []
    for mount in VaultMount.allCases {
      let server = try VaultServer(quota: quota)
      var replies: [Reply] = []
      try story(server, mount, &replies)
      all.append(replies)
    }
    #expect(all[0].count > 0)
    #expect(all[0] == all[1])
  }

  private func manifest(_ bytes: [UInt8]) -> [UInt8] { Array("{\"manifest\":\"\(Base64.encode(bytes))\"}".utf8) }
  private func sealed(_ count: Int, _ first: UInt8 = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) &+ first }
  }
  private let id = "0a0b0c0d-0000-4000-8000-00000000000a"

  @Test func aManifestIsReplacedOnlyByWhoKnowsTheOneBefore() throws {
    try onBoth { server, mount, replies in
      func put(_ bytes: [UInt8], _ fields: [HTTPField]) -> Reply {
        server.ask(mount, "PUT", "/manifest", fields: fields + [Self.json], body: manifest(bytes))
      }
      let empty = server.ask(mount, "GET", "/manifest")
      #expect(empty.status == 404 && empty.problem == "not-found")
      for fields in [
        [], [HTTPField("If-Match", "*")], [HTTPField("If-Match", "W/\"1-0123456789abcdef\"")],
        [HTTPField("If-Match", "\"1-0123456789abcdef\", \"2-0123456789abcdef\"")],
        [HTTPField("If-None-Match", "*"), HTTPField("If-Match", "\"1-0123456789abcdef\"")],
      ] {
        let reply = put(sealed(40), fields)
        #expect(reply.status == 428 && reply.problem == "precondition-required")
        replies.append(reply)
      }
      let first = put(sealed(40), [HTTPField("If-None-Match", "*")])
      #expect(first.status == 200 && first.json?["version"]?.int64 == 1)
      let tag = try #require(first["ETag"])
      #expect(tag == ManifestTag(version: 1, blob: sealed(40)).text)
      let again = put(sealed(41), [HTTPField("If-None-Match", "*")])
      #expect(again.status == 412 && again.json?["version"]?.int64 == 1 && again["ETag"] == tag)
      let got = server.ask(mount, "GET", "/manifest")
      #expect(got["ETag"] == tag && got.json?["manifest"]?.string == Base64.encode(sealed(40)))
      #expect(got["Content-Disposition"] == "attachment" && got["X-Content-Type-Options"] == "nosniff")
      let same = server.ask(mount, "GET", "/manifest", fields: [HTTPField("If-None-Match", tag)])
      #expect(same.status == 304)
      let second = put(sealed(42), [HTTPField("If-Match", tag)])
      #expect(second.json?["version"]?.int64 == 2)
      #expect(put(sealed(43), [HTTPField("If-Match", tag)]).status == 412)
      #expect(put(sealed(27), [HTTPField("If-Match", tag)]).problem == "too-short")
      let wrong = server.ask(
        mount, "PUT", "/manifest", fields: [HTTPField("If-Match", tag), Self.json],
        body: Array(#"{"manifest":"AA==","more":1}"#.utf8))
      #expect(wrong.status == 400)
      let type = server.ask(mount, "PUT", "/manifest", fields: [HTTPField("If-Match", tag)], body: manifest(sealed(40)))
      #expect(type.status == 415)
      replies += [empty, first, again, got, same, second, wrong, type]
    }
  }

  @Test(arguments: [1, 7, 4096, 65_536])
  func anObjectComesBackAsItCameInBothWays(piece: Int) throws {
    try onBoth { server, mount, replies in
      let bytes = sealed(70_001)
      let put = server.ask(
        mount, "PUT", "/objects/\(id)", fields: [Self.raw], body: bytes, pieceByteCount: max(piece, 97))
      #expect(put.status == 201)
      let text = server.ask(
        mount, "PUT", "/objects/\(id)", fields: [HTTPField("Content-Type", "text/plain")],
        body: Array(Base64.encode(bytes).utf8), pieceByteCount: max(piece, 97))
      #expect(text.status == 200)
      let other = server.ask(mount, "PUT", "/objects/\(id)", fields: [Self.raw], body: sealed(70_001, 1))
      #expect(other.status == 409 && other.problem == "conflict")
      let gotText = server.ask(mount, "GET", "/objects/\(id)")
      #expect(gotText.text == Base64.encode(bytes) && gotText["Content-Type"] == "text/plain")
      let accept = HTTPField("Accept", "application/octet-stream")
      let got = server.ask(mount, "GET", "/objects/\(id.uppercased())", fields: [accept])
      #expect(got.body == bytes)
      #expect(got["Content-Security-Policy"]?.hasPrefix("sandbox; default-src 'none'") == true)
      for (field, range) in [
        ("bytes=0-0", 0..<1), ("bytes=5-9", 5..<10), ("bytes=70000-", 70_000..<70_001), ("bytes=-3", 69_998..<70_001),
        ("bytes=69999-99999999", 69_999..<70_001), ("bytes=-99999999", 0..<70_001),
      ] {
        let part = server.ask(mount, "GET", "/objects/\(id)", fields: [accept, HTTPField("Range", field)])
        #expect(part.status == 206 && part.body == Array(bytes[range]), "\(field)")
        #expect(part["Content-Range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/70001")
        replies.append(part)
      }
      for field in ["bytes=1-0", "bytes=0-1,3-4", "octets=0-1", "bytes=a-b", "bytes=-"] {
        let whole = server.ask(mount, "GET", "/objects/\(id)", fields: [accept, HTTPField("Range", field)])
        #expect(whole.status == 200 && whole.body.count == 70_001, "\(field)")
      }
      let beyond = server.ask(mount, "GET", "/objects/\(id)", fields: [accept, HTTPField("Range", "bytes=70001-")])
      #expect(beyond.status == 416 && beyond["Content-Range"] == "bytes */70001")
      let middle = server.ask(mount, "GET", "/objects/\(id)", fields: [HTTPField("Range", "bytes=6-4005")])
      #expect(middle.text == String(Base64.encode(bytes).dropFirst(6).prefix(4000)))
      #expect(
        server.ask(mount, "GET", "/objects/\(id)", fields: [accept, HTTPField("If-None-Match", got["ETag"] ?? "")])
          .status == 304)
      replies += [put, text, other, gotText, got, beyond, middle]
    }
  }

  @Test func whatIsNoSealedDocumentIsRefusedAndLeavesNothing() throws {
    try onBoth { server, mount, replies in
      let text = HTTPField("Content-Type", "text/plain")
      for (fields, body, status) in [
        ([Self.raw], sealed(27), 422), ([Self.raw], [], 422), ([text], Array("AAA".utf8), 400),
        ([text], Array("AAAA\nAAAA".utf8), 400), ([text], Array("=AAA".utf8), 400),
        ([text], Array((Base64.encode(sealed(100)) + "AAAA").utf8), 400),
        ([HTTPField("Content-Type", "application/pdf")], sealed(40), 415),
      ] as [([HTTPField], [UInt8], Int)] {
        let reply = server.ask(mount, "PUT", "/objects/\(id)", fields: fields, body: body)
        #expect(reply.status == status)
        replies.append(reply)
      }
      let long = server.ask(
        mount, "PUT", "/objects/\(id)", fields: [Self.raw], body: [], announced: 50 * 1024 * 1024 + 29)
      #expect(long.status == 413)
      // In chunks nothing says how long it will be.
      let chunks = server.ask(
        mount, "PUT", "/objects/\(id)", fields: [Self.raw], body: sealed(50 * 1024 * 1024 + 29),
        announced: .some(nil), pieceByteCount: 1 << 20)
      #expect(chunks.status == 413)
      #expect(server.ask(mount, "GET", "/objects/\(id)").status == 404)
      let status = server.ask(mount, "GET", "")
      #expect(status.json?["objects"]?.int64 == 0 && status.json?["bytes"]?.int64 == 0)
      let left = try server.blobs.list(after: nil, limit: 9)
      #expect(left.isEmpty)
      // Nothing is reserved any more: all the room is there.
      let whole = server.ask(mount, "PUT", "/objects/\(id)", fields: [Self.raw], body: sealed(40))
      #expect(whole.status == 201)
      replies += [long, chunks, status, whole]
    }
  }

  @Test func anObjectThatIsDeletedComesBackForThirtyDaysAndItsNameIsTaken() throws {
    try onBoth { server, mount, replies in
      _ = server.ask(mount, "PUT", "/objects/\(id)", fields: [Self.raw], body: sealed(40))
      let deleted = server.ask(mount, "DELETE", "/objects/\(id)")
      #expect(deleted.status == 204)
      #expect(server.ask(mount, "DELETE", "/objects/\(id)").status == 204)
      #expect(server.ask(mount, "GET", "/objects/\(id)").status == 404)
      #expect(server.ask(mount, "GET", "/objects").json?["objects"]?.elements.map { $0 }.count == 0)
      let gone = server.ask(mount, "PUT", "/objects/\(id)", fields: [Self.raw], body: sealed(40))
      #expect(gone.status == 410 && gone.problem == "gone")
      #expect(server.ask(mount, "POST", "/objects/\(id)/restore").status == 204)
      #expect(server.ask(mount, "GET", "/objects/\(id)").status == 200)
      let never = server.ask(mount, "POST", "/objects/0a0b0c0d-0000-4000-8000-00000000000b/restore")
      #expect(never.status == 404)
      replies += [deleted, gone, never]
    }
  }

  @Test func roomIsReservedAndAQuotaHolds() throws {
    try onBoth(quota: 1000) { server, mount, replies in
      let name = { (number: Int) in "/objects/0a0b0c0d-0000-4000-8000-00000000000\(number)" }
      #expect(server.ask(mount, "PUT", name(1), fields: [Self.raw], body: sealed(600)).status == 201)
      let full = server.ask(mount, "PUT", name(2), fields: [Self.raw], body: sealed(401))
      #expect(full.status == 507 && full.problem == "quota")
      #expect(server.ask(mount, "PUT", name(2), fields: [Self.raw], body: sealed(400)).status == 201)
      // The trash has as much room again, and the oldest goes first.
      #expect(server.ask(mount, "DELETE", name(1)).status == 204)
      server.pass(seconds: 1)
      #expect(server.ask(mount, "DELETE", name(2)).status == 204)
      #expect(server.ask(mount, "PUT", name(3), fields: [Self.raw], body: sealed(1000)).status == 201)
      #expect(server.ask(mount, "POST", name(1) + "/restore").problem == "quota")
      #expect(server.ask(mount, "DELETE", name(3)).status == 204)
      #expect(server.ask(mount, "POST", name(1) + "/restore").status == 404)
      // What isn't in the trash any more isn't on the disk either.
      let left = try server.blobs.list(after: nil, limit: 9).map(\.byteCount)
      #expect(left == [1000])
      replies.append(full)
    }
  }

  @Test func objectsAreListedByNameAPageAtATime() throws {
    try onBoth { server, mount, replies in
      for number in [3, 1, 2] {
        _ = server.ask(
          mount, "PUT", "/objects/0a0b0c0d-0000-4000-8000-00000000000\(number)", fields: [Self.raw],
          body: sealed(40 + number))
      }
      var (names, after): ([String], String?) = ([], nil)
      repeat {
        let page = server.ask(mount, "GET", "/objects", query: "limit=2" + (after.map { "&after=\($0)" } ?? ""))
        names += page.json?["objects"]?.elements.compactMap { $0["id"]?.string } ?? []
        after = page.json?["next"]?.string
        replies.append(page)
      } while after != nil
      #expect(names.map { $0.suffix(1) } == ["1", "2", "3"])
      for query in ["limit=0", "limit=1001", "limit=", "after=x", "limit=1&limit=1", "more=1", "limit=+1"] {
        let reply = server.ask(mount, "GET", "/objects", query: query)
        #expect(reply.status == 400, "\(query)")
        replies.append(reply)
      }
    }
  }

  private func row(_ number: Int, _ more: String = "") -> String {
    let wrapped = Base64.encode(sealed(60, UInt8(number)))
    let salt = Base64.encode(sealed(16))
    return #"{"id":"0a0b0c0d-0000-4000-8000-00000000000\#(number)","kind":"recovery","salt":"\#(salt)","#
      + #""iterations":600000,"wrappedKey":"\#(wrapped)","createdAt":"2026-09-21T14:13:20.000Z"\#(more)}"#
  }

  @Test func waysInAreKeptAndTheLastOneStays() throws {
    try onBoth { server, mount, replies in
      func put(_ number: Int, _ text: String) -> Reply {
        server.ask(
          mount, "PUT", "/key-wraps/0a0b0c0d-0000-4000-8000-00000000000\(number)", fields: [Self.json],
          body: Array(text.utf8))
      }
      func remove(_ number: Int) -> Reply {
        server.ask(mount, "DELETE", "/key-wraps/0a0b0c0d-0000-4000-8000-00000000000\(number)")
      }
      #expect(put(1, row(1)).status == 201)
      #expect(put(1, row(1)).status == 200)
      #expect(put(1, row(1).replacing("14:13:20", with: "14:13:21")).status == 409)
      #expect(put(2, row(1)).problem == "bad-row")
      for bad in [
        row(2).replacing("600000", with: "1"), row(2).replacing("\"recovery\"", with: "\"passkey\""),
        row(2).replacing("\"kind\"", with: "\"Kind\""), row(2, ",\"name\":\"x\""),
        row(2).replacing("2026-09-21", with: "yesterday"),
      ] {
        let reply = put(2, bad)
        #expect([400, 422].contains(reply.status), "\(bad)")
        replies.append(reply)
      }
      let last = remove(1)
      #expect(last.status == 409 && last.problem == "last-wrap")
      #expect(put(2, row(2)).status == 201)
      #expect(remove(1).status == 204)
      #expect(put(1, row(1)).status == 409)
      let restored = server.ask(mount, "POST", "/key-wraps/0a0b0c0d-0000-4000-8000-000000000001/restore")
      #expect(restored.status == 204)
      let list = server.ask(mount, "GET", "/key-wraps")
      #expect(list.text == "{\"wraps\":[\(row(1)),\(row(2))]}")
      let odd = put(
        3, #"{"kind":"later","wrappedKey":"\#(Base64.encode(sealed(60)))","createdAt":"2026-09-21T14:13:20Z"}"#)
      #expect(odd.status == 201)
      replies += [last, restored, list, odd]
    }
  }

  @Test func aRotationChangesManifestAndWaysInInOneStepAndNeedsAFreshSignIn() throws {
    try onBoth { server, mount, replies in
      let first = server.ask(
        mount, "PUT", "/manifest", fields: [HTTPField("If-None-Match", "*"), Self.json], body: manifest(sealed(40)))
      let tag = try #require(first["ETag"])
      _ = server.ask(
        mount, "PUT", "/key-wraps/0a0b0c0d-0000-4000-8000-000000000001", fields: [Self.json], body: Array(row(1).utf8))
      func rotate(_ tag: String, _ rows: String) -> Reply {
        server.ask(
          mount, "PUT", "/key-wraps", fields: [HTTPField("If-Match", tag), Self.json],
          body: Array("{\"manifest\":\"\(Base64.encode(sealed(50)))\",\"wraps\":[\(rows)]}".utf8))
      }
      let stale = rotate("\"9-0123456789abcdef\"", row(2))
      #expect(stale.status == 412)
      #expect(rotate(tag, "").problem == "last-wrap")
      #expect(rotate(tag, row(2) + "," + row(2)).problem == "bad-row")
      let list = server.ask(mount, "GET", "/key-wraps")
      #expect(list.text == "{\"wraps\":[\(row(1))]}")
      let done = rotate(tag, row(2))
      #expect(done.status == 200 && done.json?["version"]?.int64 == 2)
      #expect(server.ask(mount, "GET", "/key-wraps").text == "{\"wraps\":[\(row(2))]}")
      #expect(server.ask(mount, "GET", "/manifest").json?["manifest"]?.string == Base64.encode(sealed(50)))
      server.pass(seconds: 301)
      let tired = rotate(try #require(done["ETag"]), row(3))
      #expect(tired.status == 403 && tired.problem == "fresh-sign-in")
      let removing = server.ask(mount, "DELETE", "/key-wraps/0a0b0c0d-0000-4000-8000-000000000002")
      #expect(removing.status == 403)
      replies += [stale, list, done, tired, removing]
    }
  }

  @Test func totalsAreToldOnlyOnceThePersonTurnedThemOn() throws {
    try onBoth { server, mount, replies in
      let told = Array(#"{"month":"2026-12","document":{"count":3,"bytes":1234}}"#.utf8)
      func ask(_ method: String, _ body: [UInt8]) -> Reply {
        server.ask(mount, method, "/usage", fields: [Self.json], body: body)
      }
      let off = ask("POST", told)
      #expect(off.status == 403 && off.problem == "usage-off")
      #expect(ask("PUT", Array(#"{"enabled":true}"#.utf8)).status == 204)
      #expect(ask("POST", told).status == 204)
      #expect(ask("POST", Array(#"{"month":"2026-13"}"#.utf8)).status == 400)
      #expect(ask("POST", Array(#"{"month":"2026-12","names":{"count":3,"bytes":1}}"#.utf8)).status == 400)
      let got = server.ask(mount, "GET", "/usage")
      #expect(
        got.text == #"{"enabled":true,"totals":[{"month":"2026-12","kind":"document","count":3,"bytes":1234}]}"#)
      #expect(ask("PUT", Array(#"{"enabled":false}"#.utf8)).status == 204)
      #expect(server.ask(mount, "GET", "/usage").text == #"{"enabled":false,"totals":[]}"#)
      replies += [off, got]
    }
  }
}
