import SeifBackups
import SeifBytes
import SeifCrypto
import SeifTransportTesting
import Testing

/// Whether a restore is offered, by all that it depends on.
@Suite struct AutomaticRestoreTests {
  private typealias Decision = BackupRestorePolicy.Decision

  private static func marker(
    _ hour: Int, _ bytes: UInt8, at place: String = "nas"
  ) -> BackupRemoteMarker {
    BackupRemoteMarker(
      destination: place, name: "seif-backup-20260910T\(hour)0000Z-0.authbackup",
      sha256: [UInt8](repeating: bytes, count: 32), byteCount: 100, at: Timestamp(seconds: BackupWorld.start))
  }

  private static let (old, now, new) = (marker(10, 1), marker(11, 2), marker(12, 3))
  private static let on = BackupPreferences(destination: "nas")

  private static func decide(
    by preferences: BackupPreferences = on, isEmpty: Bool = false, _ found: BackupRemoteMarker?, isOwn: Bool = false,
    seen: BackupRemoteMarker? = nil, restored: [BackupRemoteMarker] = []
  ) -> Decision {
    BackupRestorePolicy.decide(
      preferences, isVaultEmpty: isEmpty, found: found, isOwn: isOwn, seen: seen, restored: restored)
  }

  @Test func anEmptyVaultIsOfferedItAndAnotherIsAsked() {
    #expect(Self.decide(isEmpty: true, Self.now) == .offer(Self.now))
    #expect(Self.decide(Self.now) == .ask(Self.now))
  }

