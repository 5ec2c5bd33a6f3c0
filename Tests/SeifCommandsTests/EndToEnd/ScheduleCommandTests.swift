import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// Scheduled runs as systemd has them: under its user manager, and with its credentials.
@Suite struct ScheduleCommandTests {
  let agent: AgentHome
  let home: Home
  let folder: String
  // It holds the passphrase, as such a credential does.
  private static let name = "vault-in-clear.txt"

  init() throws {
    agent = try AgentHome()
    home = agent.home
    folder = try home.folder("backups")
  }

  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

  private func schedule(_ more: String...) throws -> Terminal.Result {
    let added = try home.seif(
      "transport", "add", "folder", "shelf", "--set", "path=\(folder)", "--untested",
      passphrase: Canary.vaultPassphrase)
    try #require(added.exitCode == 0, "\(added.errors)")
    return try home.seif(
      list: ["backup", "schedule", "--destination", "shelf"] + more, passphrase: Canary.vaultPassphrase)
  }

  private func credentials(_ text: String, mode: mode_t = 0o400) throws -> [String: String] {
    let folder = try home.folder("credentials")
    let path = "\(folder)/\(Self.name)"
    unlink(path)
    try Data(text.utf8).write(to: URL(filePath: path))
    chmod(path, mode)
    return ["CREDENTIALS_DIRECTORY": folder]
  }

  private func run(_ environment: [String: String], name: String = Self.name) throws -> Terminal.Result {
    try home.seif(
      list: ["backup", "run", "--json", "--credential", name],
      environment: agent.variables.merging(environment) { $1 })
  }

  // MARK: - Credentials

