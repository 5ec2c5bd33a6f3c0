internal import SeifBytes
internal import SeifCrypto

/// What a writer must put into the header of a sealed file.
enum HeaderRules {
  static func check(_ root: JSONValue, _ facts: HeaderFacts, _ findings: inout Findings) {
    switch facts.format {
    case .authbackup: authBackup(root, facts, &findings)
    case .vault2fa: vault2FA(root, facts, &findings)
    case .twofac: twoFac(root, facts, &findings)
    case .uriList, .json, .seifvault: break
    }
  }

  private static func authBackup(_ root: JSONValue, _ facts: HeaderFacts, _ findings: inout Findings) {
    let cost = facts.version == 1 ? ["rounds"] : ["memoryKiB", "passes", "lanes"]
    keys(root, ["format", "version", "kdf", "salt", "cipher", "nonce", "ciphertext", "tag"] + cost, &findings)
    let name = facts.version == 1 ? AuthBackupV1.kdfName : AuthBackupV2.kdfName
    findings.check(
      "kdf", root["kdf"]?.string.map { utf8Equal($0, name) } ?? false, "kdf is \(name)",
      else: "kdf isn't spelt \(name)")
    self.cost(facts, &findings)
    // Salt and nonce have been checked by reading; the tag stands apart only in the standard layout.
    findings.check("salt", true, "the salt has 16 bytes", else: "")
    findings.check("nonce", true, "the nonce has 12 bytes", else: "")
    findings.check(
      "tag", facts.variant == "standard", "the tag has 16 bytes and stands apart",
      else: "the tag stands behind the ciphertext (Android 1.0)")
    findings.check(
      "bound", facts.isHeaderBound, "the header's numbers and salt are bound to the contents",
      else: "the header isn't bound to the contents")
  }

  private static func vault2FA(_ root: JSONValue, _ facts: HeaderFacts, _ findings: inout Findings) {
    keys(root, ["format", "version", "created", "kdf", "cipher", "ciphertext"], &findings)
    if let kdf = root["kdf"] { keys(kdf, ["name", "iterations", "salt"], of: "kdf", &findings) }
    if let cipher = root["cipher"] { keys(cipher, ["name", "nonce"], of: "cipher", &findings) }
    findings.check(
      "created", facts.claimedTime != nil, "created is a time", else: "created is no time in RFC 3339")
    cost(facts, &findings)
    findings.check("salt", true, "the salt has 16 bytes", else: "")
    findings.check("nonce", true, "the nonce has 12 bytes", else: "")
    findings.check("tag", true, "the tag stands behind the ciphertext", else: "")
  }

  private static func twoFac(_ root: JSONValue, _ facts: HeaderFacts, _ findings: inout Findings) {
    let newest = facts.version == 3 ? ["plaintextAccounts"] : []
    keys(root, ["schemaVersion", "createdAt", "encrypted", "accounts", "encryptedAccounts"] + newest, &findings)
    let entry = ["accountLabel", "salt", "encryptedURI"] + (facts.version == 3 ? ["color"] : [])
    let areExact = root["encryptedAccounts"]?.elements.allSatisfy { names(of: $0) == Set(entry) } ?? false
    findings.check(
      "keys:entries", areExact, "each entry has exactly its keys", else: "an entry hasn't exactly its keys")
  }

  private static func names(of object: JSONValue) -> Set<String> {
    Set(object.members.map(\.key.text))
  }

  private static func keys(
    _ object: JSONValue, _ wanted: [String], of part: String? = nil, _ findings: inout Findings
  ) {
    let present = names(of: object)
    let missing = wanted.filter { !present.contains($0) }
    let others = present.subtracting(wanted).count
    let rule = "keys" + (part.map { ":\($0)" } ?? "")
    findings.check(
      rule, missing.isEmpty && others == 0, "exactly the keys of the format",
      else: [
        missing.isEmpty ? nil : "missing: \(missing.joined(separator: ", "))",
        others == 0 ? nil : "\(others) that the format doesn't have",
      ].compactMap { $0 }.joined(separator: "; "))
  }

  private static func cost(_ facts: HeaderFacts, _ findings: inout Findings) {
    let wanted: HeaderFacts.KeyDerivation =
      facts.format == .authbackup && facts.version == 2
      ? .argon2id(.authBackup) : .pbkdf2(rounds: AuthBackupV1.standardRounds)
    findings.check(
      "cost", facts.keyDerivation == wanted, "the key costs \(wanted.words)",
      else: "the key costs \(facts.keyDerivation.words), not \(wanted.words)")
  }
}

extension HeaderFacts.KeyDerivation {
  /// The derivation and its numbers in words.
  public var words: String {
    switch self {
    case .none: "nothing"
    case .pbkdf2(let rounds): "PBKDF2-HMAC-SHA256, \(counted(rounds, "round"))"
    case .argon2id(let cost):
      "Argon2id, \(cost.memoryKiB) KiB, \(counted(cost.passes, "pass", "passes")), \(counted(cost.lanes, "lane"))"
    }
  }
}

/// A number with its noun: "1 lane", "2 lanes".
func counted(_ number: Int, _ one: String, _ many: String? = nil) -> String {
  "\(number) \(number == 1 ? one : many ?? one + "s")"
}
