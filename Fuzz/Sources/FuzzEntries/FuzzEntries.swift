import SeifBytes
import SeifRecords

/// Entries of any list: nothing vanishes, what is written is read again as the same, and merging twice changes nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = SecretValue([UInt8](UnsafeBufferPointer(start: start, count: count)))
  guard let document = try? JSONDocument(parsing: bytes, policy: .strict), document.root.kind == .array else {
    return 0
  }
  let total = document.root.elements.reduce(0) { count, _ in count + 1 }
  for kind in RecordKind.allCases {
    let first = decode(kind, document)
    guard first.count(of: kind) + first.unusable.count == total else { fatalError("an entry vanished") }
    let text = encode(kind, first)
    guard let reread = try? JSONDocument(parsing: text, policy: .strict) else { fatalError("written entries refused") }
    let second = decode(kind, reread)
    guard second.count(of: kind) == first.count(of: kind), encode(kind, second) == text else {
      fatalError("what is written is read as something else")
    }
    merge(second)
  }
  return 0
}

private func decode(_ kind: RecordKind, _ document: JSONDocument) -> Records {
  var records = Records()
  var problems: [EntryProblem] = []
  EntryDecoding.decode(kind, from: document.root, into: &records, problems: &problems)
  return records
}

private func encode(_ kind: RecordKind, _ records: Records) -> SecretValue {
  var writer = JSONWriter()
  EntryEncoding.encode(kind, of: records, into: &writer)
  return writer.finish()
}

private func merge(_ records: Records) {
  let stored = records.entries.enumerated().compactMap { index, entry -> (id: UUID, entry: Entry)? in
    var bytes = [UInt8](repeating: 0, count: 16)
    (bytes[14], bytes[15]) = (UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index))
    return UUID(bytes: bytes).map { ($0, entry) }
  }
  let plan = MergePlan(existing: stored, existingUnusable: records.unusable, incoming: records)
  let changed = plan.count { if case .same = $0 { false } else { true } }
  guard changed == 0, plan.unusable.isEmpty else { fatalError("merging a file with itself changes something") }
}
