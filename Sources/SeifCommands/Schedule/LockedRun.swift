internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
internal import SeifVault

/// A scheduled run while nobody has the key: a sealed copy goes to the destinations that need no credentials.
struct LockedRun {
  let location: VaultLocation
  let reach: Reach
  let clock: Clock

  func run(_ locked: borrowing LockedVault, _ schedule: Schedule) throws(CommandFailure) -> [Delivery] {
    guard locked.waysIn.contains(where: \.isPortable) else {
      throw CommandFailure(VaultError(.noSuchWayIn, "passphrase or recovery"), folder: location.folder)
    }
    let queue = SnapshotQueue(location.stateFolder, locked.id)
    // Of two at once, as by time and on change, the later finds what the earlier did.
    return try queue.runs.alone { () throws(CommandFailure) in
      let content: SecretValue
      do throws(VaultError) {
        guard let snapshot = try locked.snapshot() else {
          throw VaultError(.invalidEntry, "more than 64 MiB")
        }
        content = snapshot.bytes
      } catch {
        throw CommandFailure(error, folder: location.folder)
      }
      let waiting = try queue.entries()
      return schedule.destinations.map { name in
        guard let place = schedule.places.first(where: { utf8Equal($0.name, name) }) else {
          return Delivery(
            destination: name, isProven: false, exitCode: 0, words: ["waits until the vault is unlocked"])
        }
        return store(content, place, queue, waiting)
      }
    }
  }

  private func store(
    _ content: SecretValue, _ place: Schedule.Place, _ queue: SnapshotQueue, _ waiting: [SnapshotQueue.Entry]
  ) -> Delivery {
    let digest = content.withBytes { Digest.sha256($0) }
    let same = waiting.last { $0.place == place }.flatMap { $0.sha256 == digest ? $0 : nil }
    do throws(CommandFailure) {
      let (name, isNew) = try store(content, digest, place, queue, same)
      return Delivery(
        destination: place.name, name: name, isProven: false, exitCode: 0, byteCount: content.byteCount,
        words: ["\(isNew ? "stored" : "unchanged"); proven by the next run that finds the vault open"])
    } catch {
      return Delivery(
        destination: place.name, isProven: false, exitCode: error.exitCode.rawValue, words: [error.what])
    }
  }

  /// - Parameter same: what an earlier run wrote down of the same bytes; it may have been ended before they were there.
  private func store(
    _ content: SecretValue, _ digest: [UInt8], _ place: Schedule.Place, _ queue: SnapshotQueue,
    _ same: SnapshotQueue.Entry?
  ) throws(CommandFailure) -> (name: String, isNew: Bool) {
    let (transport, there) = try at(place) { () throws(TransportError) in
      let (transport, _) = try reach.transport(place.settings)
      return (transport, try transport.listBackups())
    }
    func send(_ entry: SnapshotQueue.Entry, _ file: BackupDescriptor? = nil) throws(CommandFailure) -> Bool {
      try at(place) { () throws(TransportError) in try self.send(content, entry, file, transport, queue) }
    }
    if let same {
      let file = there.first { $0.name.utf8.elementsEqual(same.name.utf8) }
      if !same.isStored {
        if try send(same, file) { return (same.name, true) }
      } else if let file, holds(file, content, transport) {
        return (same.name, false)
      }
      // What became of the other is said once the vault is open.
    }
    let taken = Set(there.map { Array($0.name.utf8) })
    let now = Timestamp(seconds: clock.now())
    for sequence in Int64(0)..<100 {
      let name = BackupName(time: now, sequence: sequence, fileExtension: SnapshotFormat.fileExtension).text
      guard !taken.contains(Array(name.utf8)) else { continue }
      let entry = SnapshotQueue.Entry(at: now, place: place, name: name, sha256: digest, byteCount: content.byteCount)
      // Written down before it is sent, as in the ledger.
      try queue.add(entry)
      if try send(entry) { return (name, true) }
    }
    return try at(place) { () throws(TransportError) in throw TransportError(.exists, place: place.path) }
  }

  private func at<Result>(
    _ place: Schedule.Place, _ work: () throws(TransportError) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(TransportError) {
      return try work()
    } catch {
      throw CommandFailure(CommandFailure.code(error), "\(place.name): \(error)")
    }
  }

  /// Whether a file is as it was, as far as it can be read: one that a service keeps elsewhere is no loss.
  private func holds(_ file: BackupDescriptor, _ content: SecretValue, _ transport: any BackupTransport) -> Bool {
    guard let found = try? transport.download(id: file.id, limit: FormatLimits.fileByteCount) else { return true }
    return found == content
  }

  /// Stores what was written down, notes that and reads it back.
  ///
  /// - Parameter file: the file that lies under its name already.
  /// - Returns: false where that name is another file's; then nothing waits under it.
  private func send(
    _ content: SecretValue, _ entry: SnapshotQueue.Entry, _ file: BackupDescriptor?, _ transport: any BackupTransport,
    _ queue: SnapshotQueue
  ) throws(TransportError) -> Bool {
    if let file {
      guard try transport.download(id: file.id, limit: FormatLimits.fileByteCount) == content else {
        try? queue.remove(entry)
        return false
      }
      try? queue.confirm(entry)
      return true
    }
    let stored: BackupDescriptor
    do throws(TransportError) {
      stored = try transport.upload(content, name: entry.name)
    } catch {
      // It may be there all the same; only what surely isn't needn't be waited for.
      let isGone = (try? transport.listBackups()).map { !$0.contains { utf8Equal($0.name, entry.name) } } ?? false
      if isGone || error.code == .exists { try? queue.remove(entry) }
      guard error.code == .exists else { throw error }
      return false
    }
    // From now on it is an alarm if it isn't there, whatever reading it back comes to.
    try? queue.confirm(entry)
    let back = try transport.download(id: stored.id, limit: FormatLimits.fileByteCount)
    guard back == content else {
      throw TransportError(.badAnswer, place: entry.name, reason: "it came back altered")
    }
    return true
  }
}
