internal import SeifBytes
internal import SeifHTTPFields
internal import SeifHTTPServer
internal import SeifServerStore

/// Answers all calls about vaults, the same on both mounts. Sees sealed bytes, identifiers and counters.
package struct VaultController: Sendable {
  let stores: ServerStores
  let accounts: AccountController
  var vaults: any VaultStore { stores.vaults }

  package init(_ accounts: AccountController) {
    self.accounts = accounts
    stores = accounts.stores
  }

  package var routes: [VaultRoute] {
    [VaultRoute("GET", "", need: .read, status)] + manifestRoutes + objectRoutes + keyWrapRoutes + usageRoutes
  }

  /// Who calls, and whether that may be done: from a mount and a head alone.
  func caller(
    _ mount: VaultMount, _ head: HTTPRequestHead, _ need: VaultRoute.Need, at now: Timestamp
  ) throws(VaultProblem) -> AccountCaller {
    let caller: AccountCaller
    do throws(AccountProblem) {
      caller = try mount == .token ? accounts.token(head, at: now) : accounts.session(head, at: now)
    } catch { throw .account(error) }
    if need != .read, !caller.mayWrite { throw .account(AccountProblem(.readOnly)) }
    if need == .freshWrite, !caller.isFresh { throw .account(AccountProblem(.freshSignIn)) }
    return caller
  }

  @Sendable private func status(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let status = try kept { () throws(StoreFailure) in try vaults.status(caller.account.id) }
    return WireAnswer.json { json in
      json.member("enabled", status.manifestVersion > 0 || status.keyWrapCount > 0)
      json.member("manifestVersion", status.manifestVersion)
      json.member("objects", status.objectCount)
      json.member("bytes", status.byteCount)
      json.member("wraps", status.keyWrapCount)
    }
  }

  func limits(_ caller: AccountCaller) -> VaultLimits {
    VaultLimits(objectCount: VaultBounds.objectCount, byteCount: caller.account.quota)
  }

  static let done = HTTPAnswer(204, fields: WireAnswer.fields)
}

extension VaultController {
  var manifestRoutes: [VaultRoute] {
    [
      VaultRoute("GET", "/manifest", need: .read, manifest),
      VaultRoute(
        "PUT", "/manifest", body: .json(VaultBounds.manifestBodyByteCount), need: .write, putManifest),
    ]
  }

  @Sendable private func manifest(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    guard let found = try kept({ () throws(StoreFailure) in try vaults.manifest(caller.account.id) }) else {
      throw .notFound
    }
    let tag = HTTPField("ETag", found.tag.text)
    if call.head.values("If-None-Match") == [found.tag.text] {
      return HTTPAnswer(304, fields: WireAnswer.fields + [tag])
    }
    return WireAnswer.json(fields: [tag, Self.attachment]) { json in
      json.member("version", found.version)
      json.member("manifest", Base64.encode(found.blob.span.bytes))
    }
  }

  @Sendable private func putManifest(_ call: VaultCall, _ caller: AccountCaller) throws(VaultProblem) -> HTTPAnswer {
    let expecting = try VaultBody.precondition(call.head, mayBeFirst: true)
    let blob = try VaultBody(call.body, required: ["manifest"]).manifest()
    return try Self.stored(
      kept { () throws(StoreFailure) in
        try vaults.replaceManifest(caller.account.id, blob, expecting: expecting, at: call.now)
      })
  }

  static func stored(_ outcome: ManifestOutcome) throws(VaultProblem) -> HTTPAnswer {
    switch outcome {
    case .stored(let tag):
      return WireAnswer.json(fields: [HTTPField("ETag", tag.text)]) { $0.member("version", tag.version) }
    case .conflict(let tag): throw .manifestConflict(tag)
    }
  }

  static let attachment = HTTPField("Content-Disposition", "attachment")
}
