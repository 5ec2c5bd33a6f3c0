package import SeifBytes

/// What this client knows of the objects of a vault, kept as a log: a line for each thing that it saw.
///
/// It decides which objects may be removed although it was never told that they are old: a place that shows an old
/// manifest must not make a client take newer documents for orphans.
package struct ObjectNotes: Sendable, Equatable {
  package struct Note: Sendable, Equatable {
    /// A manifest that this client opened named it.
    var wasNamed = false
    /// This client opened the manifest that named it no more, and the one just before.
    var sawRemoval = false
    /// When this client began to upload it, in milliseconds since 1970.
    var uploadedAt: Int64?
    /// When it was first seen unnamed since it was last named, and in which revision.
    var unnamedSince: (revision: Int, time: Int64)?

    package static func == (left: Note, right: Note) -> Bool {
      left.wasNamed == right.wasNamed && left.sawRemoval == right.sawRemoval && left.uploadedAt == right.uploadedAt
        && left.unnamedSince?.revision == right.unnamedSince?.revision
        && left.unnamedSince?.time == right.unnamedSince?.time
    }
  }

  /// A thing that was seen.
  package enum Event {
    case named
    case removed
    case uploading(Int64)
    case unnamed(revision: Int, time: Int64)
  }

  package private(set) var notes: [UUID: Note] = [:]
  private(set) var lineCount = 0

  static let uploadLifetime: Int64 = 86_400_000
  static let unnamedLifetime: Int64 = 7 * 86_400_000

  package init() {}

  /// Reads a log; a line that isn't understood, such as one cut short by a loss of power, counts for nothing.
  package init(log: [UInt8]) {
    for line in log.split(separator: 0x0A) {
      guard let text = String(validating: line, as: UTF8.self) else { continue }
      lineCount += 1
      let parts = text.split(separator: " ")
      guard parts.count >= 2, let id = UUID(String(parts[1])) else { continue }
      let numbers = parts.dropFirst(2).compactMap { ManifestTag.number($0) }
      switch (parts[0], parts.count) {
      case ("named", 2): apply(.named, to: id)
      case ("removed", 2): apply(.removed, to: id)
      case ("uploading", 3) where numbers.count == 1: apply(.uploading(Int64(numbers[0])), to: id)
      case ("unnamed", 4) where numbers.count == 2:
        apply(.unnamed(revision: numbers[0], time: Int64(numbers[1])), to: id)
      default: continue
      }
    }
  }

  package static func line(_ event: Event, _ id: UUID) -> String {
    switch event {
    case .named: "named \(id)\n"
    case .removed: "removed \(id)\n"
    case .uploading(let time): "uploading \(id) \(max(0, time))\n"
    case .unnamed(let revision, let time): "unnamed \(id) \(revision) \(max(0, time))\n"
    }
  }

  /// All that still counts, as a log.
  package var compacted: [UInt8] {
    var text = ""
    for (id, note) in notes {
      if let time = note.uploadedAt { text += Self.line(.uploading(time), id) }
      if note.wasNamed { text += Self.line(.named, id) }
      if note.sawRemoval { text += Self.line(.removed, id) }
      if let since = note.unnamedSince {
        text += Self.line(.unnamed(revision: since.revision, time: since.time), id)
      }
    }
    return Array(text.utf8)
  }

  /// Takes an event; false: it says nothing new.
  @discardableResult
  package mutating func apply(_ event: Event, to id: UUID) -> Bool {
    let before = notes[id]
    var note = before ?? Note()
    switch event {
    case .named: note = Note(wasNamed: true)
    case .removed: if note.wasNamed { note.sawRemoval = true }
    case .uploading(let time): note.uploadedAt = time
    case .unnamed(let revision, let time):
      if note.unnamedSince == nil { note.unnamedSince = (revision, time) }
    }
    notes[id] = note
    return note != before
  }

  /// Whether an object that the manifest of a revision doesn't name may be removed, should the person agree.
  package func mayRemove(_ id: UUID, revision: Int, now: Timestamp) -> Bool {
    guard let note = notes[id] else { return false }
    if let time = note.uploadedAt, !note.wasNamed, now.milliseconds - time >= Self.uploadLifetime { return true }
    guard let since = note.unnamedSince, since.revision != revision,
      now.milliseconds - since.time >= Self.unnamedLifetime
    else { return false }
    return !note.wasNamed || note.sawRemoval
  }
}
