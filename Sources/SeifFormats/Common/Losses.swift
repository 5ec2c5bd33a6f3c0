internal import SeifBytes
internal import SeifRecords

extension EntryInfo {
  /// What is set beside the fields that make an entry work, by the names of the files; for formats that hold none of it.
  ///
  /// The identifier isn't among them: it is bookkeeping, and a reader makes another.
  ///
  /// - Parameter keepsOrder: whether the entries are written in the person's own order, so that it isn't lost with its
  ///   numbers.
  func filledFields(keepsOrder: Bool) -> [String] {
    [
      createdAt == nil ? nil : "createdAt", isFavorite ? "isFavorite" : nil,
      sortIndex == nil || keepsOrder ? nil : "sortIndex", notes.isEmpty ? nil : "notes",
    ].compactMap { $0 } + filledAdditions
  }

  /// What is set of the fields that `.authbackup` alone has.
  var filledAdditions: [String] {
    [
      tags.isEmpty ? nil : "tags", urls.isEmpty ? nil : "urls", exactHost ? "exactHost" : nil,
      customFields.isEmpty ? nil : "customFields",
    ].compactMap { $0 }
  }
}

extension Sequence where Element == EntryInfo {
  /// Whether these stand in the person's own order, so that the order outlives `sortIndex`.
  var areInOrder: Bool {
    var last = Int64.min
    for (position, info) in enumerated() {
      let place = info.sortIndex ?? Int64(position)
      if place < last { return false }
      last = place
    }
    return true
  }
}

extension Records {
  /// The losses of a format that holds entries of one kind alone: every other kind, the members at the top, and unless
  /// they are kept the entries that can't be used, counted on from those that can.
  func lossesOutside(_ kept: RecordKind, keepsUnusable: Bool, keepsOpaque: Bool = false) -> [Loss] {
    var losses: [Loss] = []
    for kind in RecordKind.allCases {
      if kind != kept { losses += kind.allLost(in: self) }
      if kind != kept || !keepsUnusable { losses += unusableLost(kind) }
    }
    if !keepsOpaque { losses += opaque.map { Loss(kind: kept, field: $0.key) } }
    return losses
  }

  /// A loss for each entry of a kind that can't be used.
  func unusableLost(_ kind: RecordKind) -> [Loss] {
    let first = count(of: kind)
    return unusable.filter { $0.kind == kind }.indices.map { Loss(kind: kind, index: first + $0) }
  }
}

extension JSONWriter {
  /// The text with a line feed behind it, as files of text end.
  consuming func finishWithLineFeed() -> SecretValue {
    let text = finish()
    var buffer = SecretBuffer(capacity: text.byteCount + 1)
    buffer.append(text)
    buffer.append(0x0A)
    return buffer.finish()
  }
}
