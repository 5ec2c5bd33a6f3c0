internal import SeifBytes
internal import SeifRecords

extension EntryInfo {
  /// What is set beside the fields that make an entry work, by the names of the files; for formats that hold none of it.
  var filledFields: [String] {
    [
      id == nil ? nil : "id", createdAt == nil ? nil : "createdAt", isFavorite ? "isFavorite" : nil,
      sortIndex == nil ? nil : "sortIndex", notes.isEmpty ? nil : "notes",
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
