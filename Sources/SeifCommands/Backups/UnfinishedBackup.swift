internal import SeifCommandLine
internal import SeifBackups
internal import SeifBytes
internal import Synchronization

/// What a run leaves at a destination that is ended between sending a file and proving it: said as it ends.
final class UnfinishedBackup: Sendable {
  private let name = Mutex<String?>(nil)
  private let destination: String
  private let key = Mutex<UInt64?>(nil)

  init(destination: String) {
    self.destination = destination
    let added = Interrupts.add(.init(end: {}, leaves: { [weak self] in self?.words ?? "" }))
    key.withLock { $0 = added }
  }

  /// The file that is on its way.
  func note(_ stage: BackupStage) {
    switch stage {
    case .sending(let name): self.name.withLock { $0 = name }
    case .proven: name.withLock { $0 = nil }
    case .sealing, .storing, .proving, .checking: break
    }
  }

  /// The run goes on to its own end, and says itself how that is.
  func end() { key.withLock { key in if let key { Interrupts.remove(key) } } }

  private var words: String {
    guard let name = name.withLock({ $0 }) else { return "" }
    let place = FileModesCheck.quoted(destination)
    return """
      \(Display.cleaned(name)) may lie at \(Display.cleaned(destination)); it isn't proven, and older backups are as they were.
      Prove it: seif backup verify \(Display.cleaned(name)) --open --destination \(place)
      Or remove it: seif backup prune --unproven --destination \(place)
      """
  }
}
