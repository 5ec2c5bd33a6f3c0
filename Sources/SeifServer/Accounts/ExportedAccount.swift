internal import SeifBytes
internal import SeifServerStore

/// All that a server holds of an account, but for hashes and secrets, which are named by how many they are, and sealed
/// bytes, which are fetched from the paths that are named.
struct ExportedAccount {
  /// More than an account may have.
  static let objectLimit = 10_000

  let account: AccountRow
  let signInCodeCount: Int
  let passkeys: [PasskeyRow]
  let tokens: [TokenRow]
  /// 0: none.
  let manifestVersion: Int
  let keyWraps: [KeyWrapRow]
  let objects: [ObjectRow]
  let usage: [UsageRow]

  init(_ account: AccountRow, _ stores: ServerStores) throws(StoreFailure) {
    self.account = account
    signInCodeCount = try stores.accounts.signInCodeCount(account.id)
    passkeys = try stores.accounts.passkeys(account.id)
    tokens = try stores.accounts.tokens(account.id)
    manifestVersion = try stores.vaults.status(account.id).manifestVersion
    keyWraps = try stores.vaults.keyWraps(account.id)
    usage = try stores.vaults.usage(account.id)
    var objects: [ObjectRow] = []
    while objects.count < Self.objectLimit {
      let page = try stores.vaults.objects(account.id, after: objects.last?.id, limit: 1000)
      objects += page
      if page.count < 1000 { break }
    }
    self.objects = objects
  }

  func write(to json: inout JSONWriter) {
    json.object("account") { json in
      json.member("id", account.id.description)
      json.member("name", account.name)
      json.member("createdAt", account.createdAt)
      json.member("quota", account.quota)
      json.member("hasPassword", account.password != nil)
      json.member("hasTOTP", account.totp != nil)
      json.member("signInCodes", signInCodeCount)
      json.member("tellsUsage", account.tellsUsage)
    }
    json.list("passkeys", passkeys) { json, row in
      json.item { json in
        json.member("id", Base64URL.text(row.credentialID))
        json.member("algorithm", row.algorithm)
        json.member("publicKey", Base64URL.text(row.publicKey))
        json.member("signCount", Int(row.signCount))
        json.member("label", row.label)
        json.member("createdAt", row.createdAt)
        json.member("usedAt", row.usedAt)
      }
    }
    json.list("tokens", tokens) { json, row in
      json.item { AccountController.write(row, to: &$0) }
    }
    json.object("vault") { writeVault(to: &$0) }
  }

  private func writeVault(to json: inout JSONWriter) {
    json.key("manifest")
    if manifestVersion > 0 {
      json.beginObject()
      json.member("version", manifestVersion)
      json.member("path", "/account/vault/manifest")
      json.endObject()
    } else {
      json.null()
    }
    json.list("keyWraps", keyWraps) { json, row in
      json.item { json in
        json.member("id", row.id.description)
        json.member("kind", row.kind)
        if let salt = row.salt { json.member("salt", Base64.encode(salt.span.bytes)) }
        if let iterations = row.iterations { json.member("iterations", iterations) }
        if let id = row.credentialID { json.member("credentialId", Base64URL.text(id)) }
        json.member("wrappedKey", Base64.encode(row.wrappedKey.span.bytes))
        json.member("createdAt", row.createdAt)
      }
    }
    json.list("objects", objects) { json, row in
      json.item { json in
        json.member("id", row.id.description)
        json.member("bytes", row.byteCount)
        json.member("sha256", Base16.encode(row.sha256))
        json.member("createdAt", row.createdAt)
        json.member("path", "/account/vault/objects/\(row.id)")
      }
    }
    json.list("usage", usage) { json, row in
      json.item { json in
        json.member("month", row.month)
        json.member("kind", row.kind)
        json.member("count", row.count)
        json.member("bytes", row.byteCount)
      }
    }
  }
}
