package import SeifBytes
internal import SeifDocumentFormat

/// What is wrong with a document vault.
package struct DocumentDoctorReport: Sendable {
  /// The revision that was looked at.
  package var revision = 0
  /// Documents whose object isn't there.
  package var missing: [UUID] = []
  /// Documents whose object doesn't open, or has a length that no sealed document has.
  package var damaged: [UUID] = []
  /// Objects that no node names.
  package var orphans: [ObjectEntry] = []
  /// Those of them that may be removed now.
  package var removable: [ObjectEntry] = []
  /// What is odd about the ways in.
  package var keyWraps = KeyWrapDifferences()
  package var rollback: Rollback?
}

extension DocumentVaultClient {
  /// Looks for objects that are missing, damaged or unnamed, and notes which are unnamed: a later look may then remove
  /// them.
  ///
  /// - Parameter opens: whether each document is opened, not only looked for.
  package func doctor(opens: Bool, watch: WorkWatch = WorkWatch()) throws(DocumentError) -> DocumentDoctorReport {
    try refresh()
    var report = DocumentDoctorReport()
    report.rollback = rollback
    report.revision = stored?.revision ?? 0
    report.keyWraps = try keyWrapDifferences()
    let listed = try store.allObjects()
    let lengths = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0.byteCount) })
    let files = manifest.nodes.compactMap { node in node.id.map { (node: node, id: $0) } }.filter {
      $0.node.objectID != nil
    }
    let meter = WorkMeter(
      watch, documents: files.count, bytes: opens ? files.reduce(0) { $0 &+ ($1.node.size ?? 0) } : 0)
    for (node, id) in files {
      try meter.check(store.place)
      guard let object = node.objectID, let length = lengths[object] else {
        report.missing.append(id)
        continue
      }
      if !opens {
        let isPossible = (DocumentLimits.sealedOverhead...DocumentLimits.objectByteCount).contains(length)
        if !isPossible || node.fileKey == nil { report.damaged.append(id) }
      } else if try !opensWhole(node, object, length, meter) {
        report.damaged.append(id)
      }
      meter.addDocument()
    }
    guard rollback == nil else { return report }
    let named = manifest.objectIDs
    report.orphans = listed.filter { !named.contains($0.id) }
    let (time, revision) = (now(), report.revision)
    try state.note(report.orphans.map { ($0.id, .unnamed(revision: revision, time: time.milliseconds)) })
    let notes = try state.objectNotes()
    report.removable = report.orphans.filter { notes.mayRemove($0.id, revision: revision, now: time) }
    return report
  }

  private func opensWhole(
    _ node: ManifestNode, _ object: UUID, _ length: Int, _ meter: WorkMeter
  ) throws(DocumentError) -> Bool {
    do throws(DocumentError) {
      var opener = try OpeningObject(node.fileKey, byteCount: length, place: place(object))
      try store.readObject(object, range: nil) { (piece) throws(DocumentError) in
        try meter.check(store.place)
        try opener.take(piece) { meter.add(bytes: $0.byteCount) }
      }
      try opener.finish()
      return true
    } catch {
      guard [.damaged, .tooLarge, .notFound].contains(error.code) else { throw error }
      return false
    }
  }

  /// Removes what a report says may be removed, on the person's word to its count and bytes. The store keeps it for 30
  /// days.
  ///
  /// - Returns: what was removed: fewer where a manifest that came meanwhile names one.
  /// - Throws: `rollback`; `conflict` where the manifest isn't the one of the report.
  package func removeOrphans(_ report: DocumentDoctorReport) throws(DocumentError) -> [ObjectEntry] {
    try refresh()
    try requireWritable()
    guard stored?.revision ?? 0 == report.revision else {
      throw DocumentError(.conflict, place: store.place, current: stored?.tag)
    }
    let named = manifest.objectIDs
    let notes = try state.objectNotes()
    var removed: [ObjectEntry] = []
    for entry in report.removable {
      guard !named.contains(entry.id), notes.mayRemove(entry.id, revision: report.revision, now: now()) else {
        continue
      }
      try store.deleteObject(entry.id)
      removed.append(entry)
    }
    return removed
  }
}
