import SeifBytes
import SeifDocuments
import Testing

/// What a client remembers, and what it takes for a rollback or an orphan.
@Suite struct StateTests {
  private let seen = HighWaterMark(StoredManifest(revision: 7, blob: [1]))

  private func status(_ isEnabled: Bool = true) -> StoreStatus {
    StoreStatus(isEnabled: isEnabled, revision: 0, objectCount: 0, byteCount: 0, keyWrapCount: 0)
  }

  @Test func whatWasSeenCantBeOlderOrGone() {
    func kind(_ manifest: StoredManifest?, _ isEnabled: Bool = true, _ mark: HighWaterMark? = nil) -> Rollback.Kind? {
      Rollback(seen: mark ?? seen, status: status(isEnabled), manifest: manifest)?.kind
    }
    #expect(kind(StoredManifest(revision: 6, blob: [1])) == .lowerRevision)
    #expect(kind(StoredManifest(revision: 7, blob: [2])) == .otherContents)
    #expect(kind(nil) == .noManifest)
    #expect(kind(nil, false) == .noVault)
    #expect(kind(StoredManifest(revision: 7, blob: [1])) == nil)
    #expect(kind(StoredManifest(revision: 8, blob: [2])) == nil)
    let enabled = HighWaterMark(revision: 0, digest: "")
    #expect(kind(nil, true, enabled) == nil)
    #expect(kind(nil, false, enabled) == .noVault)
    #expect(Rollback(seen: nil, status: status(false), manifest: nil) == nil)
  }

  private let now = Timestamp(milliseconds: 1_790_000_000_000)
  private func later(_ days: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + days * 86_400_000) }

  @Test func anUnnamedObjectMayGoAfterTwoManifestsSevenDaysApart() {
    var notes = ObjectNotes()
    #expect(!notes.mayRemove(id(1), revision: 3, now: now))
    notes.apply(.unnamed(revision: 3, time: now.milliseconds), to: id(1))
    #expect(!notes.mayRemove(id(1), revision: 3, now: later(30)))
    #expect(!notes.mayRemove(id(1), revision: 4, now: later(6)))
    #expect(notes.mayRemove(id(1), revision: 4, now: later(7)))
    // A later look isn't a first one.
    notes.apply(.unnamed(revision: 4, time: later(7).milliseconds), to: id(1))
    #expect(notes.mayRemove(id(1), revision: 4, now: later(7)))
  }

  @Test func whatAManifestOnceNamedGoesOnlyIfItsRemovalWasSeen() {
    var notes = ObjectNotes()
    notes.apply(.named, to: id(1))
    notes.apply(.unnamed(revision: 3, time: now.milliseconds), to: id(1))
    #expect(!notes.mayRemove(id(1), revision: 9, now: later(100)))
    notes.apply(.removed, to: id(1))
    #expect(notes.mayRemove(id(1), revision: 9, now: later(100)))
    // Named again, all begins anew.
    notes.apply(.named, to: id(1))
    #expect(!notes.mayRemove(id(1), revision: 9, now: later(100)))
  }

  @Test func whatThisClientUploadedAndAbandonedMayGoAfterADay() {
    var notes = ObjectNotes()
    notes.apply(.uploading(now.milliseconds), to: id(1))
    #expect(!notes.mayRemove(id(1), revision: 3, now: now))
    #expect(notes.mayRemove(id(1), revision: 3, now: later(1)))
    notes.apply(.named, to: id(1))
    #expect(!notes.mayRemove(id(1), revision: 3, now: later(1)))
  }

  @Test func notesAreReadAsTheyWereWrittenAndATornLineCostsItself() {
    var notes = ObjectNotes()
    var log = ""
    let events: [(UUID, ObjectNotes.Event)] = [
      (id(1), .named), (id(1), .removed), (id(2), .uploading(5)), (id(3), .unnamed(revision: 3, time: 9)),
      (id(4), .named), (id(4), .unnamed(revision: 8, time: 10)),
    ]
    for (id, event) in events {
      notes.apply(event, to: id)
      log += ObjectNotes.line(event, id)
    }
    #expect(ObjectNotes(log: Array(log.utf8)).notes == notes.notes)
    #expect(ObjectNotes(log: notes.compacted).notes == notes.notes)
    let torn = ObjectNotes(log: Array((log + "unnamed \(id(5)) 3").utf8) + [0x0A, 0xFF, 0x0A, 0x20])
    #expect(torn.notes == notes.notes)
  }
}
