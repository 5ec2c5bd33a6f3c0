public import SeifBytes
internal import SeifCrypto
internal import SeifRecords

/// The check that binds writers: exactly the format's keys, exactly its numbers and lengths, a body in its canonical
/// form. Reading is more lenient: a file can be faulty here and still open.
public enum StrictVerification {
  /// Every rule and how the file stands to it; an empty passphrase counts as none. Two derivations with a passphrase that
  /// opens at once, up to four otherwise.
  ///
  /// - Parameter passphrase: as a person gave it; without one nothing about the body is checked.
  public static func verify(
    _ input: FormatInput, passphrase: borrowing SecretBytes?, options: ReadingOptions = .standard
  ) -> [VerificationFinding] {
    var findings = Findings()
    let file: any BackupFile
    do throws(FormatError) {
      file = try FormatRegistry.read(input, options: options)
    } catch {
      findings.check("readable", false, "", else: error.description)
      return findings.list
    }
    findings.check("readable", true, "\(file.header.format.rawValue) version \(file.header.version)", else: "")
    guard file.header.isSealed else {
      findings.check("sealed", false, "", else: "the contents are in clear")
      body(file, nil, &findings)
      return findings.list
    }
    findings.check("sealed", true, "the contents are sealed", else: "")
    if case .success(let document) = input.json { HeaderRules.check(document.root, file.header, &findings) }
    switch passphrase {
    case .some(let passphrase) where passphrase.byteCount > 0: sealed(file, passphrase, &findings)
    default:
      for rule in ["opens", "wrong-passphrase", "body", "entries"] {
        findings.skip(rule, "needs the passphrase")
      }
    }
    return findings.list
  }

  private static func sealed(
    _ file: any BackupFile, _ passphrase: borrowing SecretBytes, _ findings: inout Findings
  ) {
    body(file, passphrase.withBytes { SecretValue(copying: $0) }, &findings)
    // One byte more: no normal form of the right one.
    var wrong = SecretBuffer(capacity: passphrase.byteCount + 1)
    passphrase.withBytes { wrong.append($0) }
    wrong.append(0x21)
    var isRefused = false
    do throws(FormatError) {
      _ = try file.open(passphrases: [wrong.finish()])
    } catch {
      isRefused = error == .cannotOpen
    }
    findings.check("wrong-passphrase", isRefused, "a wrong passphrase is refused", else: "a wrong passphrase opens it")
  }

  private static func body(_ file: any BackupFile, _ passphrase: SecretValue?, _ findings: inout Findings) {
    let backup: OpenedBackup
    do throws(FormatError) {
      backup = try file.openTryingForms(passphrase: passphrase.map { SecretBytes(copying: $0) })
    } catch {
      findings.check("opens", false, "", else: error.description)
      findings.skip("body", "it doesn't open")
      findings.skip("entries", "it doesn't open")
      return
    }
    findings.check("opens", true, "it opens", else: "")
    switch file.header.format {
    case .authbackup: BodyRules.checkAuthBackup(backup, &findings)
    case .vault2fa: BodyRules.checkVault2FA(backup, &findings)
    case .twofac, .uriList, .json, .seifvault: findings.skip("body", "this format has no canonical body")
    }
    let places = backup.problems.map { problem in
      problem.list + (problem.index.map { "[\($0)]" } ?? "") + (problem.field.map { ".\($0)" } ?? "")
    }
    findings.check(
      "entries", places.isEmpty,
      backup.records.count == 1 ? "the entry can be used" : "each of \(backup.records.count) entries can be used",
      else: "can't be used: \(places.prefix(20).joined(separator: ", "))\(places.count > 20 ? ", …" : "")")
  }
}
