internal import SeifBackups
internal import SeifBytes

/// The documents that services answer with: strict JSON, bounded before it is read.
enum CloudDocument {
  /// Most bytes of one: a part of a listing, with names of 1,024 bytes, each byte escaped, and what is said of them.
  static let maximumByteCount = 16 << 20

  /// Why a document can't be used, in words without its contents.
  struct Fault: Error, Equatable {
    var words: String
  }

  /// The object that a body is.
  /// - Parameter valueCount: most values in it.
  static func object(_ body: SecretValue, of service: String, valueCount: Int) throws(Fault) -> JSONValue {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONDocument(
        parsing: body,
        policy: JSONPolicy(
          isStrict: true, maximumByteCount: maximumByteCount, maximumDepth: 16, maximumValueCount: valueCount)
      ).root
    } catch {
      throw Fault(words: "it isn't JSON: \(error)")
    }
    guard root.kind == .object else { throw Fault(words: "it isn't a document of \(service)") }
    return root
  }

  /// What a document says, or that it can't be used.
  static func read<T>(_ place: String, _ body: () throws(Fault) -> T) throws(TransportError) -> T {
    do throws(Fault) {
      return try body()
    } catch {
      throw TransportError(.badAnswer, place: place, reason: error.words)
    }
  }
}

extension TransportError {
  /// A refusal whose code says nothing that is known.
  /// - Parameter told: the code, where it can be shown.
  init(refusal status: Int, told: String?, place: String) {
    let code: Code =
      switch status {
      case 200..<300: .badAnswer
      case 300..<400: .redirected
      case 401: .unauthorized
      case 403: .noPermission
      case 404, 410: .notFound
      case 408: .timedOut
      case 413: .tooLarge
      case 429, 503: .busy
      case 500..<600: .unavailable
      default: .failed
      }
    self.init(code, place: place, reason: "status \(status)" + (told.map { ", \($0)" } ?? ""))
  }
}