  @Test func withoutAChoiceNothingIsAsked() {
    for isEmpty in [true, false] {
      #expect(Self.decide(by: BackupPreferences(destination: nil), isEmpty: isEmpty, Self.now) == .noDestination)
      #expect(Self.decide(by: BackupPreferences(destination: "nas", isOn: false), isEmpty: isEmpty, Self.now) == .off)
      #expect(
        Self.decide(
          by: BackupPreferences(destination: "nas", supportsAutomaticRestore: false), isEmpty: isEmpty, Self.now)
          == .unsupported)
    }
  }

  @Test func whatIsTheVaultsOwnOrRestoredIsNothingNew() {
    #expect(Self.decide(nil) == .nothingNew)
    #expect(Self.decide(Self.now, isOwn: true) == .nothingNew)
    #expect(Self.decide(Self.now, restored: [Self.old, Self.now]) == .alreadyRestored(Self.now))
    // Restored from another place it is restored all the same.
    let elsewhere = Self.marker(11, 2, at: "stick")
    #expect(Self.decide(Self.now, restored: [elsewhere]) == .alreadyRestored(elsewhere))
    // What lies at another place than the chosen one isn't found there.
    #expect(Self.decide(elsewhere) == .nothingNew)
  }

  @Test func aPlaceThatWentBackIsRefused() {
    #expect(Self.decide(Self.old, seen: Self.now) == .refused(Self.old, .older(than: Self.now.name)))
    #expect(Self.decide(Self.old, restored: [Self.now]) == .refused(Self.old, .older(than: Self.now.name)))
    // Also to one that was restored once.
    #expect(
      Self.decide(isEmpty: true, Self.old, restored: [Self.old, Self.now])
        == .refused(Self.old, .older(than: Self.now.name)))
    var other = Self.now
    other.sha256[0] ^= 1
    #expect(Self.decide(other, seen: Self.now) == .refused(other, .altered))
    #expect(Self.decide(other, restored: [Self.now]) == .refused(other, .altered))
    // What another place had says nothing of this one.
    #expect(Self.decide(Self.old, seen: Self.marker(12, 3, at: "stick")) == .ask(Self.old))
    #expect(Self.decide(Self.old, restored: [Self.marker(12, 3, at: "stick")]) == .ask(Self.old))
  }

  @Test func aNewerOneIsAskedAboutAlthoughOlderOnesWereSeenAndRestored() {
    #expect(Self.decide(Self.new, seen: Self.now, restored: [Self.old]) == .ask(Self.new))
    #expect(Self.decide(Self.new, seen: Self.new, restored: [Self.now]) == .ask(Self.new))
  }

  /// Every combination: a question needs a choice that is on, a place that supports it, and something that isn't the
  /// vault's own, wasn't restored, and isn't older than what the place had.
  @Test func aQuestionComesOfNothingElse() {
    let markers: [BackupRemoteMarker?] = [nil, Self.old, Self.now, Self.new, Self.marker(11, 9)]
    var (count, questions) = (0, 0)
    for destination in [nil, "nas", "stick"] {
      for isOn in [true, false] {
        for isSupported in [true, false] {
          for isEmpty in [true, false] {
            for found in markers {
              for isOwn in [true, false] {
                for seen in markers {
                  for restored in markers {
                    let decision = Self.decide(
                      by: BackupPreferences(
                        destination: destination, isOn: isOn, supportsAutomaticRestore: isSupported),
                      isEmpty: isEmpty, found, isOwn: isOwn, seen: seen, restored: [restored].compactMap { $0 })
                    count += 1
                    let before = [seen, restored].compactMap { $0 }
                    let mayAsk =
                      destination == "nas" && isOn && isSupported && !isOwn
                      && found.map { found in
                        restored?.sha256 != found.sha256
                          && before.allSatisfy { $0.sha256 == found.sha256 || $0.name < found.name }
                      } ?? false
                    switch decision {
                    case .offer(let marker):
                      #expect(mayAsk && isEmpty && marker == found)
                      questions += 1
                    case .ask(let marker):
                      #expect(mayAsk && !isEmpty && marker == found)
                      questions += 1
                    default: #expect(!mayAsk, "\(decision)")
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
    #expect(count == 6_000 && questions > 20)
  }

  @Test func anAlarmLeavesWhatWasSeen() {
    let refused = Self.decide(Self.old, seen: Self.now)
    #expect(BackupRestorePolicy.seen(after: refused, found: Self.old, before: Self.now) == Self.now)
    let asked = Self.decide(Self.new, seen: Self.now)
    #expect(BackupRestorePolicy.seen(after: asked, found: Self.new, before: Self.now) == Self.new)
    #expect(BackupRestorePolicy.seen(after: .nothingNew, found: nil, before: Self.now) == Self.now)
  }

  // MARK: - Finding it

  private func elsewhere(
    _ world: BackupWorld, own: [String] = [], seen: BackupRemoteMarker? = nil
  ) throws -> (marker: BackupRemoteMarker, isOwn: Bool)? {
    try RestoreSource.elsewhere(
      LedgerHistory(world.ledger.written), at: "memory", own: own, seen: seen,
      now: Timestamp(seconds: BackupWorld.start), over: world.transport)
  }

  @Test func theNewestThatTheLedgerDoesntKnowIsFound() throws {
    let world = BackupWorld()
    let names = try world.make(2)
    #expect(try elsewhere(world) == nil)
    for hour in [10, 11] {
      world.transport.files[Self.marker(hour - 9, 0).name.replacing("T1", with: "T01").replacing("T2", with: "T02")] =
        SecretValue(utf8: "\(hour)")
    }
    let found = try #require(try elsewhere(world))
    #expect(found.marker.name == "seif-backup-20260910T020000Z-0.authbackup" && !found.isOwn)
    #expect(found.marker.sha256 == Digest.sha256(Array("11".utf8).span.bytes))
    // What waits in a queue is the vault's own.
    #expect(try elsewhere(world, own: [found.marker.name])?.marker.name == "seif-backup-20260910T010000Z-0.authbackup")
    // Neither a picture, nor a time that no clock has reached, stands before it.
    world.transport.files["IMG_20260910_120000.jpg"] = SecretValue(utf8: "x")
    world.transport.files["seif-backup-20990101T000000Z-0.authbackup"] = SecretValue(utf8: "y")
    #expect(try elsewhere(world)?.marker == found.marker)
    // One of the vault's own under another name is known by its bytes.
    world.transport.files["seif-backup-20260910T030000Z-0.authbackup"] = world.transport.files[names[0]]
    let replayed = try #require(try elsewhere(world))
    #expect(replayed.isOwn && replayed.marker.name == "seif-backup-20260910T030000Z-0.authbackup")
  }

  @Test func whatWasSeenIsntFetchedAgain() throws {
    let world = BackupWorld()
    world.transport.files["seif-backup-20260910T010000Z-0.authbackup"] = SecretValue(utf8: "abc")
    let found = try #require(try elsewhere(world)?.marker)
    #expect(world.transport.downloads.count == 1)
    #expect(try elsewhere(world, seen: found)?.marker == found)
    #expect(world.transport.downloads.count == 1)
    world.transport.files[found.name] = SecretValue(utf8: "abcd")
    #expect(try elsewhere(world, seen: found)?.marker.byteCount == 4)
  }
}
