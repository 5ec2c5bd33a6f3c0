internal import Glibc
internal import SeifBackups
internal import SeifBytes
internal import Synchronization

extension TransportConformance {
  /// By itself, since it tells what names backups need there.
  public static let refusesOverwriting =
    Check("a name that is taken is refused, and its file stays as it was") { (trial) in
      let name = trial.name("taken")
      let first = try trial.store(bytes(100), name)
      let refusal = Trial.refusal { () throws(TransportError) in
        let second = try trial.transport.upload(bytes(200), name: name)
        trial.remember(second.id)
      }
      guard refusal?.code == .exists else {
        throw Finding("a name that is taken: \(refusal?.description ?? "stored again")")
      }
      guard try trial.transport.download(id: first.id, limit: 1000) == bytes(100) else {
        throw Finding("the file was changed by a writer that was refused")
      }
    }

  static let writers: [Check] = [
    refusesOverwriting,
    Check("of two writers with one name neither loses a file that it believes stored") { (trial) in
      var rounds = 0
      for round in 0..<3 {
        let name = trial.name("race-\(round)")
        let other = SideWriter(trial.transport, bytes(70_000), name)
        let mine: BackupDescriptor?
        // A place that holds the name for the other writer says no to both, perhaps: nobody believes it stored.
        var isHeld = false
        do throws(TransportError) {
          mine = try trial.store(bytes(80_000), name)
        } catch {
          isHeld = error.code == .locked
          guard isHeld || error.code == .exists || !trial.transport.createsConditionally else { throw error }
          mine = nil
        }
        let theirs = other.wait()
        if let theirs { trial.remember(theirs.id) }
        // Where the place can't refuse, names of backups hold random bits, and no two writers have one name.
        guard trial.transport.createsConditionally else { continue }
        guard mine == nil || theirs == nil || mine?.id != theirs?.id else {
          throw Finding("two writers of one name were both told that it is stored")
        }
        guard let kept = mine ?? theirs else {
          if isHeld { continue }
          throw Finding("two writers of one name were both refused")
        }
        let expected = bytes(mine == nil ? 70_000 : 80_000)
        guard try trial.transport.download(id: kept.id, limit: 100_000) == expected else {
          throw Finding("a file that was said to be stored has the bytes of another writer")
        }
        rounds += 1
      }
      guard rounds > 0 || !trial.transport.createsConditionally else {
        throw Finding("of two writers of one name none ever got it stored")
      }
    },
    Check("two writers at once each have their file") { (trial) in
      let names = (trial.name("mine"), trial.name("theirs"))
      let other = SideWriter(trial.transport, bytes(300_000), names.1)
      let mine = try trial.store(bytes(400_000), names.0)
      guard let theirs = other.wait() else { throw Finding("of two writers with two names one was refused") }
      trial.remember(theirs.id)
      guard try trial.transport.download(id: mine.id, limit: 1 << 20) == bytes(400_000),
        try trial.transport.download(id: theirs.id, limit: 1 << 20) == bytes(300_000)
      else { throw Finding("the files of two writers got mixed") }
    },
    Check("what is listed while it is written is whole") { (trial) in
      let name = trial.name("slow")
      let content = bytes(2_000_000)
      let other = SideWriter(trial.transport, content, name)
      while !other.isDone {
        for file in try trial.listed() where file.name == name {
          // A place may list a file before it is whole only if it doesn't give it out.
          let refusal = Trial.refusal { () throws(TransportError) in
            guard try trial.transport.download(id: file.id, limit: 4 << 20) == content else {
              throw TransportError(.incomplete, place: name)
            }
          }
          guard refusal == nil || refusal?.code == .notFound || other.isDone else {
            throw Finding("a file that is being written is listed and given out in part")
          }
        }
      }
      guard let stored = other.wait() else { throw Finding("a file wasn't stored while others listed") }
      trial.remember(stored.id)
    },
  ]
}

/// A writer beside the check's own thread.
private final class SideWriter: Sendable {
  private struct State: Sendable {
    var isDone = false
    var stored: BackupDescriptor?
  }
  private let state = Mutex(State())
  private let body: @Sendable () -> BackupDescriptor?

  var isDone: Bool { state.withLock(\.isDone) }

  init(_ transport: any BackupTransport, _ content: SecretValue, _ name: String) {
    body = { try? transport.upload(content, name: name) }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(self).toOpaque()
    let failure = pthread_create(&thread, nil, writeBeside, box)
    if failure == 0 {
      pthread_detach(thread)
    } else {
      // No thread to be had: one after the other, then.
      Unmanaged<SideWriter>.fromOpaque(box).release()
      work()
    }
  }

  fileprivate func work() {
    let stored = body()
    state.withLock { $0 = State(isDone: true, stored: stored) }
  }

  func wait() -> BackupDescriptor? {
    while !isDone { usleep(2_000) }
    return state.withLock(\.stored)
  }
}

private func writeBeside(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let box else { return nil }
  Unmanaged<SideWriter>.fromOpaque(box).takeRetainedValue().work()
  return nil
}
