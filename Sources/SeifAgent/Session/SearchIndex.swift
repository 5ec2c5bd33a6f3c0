internal import CSeif
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// The summaries of a vault in buffers of our own that are wiped at the end, and what finds one among a hundred thousand
/// in a fraction of a millisecond.
///
/// The order of what fits: an identifier; `name:account`; the exact name; the exact account; eight digits and more that an
/// identifier begins with; a name that begins with the query; what holds it. Exact ones are found by their hashes, the
/// others by a search through the runs of names that may hold them.
struct SearchIndex: ~Copyable {
  private var summaries = SecretBuffer(capacity: 1 << 16)
  /// Folded names and accounts, one after the other, each ended by a zero.
  private var texts = SecretBuffer(capacity: 1 << 16)
  private var blocks = TextBlocks()
  private var items: [Item] = []
  // Of each item's name, account, and both with a colon between them; apart, so that a search runs through numbers alone.
  private var nameHashes: [Int] = []
  private var accountHashes: [Int] = []
  private var bothHashes: [Int] = []
  /// The state of the vault that this is the list of; nil: unknown, so it is read anew each time.
  var counter: Int64?
  /// What the list leaves out.
  var damage: [VaultFault] = []

  private struct Item {
    let id: UUID
    let summary: Range<Int>
    let name: Range<Int>
    let account: Range<Int>
    let hasCode: Bool
  }
  private enum Part { case both, name, account }

  init() {}

  /// The list of a vault as it is now.
  init(of vault: Vault) throws(VaultError) {
    self.init()
    // Of a state that can't be read nobody can tell whether it changed.
    var index = SearchIndex()
    let (counter, damage) = try vault.forEachSummary { id, bytes in index.add(id, bytes) }
    index.addBlocks()
    index.counter = counter
    index.damage = damage
    self = index
  }

  var count: Int { items.count }

  private mutating func add(_ id: UUID, _ bytes: RawSpan) {
    guard let summary = EntrySummary(bytes, id: id) else { return }
    let start = summaries.byteCount
    summaries.append(bytes)
    let name = TextMatch.folded(summary.name)
    let account = TextMatch.folded(summary.account)
    func place(_ text: String, _ texts: inout SecretBuffer) -> Range<Int> {
      let start = texts.byteCount
      texts.append(utf8: text)
      texts.append(0)
      return start..<texts.byteCount - 1
    }
    items.append(
      Item(
        id: id, summary: start..<summaries.byteCount, name: place(name, &texts), account: place(account, &texts),
        hasCode: summary.hasOneTimeCode || summary.kind == .accounts || summary.kind == .otherAccounts))
    nameHashes.append(Self.hash(name))
    accountHashes.append(Self.hash(account))
    bothHashes.append(Self.hash("\(name):\(account)"))
  }

  // Its seed is random, so a name says nothing about the number.
  private static func hash(_ text: String) -> Int {
    var hasher = Hasher()
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return hasher.finalize()
  }

  // MARK: - Reading

  /// Calls `body` with each summary's identifier and bytes.
  func forEach(_ body: (UUID, RawSpan) -> Void) {
    summaries.withBytes { bytes in for item in items { body(item.id, bytes.extracting(item.summary)) } }
  }

  /// Calls `body` with the bytes of one summary.
  func withSummary<R>(at place: Int, _ body: (UUID, RawSpan) -> R) -> R {
    let item = items[place]
    return summaries.withBytes { body(item.id, $0.extracting(item.summary)) }
  }

  // MARK: - Finding

  /// The places of the entries that a query fits best, none or several.
  func places(fitting query: String, onlyCodes: Bool) -> [Int] {
    // A zero ends a text here, so that no query reaches into the next.
    guard !query.isEmpty, !query.utf8.contains(0) else { return [] }
    func isWanted(_ place: Int) -> Bool { !onlyCodes || items[place].hasCode }
    if let id = UUID(query) {
      let hits = items.indices.filter { items[$0].id == id && isWanted($0) }
      if !hits.isEmpty { return hits }
    }
    let folded = TextMatch.folded(query)
    let hash = Self.hash(folded)
    for part in [Part.both, .name, .account] {
      let hashes = part == .both ? bothHashes : part == .name ? nameHashes : accountHashes
      var hits: [Int] = []
      for place in hashes.indices where hashes[place] == hash {
        if isWanted(place), isExact(folded, part, place) { hits.append(place) }
      }
      if !hits.isEmpty { return hits }
    }
    if let digits = TextMatch.idDigits(folded) {
      let hits = items.indices.filter { isWanted($0) && Base16.encode(items[$0].id.bytes).hasPrefix(digits) }
      if !hits.isEmpty { return hits }
    }
    return placesHolding(folded, isWanted)
  }

  private func isExact(_ folded: String, _ part: Part, _ place: Int) -> Bool {
    let item = items[place]
    return texts.withBytes { bytes in
      func text(_ range: Range<Int>) -> String {
        bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      }
      switch part {
      case .name: return utf8Equal(text(item.name), folded)
      case .account: return utf8Equal(text(item.account), folded)
      case .both: return utf8Equal(text(item.name) + ":" + text(item.account), folded)
      }
    }
  }

  // What begins with the query comes before what only holds it.
  private func placesHolding(_ folded: String, _ isWanted: (Int) -> Bool) -> [Int] {
    var (beginning, holding): ([Int], [Int]) = ([], [])
    var folded = folded
    texts.withBytes { (texts: RawSpan) -> Void in
      folded.withUTF8 { needle in
        blocks.forEach(mayHold: needle.span.bytes) { block in
          forEachPlace(in: block, of: texts, holding: needle) { place, isStart in
            guard isWanted(place) else { return }
            if isStart { beginning.append(place) }
            holding.append(place)
          }
        }
      }
    }
    return beginning.isEmpty ? holding : beginning
  }

  /// Calls `body` with each place of a run whose texts hold a query, and whether a name begins with it.
  private func forEachPlace(
    in block: Int, of texts: RawSpan, holding needle: UnsafeBufferPointer<UInt8>, _ body: (Int, Bool) -> Void
  ) {
    let places = places(in: block)
    let range = bytes(of: places)
    texts.withUnsafeBytes { texts in
      guard let base = texts.baseAddress else { return }
      var start = range.lowerBound
      while start < range.upperBound {
        let found = seif_find(base + start, range.upperBound - start, needle.baseAddress, needle.count)
        guard found >= 0 else { return }
        let place = self.place(of: start + found, in: places)
        // Without a zero in it the query lies in one text.
        body(place, start + found == items[place].name.lowerBound)
        start = items[place].account.upperBound
      }
    }
  }

  private func places(in block: Int) -> Range<Int> {
    let start = block * TextBlocks.entryCount
    return start..<min(start + TextBlocks.entryCount, items.count)
  }

  private func bytes(of places: Range<Int>) -> Range<Int> {
    items[places.lowerBound].name.lowerBound..<items[places.upperBound - 1].account.upperBound
  }

  private mutating func addBlocks() {
    for block in 0..<(items.count + TextBlocks.entryCount - 1) / TextBlocks.entryCount {
      let range = bytes(of: places(in: block))
      texts.withBytes { blocks.add($0.extracting(range)) }
    }
  }

  /// The item whose texts hold an offset.
  private func place(of offset: Int, in places: Range<Int>) -> Int {
    var (low, high) = (places.lowerBound, places.upperBound - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if items[middle].name.lowerBound <= offset { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
