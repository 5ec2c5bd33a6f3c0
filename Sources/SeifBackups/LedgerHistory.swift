public import SeifBytes

/// What a ledger says of each file, told apart by destination and name, both byte for byte.
public struct LedgerHistory: Sendable {
  /// What it says of one file.
  public struct File: Sendable, Hashable {
    /// The proof of the file that should lie there; nil where none was proven since one was last sent or removed.
    public var proof: LedgerEvent?
    /// `missing` or `altered` where the file was found so and not proven since.
    public var flag: LedgerEvent.Kind?
    /// When the bytes of the proof were last found to be these and to open: at the proof, or at a drill since.
    public var confirmedAt: Timestamp?
    /// The line of what was last sent under this name; nil: nothing was, or it was removed.
    public var sent: LedgerEvent?
    /// The last event.
    public var last: LedgerEvent
    /// The place of the proof's line in the ledger.
    public var order = 0
    /// The counter of the vault's state that the proven file holds. The newest file is the one with the newest state,
    /// whenever it was proven and whatever the clock said: a copy that was stored while the vault was locked, or one that
    /// never came back then, can be proven after others.
    public var state: Int64 = 0

    /// Whether a person gave up the whole place after this.
    public var isGivenUp = false

    /// Whether it was sent and never proven.
    public var isUnproven: Bool { proof == nil && sent != nil }
  }

  // Two names that look alike can be two files: text compares by looks, bytes don't.
  private struct Key: Hashable, Sendable {
    var destination: [UInt8]
    var name: [UInt8]

    init(_ destination: String, _ name: String) {
      self.destination = Array(destination.utf8)
      self.name = Array(name.utf8)
    }
  }

  private var files: [Key: File] = [:]

  /// The history of events, oldest first.
  public init(_ events: [LedgerEvent]) {
    for (order, event) in events.enumerated() {
      if !event.name.isEmpty { note(event, order) } else if event.isForgetting { forget(event) }
    }
  }

  private mutating func forget(_ event: LedgerEvent) {
    let destination = Array(event.destination.utf8)
    for (key, file) in files where key.destination == destination {
      var last = file.last
      (last.kind, last.at) = (.pruned, event.at)
      files[key] = File(proof: nil, flag: nil, confirmedAt: nil, sent: nil, last: last, isGivenUp: true)
    }
  }

  private mutating func note(_ event: LedgerEvent, _ order: Int) {
    let key = Key(event.destination, event.name)
    var file = files[key] ?? File(proof: nil, flag: nil, confirmedAt: nil, sent: nil, last: event)
    (file.last, file.isGivenUp) = (event, false)
    let before = file.proof
    switch event.kind {
    // The same bytes proven again, by a drill of a script, are as old as they were.
    case .proven: (file.proof, file.flag) = (file.proof?.sha256 == event.sha256 ? file.proof : event, nil)
    // A drill says again what was proven; the contents are as old as they were.
    case .drilled: (file.proof, file.flag) = (file.proof ?? event, nil)
    // Nothing is sent over a file that is there.
    case .stored, .pruned: (file.proof, file.flag) = (nil, nil)
    case .missing, .altered: file.flag = event.kind
    case .failed: break
    }
    switch event.kind {
    case .proven, .drilled: file.confirmedAt = event.at
    case .stored, .pruned: file.confirmedAt = nil
    case .missing, .altered, .failed: break
    }
    switch event.kind {
    case .stored: file.sent = event
    case .pruned: file.sent = nil
    default: break
    }
    if file.proof != before {
      file.order = order
      let sent = file.sent.flatMap { $0.sha256 == event.sha256 ? $0.state : nil }
      file.state = sent ?? event.state ?? 0
    }
    files[key] = file
  }

  /// What is known of a file; nil: nothing.
  public func file(at destination: String, named name: String) -> File? { files[Key(destination, name)] }

  /// Whether a file of these bytes was made by the vault, wherever it lay.
  public func knows(sha256: [UInt8]) -> Bool {
    files.values.contains { $0.last.sha256 == sha256 || $0.proof?.sha256 == sha256 }
  }

  /// The destinations that it speaks of, in the order of their bytes.
  public var destinations: [String] {
    Set(files.keys.map(\.destination)).sorted { $0.lexicographicallyPrecedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The files that were proven at a destination and not removed by us since, oldest first; those found missing or
  /// altered too.
  public func proven(at destination: String) -> [File] {
    let bytes = Array(destination.utf8)
    return Self.sorted(files.filter { $0.key.destination == bytes && $0.value.proof != nil }.map(\.value))
  }

  /// All files that it ever spoke of at a destination, oldest last word first.
  public func all(at destination: String) -> [File] {
    let bytes = Array(destination.utf8)
    return Self.sorted(files.filter { $0.key.destination == bytes }.map(\.value))
  }

  /// The proofs at all destinations that nothing was found against, oldest first.
  public var standing: [LedgerEvent] {
    Self.sorted(files.values.filter { $0.flag == nil }).compactMap(\.proof)
  }

  private static func sorted(_ files: [File]) -> [File] {
    files.sorted { ($0.state, $0.order, $0.last.name) < ($1.state, $1.order, $1.last.name) }
  }
}
