import SeifBackups
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifRecords
import SeifTransportTesting
import Testing

/// Which backup is the newest.
@Suite struct RestoreSourceTests {
  private let world = BackupWorld()

  private func proven() throws -> RestoreSource.Proven {
    try RestoreSource.proven(LedgerHistory(world.ledger.written), at: "memory", over: world.transport)
  }

  @Test func theLastThatWasProvenIsIt() throws {
    let names = try world.make(3)
    // A name that claims to be newer counts for nothing.
    world.transport.files["seif-backup-20990101T000000Z-0.authbackup"] = SecretValue(utf8: "{}")
    let found = try proven()
    #expect(found.found?.proof.name == names[2])
    #expect(found.found?.content == world.transport.files[names[2]])
    #expect(found.lost.isEmpty)
  }

  @Test func anOldOneThatIsProvenAgainStaysOld() throws {
    let names = try world.make(2)
    var again = try #require(world.ledger.written.last { $0.kind == .proven && $0.name == names[0] })
    again.at = Timestamp(seconds: BackupWorld.start + 999_999)
    for kind in [LedgerEvent.Kind.proven, .drilled] {
      again.kind = kind
      try world.ledger.append(again, records: nil)
      #expect(try proven().found?.proof.name == names[1])
    }
    // What a repeated proof says against an alarm, it says.
    var flagged = again
    flagged.kind = .missing
    try world.ledger.append(flagged, records: nil)
    again.kind = .proven
    try world.ledger.append(again, records: nil)
    #expect(LedgerHistory(world.ledger.written).file(at: "memory", named: names[0])?.flag == nil)
  }

  @Test func anOlderOneInPlaceOfTheNewestIsAnAlarm() throws {
    let names = try world.make(3)
    world.transport.files[names[2]] = world.transport.files[names[0]]
    let replayed = try proven()
    #expect(replayed.found?.proof.name == names[1])
    #expect(replayed.lost.map(\.name) == [names[2]])
    #expect(replayed.lost.map(\.state) == [.altered])

    world.transport.files[names[2]] = nil
    world.transport.unreadable = [names[1]]
    let gone = try proven()
    #expect(gone.found?.proof.name == names[0])
    #expect(gone.lost.map(\.state) == [.missing, .unread])
  }

  @Test func ofTwoFilesOfANameTheOneThatWasProvenIsTaken() throws {
    let names = try world.make(1)
    world.transport.twins = [BackupDescriptor(id: "other", name: names[0], byteCount: 5)]
    world.transport.files["other"] = SecretValue(utf8: "false")
    #expect(try proven().found?.proof.name == names[0])
  }

  @Test func withoutAProofThereIsNone() throws {
    world.transport.files["seif-backup-20260910T110058Z-0.authbackup"] = SecretValue(utf8: "{}")
    let found = try proven()
    #expect(found.found == nil && found.lost.isEmpty)
  }

  @Test func claimsAreOrderedByValueAndBounded() {
    let names = [
      "twofac-backup-1767225000000-1.json", "twofac-backup-1767225600000-1.json", "twofac-backup-1767226000000-1.json",
      "notes.txt", "b-999999999-1.json", "b-1000000000-1.json", "seif-backup-20260910T110058Z-10.authbackup",
      "seif-backup-20260910T110058Z-9.authbackup",
    ]
    let files = names.map { BackupDescriptor(id: $0, name: $0, byteCount: nil) }
    #expect(
      RestoreSource.claimed(files).map(\.name) == [
        names[6], names[7], names[2], names[1], names[0], names[5], names[4], names[3],
      ])
    // A picture's name has a date, and a large one isn't fetched.
    let pictures = (0..<30).map {
      BackupDescriptor(id: "\($0)", name: "IMG_202609101100\(10 + $0).jpg", byteCount: $0 == 0 ? 100 << 20 : 9)
    }
    let all = RestoreSource.claimed(pictures + files.prefix(1))
    #expect(all.first?.name == names[0] && all.count == RestoreSource.fetchedAtMost)
  }

  private func opened(_ seconds: Int64?, sequence: Int64? = nil, vault: UInt8 = 1) throws -> OpenedBackup {
    var options = WritingOptions(exportedAt: Timestamp(seconds: seconds ?? 0))
    options.testCost = Argon2idCost(uncheckedMemoryKiB: 64, passes: 1, lanes: 1)
    let secret = SecretBytes(copying: SecretValue(utf8: "p"))
    let file = try AuthBackupWriter().write(Records(), options: options, passphrase: secret.duplicate())
    var opened = try FormatRegistry.read(FormatInput(file)).open(passphrase: secret.duplicate())
    opened.exportedAt = seconds.map { Timestamp(seconds: $0) }
    opened.link = try sequence.map { number in
      let id = try #require(
        UUID("00000000-0000-4000-8000-0000000000\(vault < 16 ? "0" : "")\(String(vault, radix: 16))"))
      return BackupLink(vault: id, sequence: number, previous: [UInt8](repeating: 0, count: 32))
    }
    return opened
  }

  @Test func sealedSequencesGoBeforeSealedTimes() throws {
    // The clock stood wrong as the second was made.
    let (first, second) = (try opened(2_000, sequence: 4), try opened(1_000, sequence: 5))
    #expect(RestoreSource.isNewer(second, than: first))
    #expect(!RestoreSource.isNewer(first, than: second))
    // Numbers of two vaults say nothing of each other.
    let other = try opened(3_000, sequence: 1, vault: 2)
    #expect(RestoreSource.isNewer(other, than: second))
    // A file that doesn't say its time is never preferred.
    #expect(RestoreSource.isNewer(first, than: try opened(nil)))
    #expect(!RestoreSource.isNewer(try opened(nil), than: first))
  }
}
