internal import SeifBytes
internal import SeifHTTPFields
internal import SeifHTTPServer
internal import SeifServerStore

extension VaultController {
  var objectRoutes: [VaultRoute] {
    [
      VaultRoute("GET", "/objects", need: .read, listObjects),
      VaultRoute("GET", "/objects/{uuid}", need: .read, getObject),
      // The body is a receiver's: see `ObjectUpload`.
      VaultRoute("PUT", "/objects/{uuid}", body: .object, need: .write) { _, _ throws(VaultProblem) in
        throw .badRequest
      },
      VaultRoute("DELETE", "/objects/{uuid}", need: .write, deleteObject),
      VaultRoute("POST", "/objects/{uuid}/restore", need: .write, restoreObject),
    ]
  }

  @Sendable private func listObjects(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let page = try ObjectPageQuery(call.head.query)
    // One more than is asked for tells whether there is a next page.
    var rows = try kept { () throws(StoreFailure) in
      try vaults.objects(caller.account.id, after: page.after, limit: page.limit)
    }
    var next: UUID?
    if rows.count == page.limit, let last = rows.last {
      let more = try kept { () throws(StoreFailure) in
        try vaults.objects(caller.account.id, after: last.id, limit: 1)
      }
      next = more.isEmpty ? nil : last.id
    }
    rows = Array(rows.prefix(page.limit))
    return WireAnswer.json { [rows, next] json in
      json.list("objects", rows) { json, row in
        json.item {
          $0.member("id", row.id.description)
          $0.member("bytes", row.byteCount)
          $0.member("createdAt", row.createdAt.rfc3339Milliseconds)
        }
      }
      json.key("next")
      if let next { json.string(next.description) } else { json.null() }
    }
  }

  @Sendable private func getObject(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let id = try call.requireID()
    guard let row = try kept({ () throws(StoreFailure) in try vaults.object(caller.account.id, id) }) else {
      throw .notFound
    }
    guard let reader = try kept({ () throws(StoreFailure) in try stores.blobs.open(row.blob) }) else { throw .damaged }
    return try ObjectDownload(row: row, reader: reader, isText: !Self.wantsRaw(call.head)).answer(call.head)
  }

  /// Whether raw bytes are asked for by name: base64 is the format's way.
  private static func wantsRaw(_ head: HTTPRequestHead) -> Bool {
    head.values("Accept").flatMap { $0.split(separator: ",") }.contains { part in
      let type = part.prefix { $0 != ";" }
      return type.trimmingSpaces.lowercased() == "application/octet-stream"
    }
  }

  @Sendable private func deleteObject(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let id = try call.requireID()
    try kept { () throws(StoreFailure) in
      let gone = try vaults.delete(caller.account.id, id, trash: limits(caller), at: call.now)
      // What stays is found by the server's care.
      for blob in gone { try? stores.blobs.remove(blob) }
    }
    return Self.done
  }

  @Sendable private func restoreObject(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let id = try call.requireID()
    let outcome = try kept { () throws(StoreFailure) in
      try vaults.restore(caller.account.id, id, limits: limits(caller))
    }
    switch outcome {
    case .restored, .present: return Self.done
    case .notFound: throw .notFound
    case .overLimit: throw .quota
    }
  }
}

/// `?after=UUID&limit=N`: each at most once, and nothing else.
struct ObjectPageQuery {
  var after: UUID?
  var limit = 1000

  init(_ query: String?) throws(VaultProblem) {
    var seen: Set<Substring> = []
    for pair in (query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, seen.insert(parts[0]).inserted else { throw .badRequest }
      switch parts[0] {
      case "after":
        guard let id = UUID(String(parts[1])) else { throw .badRequest }
        after = id
      case "limit":
        guard (1...4).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          let number = Int(parts[1]), (1...1000).contains(number)
        else { throw .badRequest }
        limit = number
      default: throw .badRequest
      }
    }
  }
}

extension Substring {
  var trimmingSpaces: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
