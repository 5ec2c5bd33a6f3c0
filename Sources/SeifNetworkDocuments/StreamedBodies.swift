internal import SeifDocuments
internal import SeifHTTP

/// A sealed document on its way to a server. Used by the one thread that sends it.
final class PulledBody: HTTPBodySource, @unchecked Sendable {
  private let source: ObjectSource
  private let place: String
  private var sent = 0
  /// Why it ended early.
  private(set) var failure: DocumentError?

  init(_ source: ObjectSource, place: String) {
    self.source = source
    self.place = place
  }

  var byteCount: Int { source.byteCount }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    do throws(DocumentError) {
      let count = try source.read(into: buffer)
      sent += count
      // More than was announced is none of this request; less is a file that became shorter.
      guard sent <= source.byteCount, count > 0 || sent == source.byteCount else {
        throw DocumentError(.sourceChanged, place: place)
      }
      return count
    } catch {
      failure = error
      return nil
    }
  }
}

/// A sealed document on its way from a server. Used by the one thread that asks for it, while that waits.
final class PushedBody: HTTPBodySink, @unchecked Sendable {
  private var body: ((RawSpan) throws(DocumentError) -> Void)?
  private var failure: DocumentError?

  init(_ body: @escaping (RawSpan) throws(DocumentError) -> Void) { self.body = body }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let body, failure == nil else { return false }
    do throws(DocumentError) {
      try body(bytes.bytes)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Takes nothing more; why it stopped.
  func end() -> DocumentError? {
    body = nil
    return failure
  }
}
