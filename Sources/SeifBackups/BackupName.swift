public import SeifBytes

/// The name of a backup: `seif-backup-20260910T110058Z-0.authbackup`, with `-` and eight hexadecimal digits after the
/// sequence where the place doesn't refuse a name that is taken. Its time is a claim, for ordering files that nothing better
/// orders.
public struct BackupName: Sendable, Hashable {
  /// When it says it was made.
  public var time: Timestamp
  /// Tells names of one second apart, from 0.
  public var sequence: Int64
  /// The whole name.
  public var text: String

  /// The name of a backup made now.
  ///
  /// - Parameter random: makes it a name that no other writer has.
  public init(time: Timestamp, sequence: Int64, random: UInt32? = nil, fileExtension: String) {
    self.time = time.wholeSeconds
    self.sequence = sequence
    let compact = time.rfc3339.filter { $0 != "-" && $0 != ":" }
    var stem = "seif-backup-\(compact)-\(sequence)"
    if let random {
      let digits = String(random, radix: 16)
      stem += "-" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
    text = "\(stem).\(fileExtension)"
  }

  /// A name of any pattern: `…YYYYMMDDTHHMMSSZ…`, else its first number as a time (up to 10 digits seconds, more
  /// milliseconds), its last number as the sequence; both by value, never as text. Nil for a name without a number.
  public init?(reading name: String) {
    let stem = name.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? name
    var runs: [Substring.UTF8View] = []
    var rest = stem.utf8[...]
    while let start = rest.firstIndex(where: Self.isDigit) {
      let digits = rest[start...].prefix(while: Self.isDigit)
      runs.append(Substring(digits).utf8)
      rest = rest[digits.endIndex...]
    }
    guard let first = runs.first, let last = runs.last else { return nil }
    text = name
    if let stamp = Self.compactTime(stem) {
      time = stamp.time
      // Eight random hexadecimal digits may follow it.
      let digits = stem.utf8.dropFirst(stamp.end).drop { !Self.isDigit($0) }.prefix(while: Self.isDigit)
      sequence = Int64(String(Substring(digits))) ?? 0
      return
    }
    guard let number = Int64(String(Substring(first))) else { return nil }
    time = first.count <= 10 ? Timestamp(seconds: number) : Timestamp(milliseconds: number)
    sequence = runs.count > 1 ? Int64(String(Substring(last))) ?? 0 : 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  // The time, and how many bytes its name has up to its end.
  private static func compactTime(_ stem: String) -> (time: Timestamp, end: Int)? {
    let bytes = Array(stem.utf8)
    guard bytes.count >= 16 else { return nil }
    for start in 0...bytes.count - 16 {
      let part = bytes[start..<start + 16]
      guard part[start + 8] == 0x54, part[start + 15] == 0x5A,
        part.enumerated().allSatisfy({ $0.offset == 8 || $0.offset == 15 || isDigit($0.element) })
      else { continue }
      let text = String(decoding: part, as: UTF8.self)
      func piece(_ from: Int, _ count: Int) -> Substring { text.dropFirst(from).prefix(count) }
      let full = "\(piece(0, 4))-\(piece(4, 2))-\(piece(6, 2))T\(piece(9, 2)):\(piece(11, 2)):\(piece(13, 2))Z"
      if let time = Timestamp(rfc3339: full) { return (time, start + 16) }
    }
    return nil
  }
}

extension BackupName: Comparable {
  public static func < (left: BackupName, right: BackupName) -> Bool {
    (left.time, left.sequence) < (right.time, right.sequence)
  }
}

extension BackupName {
  /// Whether a file's name claims a later time than another's, or at the same time a later sequence. Names that say nothing
  /// come after those that do; between equals bytes decide.
  public static func isNewerClaim(_ left: String, than right: String) -> Bool {
    isNewerClaim(left, BackupName(reading: left), than: right, BackupName(reading: right))
  }

  /// Items in the order of what their names claim, the newest first; each name is read once.
  public static func newestClaimFirst<Item>(_ items: [Item], name: (Item) -> String) -> [Item] {
    items.map { (item: $0, text: name($0), read: BackupName(reading: name($0))) }
      .sorted { isNewerClaim($0.text, $0.read, than: $1.text, $1.read) }
      .map(\.item)
  }

  private static func isNewerClaim(
    _ left: String, _ leftRead: BackupName?, than right: String, _ rightRead: BackupName?
  ) -> Bool {
    switch (leftRead, rightRead) {
    case (let a?, let b?) where a.time != b.time || a.sequence != b.sequence: b < a
    case (.some, nil): true
    case (nil, .some): false
    default: utf8Precedes(right, left)
    }
  }
}
