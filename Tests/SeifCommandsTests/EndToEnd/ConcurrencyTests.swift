import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// Several programs at one vault, and a disk that is full.
@Suite(.serialized) struct ConcurrencyTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func count() throws -> Int {
    let result = try home.seif("list", passphrase: Canary.vaultPassphrase)
    #expect(result.exitCode == 0, "\(result.errors)")
    return result.output.split(separator: "\n").count
  }

  /// Eight processes at the same moment, each with several adds one after the other.
  @Test func eightWritersAddAllOfTheirsOrSayThatItIsBusy() throws {
    let (writers, adds) = (8, 4)
    let before = try count()
    let passphrase = try home.write(Canary.vaultPassphrase + "\n", as: "passphrase-in-clear.txt")
    chmod(passphrase, 0o600)
    let running = try (0..<writers).map { writer in
      // A shell for each: start, add, add, add, add; each add's exit code is a line.
      try Terminal(
        [
          "-c",
          """
          for n in $(seq \(adds)); do
            printf '%s\\n' "$SECRET" | "$0" add code --name "w\(writer)-$n" --secret-fd 0 --passphrase-file "$1" --quiet
            echo "code $?"
          done
          """, Home.program, passphrase,
        ], program: "/bin/sh", hasTerminal: false,
        environment: home.variables(["SECRET": Canary.timedSeed]))
    }
    let results = try running.map { try home.check($0.finish()) }
    let codes = results.flatMap { $0.output.split(separator: "\n") }
    #expect(codes.count == writers * adds)
    #expect(codes.allSatisfy { $0 == "code 0" || $0 == "code 75" }, "\(codes) \(results.map(\.errors))")
    let busy = codes.count { $0 == "code 75" }
    #expect(try count() == before + writers * adds - busy)
    // Each waits for its turn, up to five seconds: eight short writes never need that long.
    #expect(busy == 0)
    let status = try home.seif("status", passphrase: Canary.vaultPassphrase)
    #expect(status.exitCode == 0, "\(status.output)")
  }

  @Test func aWriterThatHoldsTheVaultTooLongIs75InTheWordsForIt() throws {
    let before = try count()
    let holder = try Terminal(
      [
        "-c",
        """
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
        print("held", flush=True)
        sys.stdin.readline()
        """, home.file(".local/share/seif/vault.db"),
      ], program: "/usr/bin/python3", output: .terminal)
    try holder.expect("held")
    let result = try home.seif(
      "add", "code", "--name", "Late", passphrase: Canary.vaultPassphrase, secret: Canary.timedSeed)
    #expect(result.exitCode == 75)
    #expect(
      result.errors
        == "seif: Another Seif is writing to this vault. Nothing was changed; try again in a moment.\n")
    // Readers go on meanwhile.
    #expect(try count() == before)
    holder.type("\n")
    _ = try holder.finish()
    #expect(try count() == before)
  }

  @Test func aFullDiskLeavesTheVaultAsItWas() throws {
    let note = try home.write(String(repeating: "a note of some length. ", count: 3000), as: "note.txt")
    let script = """
      mkdir small && mount -t tmpfs -o size=2m none small || exit 99
      mkdir -p small/vault && cp .local/share/seif/vault.db small/vault/
      head -c 3000000 /dev/zero > small/fill 2>/dev/null
      "$0" list --vault small/vault --passphrase-file "$2" > full-list.txt
      echo "list while full $?"
      "$0" code GitHub --at 1767225615 --vault small/vault --passphrase-file "$2"
      "$0" add note --name Long --text-file "$1" --vault small/vault --passphrase-file "$2"
      echo "add $?"
      "$0" list --vault small/vault --passphrase-file "$2" > full-list.txt
      echo "list after add $?"
      "$0" code GitHub --at 1767225615 --vault small/vault --passphrase-file "$2"
      "$0" backup create --destination small --vault small/vault --passphrase-file "$2" --new-passphrase-file "$2"
      echo "backup $?"
      ls -A small
      rm small/fill
      "$0" list --vault small/vault --passphrase-file "$2"
      echo "list $?"
      python3 -c 'import sqlite3, sys
      print(sqlite3.connect("small/vault/vault.db").execute("PRAGMA integrity_check").fetchone()[0])'
      """
    let secret = try home.write(Canary.vaultPassphrase + "\n", as: "passphrase-in-clear.txt")
    chmod(secret, 0o600)
    let result = try home.run("unshare", "-m", "sh", "-c", script, Home.program, note, secret)
    // Without the right to mount there is no small disk; the database's own tests inject the fault.
    if result.exitCode == 99 || result.errors.contains("unshare") { return }
    #expect(result.output.hasPrefix("list while full 0\n756364\n"), "\(result.output) \(result.errors)")
    #expect(result.output.contains("add 74\nlist after add 0\n756364\n"), "\(result.output) \(result.errors)")
    #expect(result.errors.contains("The disk is full. The vault is as it was before."), "\(result.errors)")
    #expect(result.output.contains("backup 74\n"), "\(result.output) \(result.errors)")
    #expect(!result.output.contains("authbackup"))
    #expect(result.output.contains("GitHub"))
    #expect(result.output.contains("list 0\n"))
    #expect(result.output.hasSuffix("ok\n"))
  }

  @Test func aVaultOfALaterSeifIsRefusedAndLeftAlone() throws {
    let path = home.file(".local/share/seif/vault.db")
    let raised = try home.run(
      "python3", "-c",
      "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); v=d.execute('PRAGMA user_version').fetchone()[0];"
        + " d.execute(f'PRAGMA user_version={v+1}'); d.commit()", path)
    #expect(raised.exitCode == 0, "\(raised.errors)")
    let before = try home.bytes(".local/share/seif/vault.db")
    let names = try home.names(in: ".local/share/seif")
    for words in [["list"], ["add", "code", "--name", "x"]] {
      let result = try home.seif(
        list: words, passphrase: Canary.vaultPassphrase, secret: words[0] == "add" ? Canary.timedSeed : nil)
      #expect(result.exitCode == 65, "\(result.errors)")
      #expect(result.errors.contains("newer"))
    }
    #expect(try home.bytes(".local/share/seif/vault.db") == before)
    #expect(try home.names(in: ".local/share/seif") == names)
  }
}
