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
    var deliveries: [Delivery] = []
    for name in schedule.destinations {
      guard let place = schedule.places.first(where: { utf8Equal($0.name, name) }) else {
        deliveries.append(
          Delivery(destination: name, isProven: false, exitCode: 0, words: ["waits until the vault is unlocked"]))
        continue
      }
      deliveries.append(store(content, place, queue, waiting))
    }
    return deliveries
  }

  private func store(
    _ content: SecretValue, _ place: Schedule.Place, _ queue: SnapshotQueue, _ waiting: [SnapshotQueue.Entry]
  ) -> Delivery {
    let digest = content.withBytes { Digest.sha256($0) }
    if let same = waiting.last(where: { $0.place == place && $0.isStored }), same.sha256 == digest {
      return Delivery(
        destination: place.name, name: same.name, isProven: false, exitCode: 0, byteCount: same.byteCount,
        words: ["unchanged; proven by the next run that finds the vault open"])
    }
    do throws(CommandFailure) {
      guard waiting.count < SnapshotQueue.limit else {
        throw CommandFailure(
          .busy, "\(waiting.count) snapshots wait to be proven, so no more are stored",
          hint: "seif unlock, then: seif backup run")
      }
      let name = try store(content, digest, place, queue)
      return Delivery(
        destination: place.name, name: name, isProven: false, exitCode: 0, byteCount: content.byteCount,
        words: ["stored; proven by the next run that finds the vault open"])
    } catch {
      return Delivery(
        destination: place.name, isProven: false, exitCode: error.exitCode.rawValue, words: [error.what])
    }
  }

  private func store(
    _ content: SecretValue, _ digest: [UInt8], _ place: Schedule.Place, _ queue: SnapshotQueue
  ) throws(CommandFailure) -> String {
    do throws(TransportError) {
      let (transport, _) = try reach.transport(place.settings)
      let there = Set(try transport.listBackups().map { Array($0.name.utf8) })
      let now = Timestamp(seconds: clock.now())
      for sequence in Int64(0)..<100 {
        let name = BackupName(
          time: now, sequence: sequence, fileExtension: SnapshotFormat.fileExtension
        ).text
        guard !there.contains(Array(name.utf8)) else { continue }
        let entry = SnapshotQueue.Entry(
          at: now, place: place, name: name, sha256: digest, byteCount: content.byteCount)
        // Written down before it is sent, as in the ledger.
        do throws(CommandFailure) {
          try queue.update { $0 + [entry] }
        } catch {
          throw TransportError(.failed, place: queue.file.path, reason: error.what)
        }
        let stored: BackupDescriptor
        do throws(TransportError) {
          stored = try transport.upload(content, name: name)
        } catch {
          // It may be there all the same; only what surely isn't needn't be waited for.
          let isGone = (try? transport.listBackups()).map { !$0.contains { utf8Equal($0.name, name) } } ?? false
          if isGone || error.code == .exists { try? queue.update { $0.filter { $0 != entry } } }
          guard error.code == .exists else { throw error }
          continue
        }
        // From now on it is an alarm if it isn't there, whatever reading it back comes to.
        try? queue.update { entries in
          entries.map { waiting in
            var waiting = waiting
            if waiting == entry { waiting.isStored = true }
            return waiting
          }
        }
        let back = try transport.download(id: stored.id, limit: FormatLimits.fileByteCount)
        guard back == content else { throw TransportError(.badAnswer, place: name, reason: "it came back altered") }
        return name
      }
      throw TransportError(.exists, place: place.path)
    } catch {
      throw CommandFailure(CommandFailure.code(error), "\(place.name): \(error)")
    }
  }
}
