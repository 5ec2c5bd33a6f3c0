internal import SeifBytes
internal import SeifHTTPServer
internal import SeifServerStore

extension VaultController {
  var keyWrapRoutes: [VaultRoute] {
    [
      VaultRoute("GET", "/key-wraps", need: .read, listKeyWraps),
      VaultRoute(
        "PUT", "/key-wraps", body: .json(VaultBounds.manifestBodyByteCount), need: .freshWrite, replaceKeyWraps),
      VaultRoute(
        "PUT", "/key-wraps/{uuid}", body: .json(VaultBounds.smallBodyByteCount), need: .write, putKeyWrap),
      VaultRoute("DELETE", "/key-wraps/{uuid}", need: .freshWrite, deleteKeyWrap),
      VaultRoute("POST", "/key-wraps/{uuid}/restore", need: .freshWrite, restoreKeyWrap),
    ]
  }

  @Sendable private func listKeyWraps(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let rows = try kept { () throws(StoreFailure) in try vaults.keyWraps(caller.account.id) }
    return WireAnswer.json { json in
      json.list("wraps", rows) { json, row in json.item { Self.write(row, &$0) } }
    }
  }

  /// The members of a row, in the order of the format's page.
  static func write(_ row: KeyWrapRow, _ json: inout JSONWriter) {
    json.member("id", row.id.description)
    json.member("kind", row.kind)
    if let salt = row.salt { json.member("salt", Base64.encode(salt)) }
    if let iterations = row.iterations { json.member("iterations", iterations) }
    if let credential = row.credentialID { json.member("credentialId", Base64URL.encode(credential.span.bytes)) }
    json.member("wrappedKey", Base64.encode(row.wrappedKey))
    json.member("createdAt", row.createdAt.rfc3339Milliseconds)
  }

  @Sendable private func putKeyWrap(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let row = try VaultBody.row(call.body, id: call.requireID())
    let outcome = try kept { () throws(StoreFailure) in
      try vaults.putKeyWrap(caller.account.id, row, limit: VaultBounds.keyWrapCount)
    }
    switch outcome {
    case .stored: return HTTPAnswer(201, fields: WireAnswer.fields)
    case .present: return HTTPAnswer(200, fields: WireAnswer.fields)
    case .other: throw .conflict
    case .tooMany: throw .tooMany
    }
  }

  @Sendable private func replaceKeyWraps(
    _ call: VaultCall, _ caller: AccountCaller
  ) throws(VaultProblem) -> HTTPAnswer {
    guard let expecting = try VaultBody.precondition(call.head, mayBeFirst: false) else { throw .preconditionRequired }
    let body = try VaultBody(call.body, required: ["manifest", "wraps"])
    let (blob, rows) = (try body.manifest(), try body.rows())
    return try Self.stored(
      kept { () throws(StoreFailure) in
        try vaults.replaceKeyWraps(
          caller.account.id, rows, manifest: blob, expecting: expecting, at: call.now)
      })
  }

  @Sendable private func deleteKeyWrap(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let id = try call.requireID()
    let outcome = try kept { () throws(StoreFailure) in
      try vaults.deleteKeyWrap(caller.account.id, id, at: call.now)
    }
    guard outcome == .done else { throw .lastWrap }
    return Self.done
  }

  @Sendable private func restoreKeyWrap(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let id = try call.requireID()
    let outcome = try kept { () throws(StoreFailure) in
      try vaults.restoreKeyWrap(caller.account.id, id, limit: VaultBounds.keyWrapCount)
    }
    switch outcome {
    case .restored, .present: return Self.done
    case .notFound: throw .notFound
    case .overLimit: throw .tooMany
    }
  }
}

extension VaultController {
  var usageRoutes: [VaultRoute] {
    [
      VaultRoute("GET", "/usage", need: .read, usage),
      VaultRoute("PUT", "/usage", body: .json(VaultBounds.smallBodyByteCount), need: .write, setUsage),
      VaultRoute("POST", "/usage", body: .json(VaultBounds.smallBodyByteCount), need: .write, tellUsage),
    ]
  }

  @Sendable private func usage(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let rows = try kept { () throws(StoreFailure) in try vaults.usage(caller.account.id) }
    return WireAnswer.json { json in
      json.member("enabled", caller.account.tellsUsage)
      json.list("totals", rows) { json, row in
        json.item {
          $0.member("month", row.month)
          $0.member("kind", row.kind)
          $0.member("count", row.count)
          $0.member("bytes", row.byteCount)
        }
      }
    }
  }

  /// Off takes away what was told.
  @Sendable private func setUsage(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let isEnabled = try VaultBody(call.body, required: ["enabled"]).isEnabled()
    try kept { () throws(StoreFailure) in
      _ = try stores.accounts.updateAccount(caller.account.id) { $0.tellsUsage = isEnabled }
      guard !isEnabled else { return }
      for month in Set(try vaults.usage(caller.account.id).map(\.month)) {
        try vaults.setUsage(caller.account.id, month: month, rows: [])
      }
    }
    return Self.done
  }

  @Sendable private func tellUsage(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    guard caller.account.tellsUsage else { throw .usageOff }
    let told = try VaultBody(call.body, required: ["month"], optional: VaultBody.usageKinds).usage()
    try kept { () throws(StoreFailure) in
      try vaults.setUsage(caller.account.id, month: told.month, rows: told.rows)
    }
    return Self.done
  }
}
