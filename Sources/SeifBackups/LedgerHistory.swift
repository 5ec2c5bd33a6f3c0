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
    /// The last event.
    public var last: LedgerEvent
    /// The place of the proof's line in the ledger: what was noted later is newer, whatever the clock said.
    public var order = 0
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
    for (order, event) in events.enumerated() where !event.name.isEmpty { note(event, order) }
  }

  private mutating func note(_ event: LedgerEvent, _ order: Int) {
    let key = Key(event.destination, event.name)
    var file = files[key] ?? File(proof: nil, flag: nil, confirmedAt: nil, last: event)
    file.last = event
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
    if file.proof != before { file.order = order }
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

  /// The proofs at all destinations that nothing was found against, oldest first.
  public var standing: [LedgerEvent] {
    Self.sorted(files.values.filter { $0.flag == nil }).compactMap(\.proof)
  }

  private static func sorted(_ files: [File]) -> [File] {
    files.sorted { ($0.order, $0.last.name) < ($1.order, $1.last.name) }
  }
}