  @Test func aLockedVaultIsOpenedByACredentialForOneRun() throws {
    #expect(try schedule("--credential", "\(Self.name):/etc/seif.cred").exitCode == 0)
    let made = try run(try credentials(Canary.vaultPassphrase + "\n"))
    #expect(made.exitCode == 0, "\(made.errors)")
    let delivery = try document(made.output, "seif-snapshot")["destinations"]?.elements.first { _ in true }
    #expect(delivery?["proven"]?.bool == true)
    #expect(try files().count == 1)
    #expect(try agent.openCount() == 0)
    let listed = try home.seif(
      "backup", "list", "--destination", "shelf", "--json", passphrase: Canary.vaultPassphrase)
    #expect(
      try document(listed.output, "seif-backup-list")["backups"]?.elements.compactMap { $0["state"]?.string }
        == ["proven"])
    let shown = try document(try home.seif("backup", "schedule", "--show", "--json").output, "seif-schedule")
    #expect(shown["credential"]?.string == Self.name)
    // Where the agent has the vault open, nothing is read.
    try agent.unlock()
    #expect(try run([:]).exitCode == 0)
  }

  @Test func aCredentialThatOthersCanReadOrLeadsElsewhereIsRefused() throws {
    #expect(try schedule("--credential", Self.name).exitCode == 0)
    for mode: mode_t in [0o644, 0o440, 0o604] {
      let refused = try run(try credentials(Canary.vaultPassphrase, mode: mode))
      #expect(refused.exitCode == 77 && refused.errors.contains("others may read"), "\(refused.errors)")
    }
    let environment = try credentials("not this one")
    #expect(try run(environment).exitCode == 77)
    #expect(try run(try credentials("")).exitCode == 77)
    #expect(try run([:]).exitCode == 77)
    #expect(try run(environment, name: "another").exitCode == 77)
    #expect(try run(["CREDENTIALS_DIRECTORY": "credentials"]).exitCode == 77)
    _ = try credentials(Canary.vaultPassphrase)
    #expect(symlink("\(home.file("credentials"))/\(Self.name)", "\(home.file("credentials"))/link") == 0)
    #expect(try run(environment, name: "link").exitCode == 77)
    #expect(mkdir("\(home.file("credentials"))/folder", 0o700) == 0)
    #expect(try run(environment, name: "folder").exitCode == 77)
    for name in ["../\(Self.name)", "/etc/passwd", "", ".hidden", "a b"] {
      #expect(try run(environment, name: name).exitCode == 64, "\(name)")
    }
    #expect(try files().isEmpty)
  }

  @Test func theUnitWithACredentialIsWhatSystemdTakes() throws {
    let made = try schedule("--on-change", "--credential", "\(Self.name):/etc/seif/a.cred")
    #expect(made.exitCode == 0, "\(made.errors)")
    let units = home.file(".config/systemd/user")
    for service in [SystemdUnits.service, SystemdUnits.changeService] {
      let text = try home.read(".config/systemd/user/\(service)")
      #expect(text.contains("\nLoadCredentialEncrypted=\(Self.name):/etc/seif/a.cred\n"))
      #expect(text.contains(" --credential \(Self.name) --vault "))
    }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze") else { return }
    let checked = try home.run(
      "sh", "-c", "systemd-analyze --user --man=no --generators=no verify \"$@\" 2>&1", "sh",
      "\(units)/\(SystemdUnits.service)", "\(units)/\(SystemdUnits.changeService)", environment: agent.variables)
    let complaints = checked.output.split(separator: "\n").filter { $0.contains("seif-backup") }
    #expect(checked.exitCode == 0 && complaints.isEmpty, "\(checked.output)")
  }

  @Test func onlyAPlainNameAndPathMakeACredential() {
    for text in ["seif", "seif-vault.1", "seif:/etc/seif.cred", "a:/home/ana/é.cred"] {
      #expect(SystemdCredential(text)?.setting == text)
    }
    for text in [
      "", ":", "a:", "a:b", "a b", "a:/b c", "a:/b\nExecStart=/bin/evil", "../a", ".a", "a:/x:y", "-a", "a:/\"b",
    ] {
      #expect(SystemdCredential(text) == nil, "\(text)")
    }
  }

  // MARK: - Under a manager

  @Test(.timeLimit(.minutes(15))) func timerAndPathRunUnderAUserManager() throws {
    let added = try home.seif(
      "transport", "add", "folder", "shelf", "--set", "path=\(folder)", "--untested",
      passphrase: Canary.vaultPassphrase)
    try #require(added.exitCode == 0, "\(added.errors)")
    let passphrase = try home.write(Canary.vaultPassphrase + "\n", as: "passphrase-in-clear.txt")
    chmod(passphrase, 0o600)
    // What would be waited for: the time of the day, and that nothing more is written.
    let script = try home.write(
      """
      set -eu
      units=$HOME/.config/systemd/user
      mkdir -p $units/seif-backup.timer.d $units/seif-backup-change.service.d
      printf '[Timer]\\nOnCalendar=\\nOnActiveSec=1s\\nAccuracySec=1s\\nRandomizedDelaySec=0\\n' \\
        >$units/seif-backup.timer.d/soon.conf
      printf '[Service]\\nExecStartPre=\\n' >$units/seif-backup-change.service.d/soon.conf
      seif() { '\(Home.program)' "$@" --passphrase-file '\(passphrase)'; }
      ended() {
        for _ in $(seq 600); do
          case $(systemctl --user show "$1" -p ExecMainExitTimestampMonotonic) in *=0) sleep 0.1 ;; *) break ;; esac
        done
        echo "$1 $(systemctl --user show "$1" -p Result -p ExecMainStatus | sort | tr '\\n' ' ')"
        echo "$(ls '\(folder)' | wc -l) files"
      }
      # The first run's own line in the vault is a change too, and ends in a run that finds nothing new.
      hold() {
        for _ in $(seq 600); do
          [ "$(ls '\(folder)' | wc -l)" -lt "$1" ] || break
          sleep 0.1
        done
      }
      seif backup schedule --destination shelf --on-change --enable
      for unit in seif-backup.timer seif-backup.path; do
        echo "$unit $(systemctl --user is-enabled $unit) $(systemctl --user is-active $unit)"
      done
      ended seif-backup.service
      sleep 1
      seif add login --name New --secret-file '\(passphrase)'
      hold 2
      ended seif-backup-change.service
      """, as: "under-the-manager.sh")
    let result = try home.run(
      "\(TestData.packageRoot.path)/Tests/Session/user-manager.sh", script,
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    // No manager to be had: what the units say is still checked by systemd-analyze.
    guard result.exitCode != 125 else { return }
    #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "seif-backup.timer enabled active", "seif-backup.path enabled active",
        "seif-backup.service ExecMainStatus=0 Result=success ", "1 files",
        "seif-backup-change.service ExecMainStatus=0 Result=success ", "2 files",
      ], "\(result.output)\(result.errors)")
  }
}
