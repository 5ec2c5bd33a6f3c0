internal import SeifBytes
internal import SeifRecords

/// What a writer must put into a sealed body.
enum BodyRules {
  static func checkAuthBackup(_ backup: OpenedBackup, _ findings: inout Findings) {
    guard let root = try? JSONDocument(parsing: backup.body, policy: .strict).root else {
      findings.check("body", false, "", else: "the body isn't JSON")
      return
    }
    findings.check(
      "body", root.canonical == backup.body, "the body is in its canonical form",
      else: "the body isn't in its canonical form")
    let version = root["version"]?.int64
    findings.check(
      "body-version", version == Int64(backup.header.version), "header and body have one version",
      else: "header and body have different versions")
    let lists = ["accounts", "passwords"] + (version == 2 ? ["cards"] : [])
    let missing = (lists + ["exportedAt", "version"]).filter { root[$0] == nil }
    findings.check(
      "body-keys", missing.isEmpty && backup.exportedAt != nil, "the body has all its keys",
      else: missing.isEmpty ? "exportedAt is no time" : "the body lacks: \(missing.joined(separator: ", "))")
    // Written again from what was read it is the same, so every entry has all its keys in their one spelling.
    let again = AuthBackupBody.write(
      backup.records, version: Int(version ?? 0), exportedAt: backup.exportedAt ?? Timestamp(seconds: 0),
      link: backup.link)
    let haveNames = backup.records.entries.allSatisfy { $0.info.id != nil }
    findings.check(
      "entry-keys", again == backup.body && haveNames, "each entry has all its keys, written as they should be",
      else: haveNames ? "an entry lacks keys or spells a value another way" : "an entry has no id")
  }

  static func checkVault2FA(_ backup: OpenedBackup, _ findings: inout Findings) {
    guard let root = try? JSONDocument(parsing: backup.body, policy: .strict).root else {
      findings.check("body", false, "", else: "the body isn't JSON")
      return
    }
    let top = Set(root.members.map(\.key.text))
    findings.check(
      "body", top == Vault2FABody.ownKeys && backup.exportedAt != nil, "the body has exactly its keys",
      else: "the body hasn't exactly the keys accounts, app and exported, the last a time")
    let wanted: Set<String> = ["createdAt", "isFavorite", "notes", "sortIndex", "uri"]
    let areComplete = root["accounts"]?.elements.allSatisfy { entry in
      let names = Set(entry.members.map(\.key.text))
      // A time of making may be unknown.
      return names == wanted || names == wanted.subtracting(["createdAt"])
    }
    findings.check(
      "entry-keys", areComplete ?? false, "each entry has exactly its keys", else: "an entry hasn't exactly its keys")
  }
}
