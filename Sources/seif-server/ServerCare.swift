internal import Glibc
internal import SeifBytes
internal import SeifServer
internal import SeifServerStore
internal import Synchronization

/// Ends what is over: each minute sessions, links and codes; every ten minutes trash after 30 days and blobs that nothing
/// names.
final class ServerCare: Sendable {
  private static let trashMilliseconds: Int64 = 30 * 86_400_000
  /// Longer than the slowest upload that the engine lets go on.
  private static let reservationMilliseconds: Int64 = 16 * 3_600_000
  private static let orphanMilliseconds: Int64 = 86_400_000
  private static let rounds = 600

  private let store: SQLiteServerStore
  private let blobs: FolderBlobStore
  private let log: ServerLog
  private let hasEnded = Atomic(false)

  init(_ store: SQLiteServerStore, _ blobs: FolderBlobStore, _ log: ServerLog) {
    (self.store, self.blobs, self.log) = (store, blobs, log)
  }

  func start() {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(self)
    if pthread_create(&thread, nil, careForServer, box.toOpaque()) == 0 {
      pthread_detach(thread)
    } else {
      box.release()
    }
  }

  func end() { hasEnded.store(true, ordering: .releasing) }

  fileprivate func run() {
    var second = 0
    while !hasEnded.load(ordering: .acquiring) {
      if second % 60 == 0 { accounts() }
      if second % Self.rounds == 0 { once() }
      second += 1
      sleep(1)
    }
  }

  /// Once a minute: what waits for an answer has places that others need.
  private func accounts() {
    do throws(StoreFailure) { try store.sweepAccounts(Lifetimes.sweep(at: ServerClock.now())) } catch {
      log.always("care: \(error.reason)")
    }
  }

  private func once() {
    let now = ServerClock.now()
    func before(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds - milliseconds) }
    do throws(StoreFailure) {
      while true {
        let gone = try store.sweep(
          trash: before(Self.trashMilliseconds), reservations: before(Self.reservationMilliseconds), limit: 500)
        for blob in gone { try blobs.remove(blob) }
        guard gone.count == 500 else { break }
      }
      _ = try blobs.removeLeftOvers(before: before(Self.orphanMilliseconds))
      try removeUnnamed(before: before(Self.orphanMilliseconds))
    } catch {
      log.always("care: \(error.reason)")
    }
  }

  /// What an upload left that was ended between its blob and its row, and what removed accounts had.
  private func removeUnnamed(before moment: Timestamp) throws(StoreFailure) {
    var after: UUID?
    while true {
      let page = try blobs.list(after: after, limit: 1000)
      guard let last = page.last else { return }
      let old = page.filter { $0.storedAt < moment }.map(\.blob)
      for blob in Set(old).subtracting(try store.named(old)) { try blobs.remove(blob) }
      after = last.blob
    }
  }
}

private func careForServer(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let box { Unmanaged<ServerCare>.fromOpaque(box).takeRetainedValue().run() }
  return nil
}
