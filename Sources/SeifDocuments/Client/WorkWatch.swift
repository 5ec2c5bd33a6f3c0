/// How a long piece of work tells how far it is, and learns that it shall end.
///
/// Both are called between pieces of at most 1 MiB, on the thread that does the work. Work that is ended leaves every
/// document and file as before or as after; what was done before stays done.
package struct WorkWatch {
  /// How far the work is.
  package struct Progress: Sendable, Equatable {
    /// Documents done, and how many there are.
    package var documents: (done: Int, of: Int)
    /// Bytes done, and how many there are.
    package var bytes: (done: Int, of: Int)

    package static func == (left: Progress, right: Progress) -> Bool {
      left.documents == right.documents && left.bytes == right.bytes
    }
  }

  private let report: (Progress) -> Void
  private let isCancelled: () -> Bool

  /// - Parameters:
  ///   - report: how far it is; not more often than once a piece.
  ///   - isCancelled: whether the person wants it to end; asked often, so it must be quick.
  package init(report: @escaping (Progress) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }) {
    self.report = report
    self.isCancelled = isCancelled
  }

  func say(_ progress: Progress) { report(progress) }

  var wantsEnd: Bool { isCancelled() }

  func check(_ place: String) throws(DocumentError) {
    if isCancelled() { throw DocumentError(.cancelled, place: place) }
  }
}

/// Counts work for a watch.
final class WorkMeter {
  private let watch: WorkWatch
  private var progress: WorkWatch.Progress

  init(_ watch: WorkWatch, documents: Int, bytes: Int) {
    self.watch = watch
    progress = WorkWatch.Progress(documents: (0, documents), bytes: (0, bytes))
  }

  func add(bytes: Int) {
    progress.bytes.done += bytes
    watch.say(progress)
  }

  func addDocument() {
    progress.documents.done += 1
    watch.say(progress)
  }

  /// After a document whose bytes didn't all pass.
  func set(bytes: Int) { progress.bytes.done = bytes }
  var bytes: Int { progress.bytes.done }

  func check(_ place: String) throws(DocumentError) { try watch.check(place) }
  var wantsEnd: Bool { watch.wantsEnd }
}
