/// Why a transport didn't do what it was asked.
public struct TransportError: Error, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case notFound, exists, noPermission, notAFolder, full, readOnly, tooLarge, unavailable, failed
    /// Settings of the destination can't be used.
    case badSettings
    /// The place refuses who asks.
    case unauthorized
    /// Somebody else holds it for the moment.
    case locked
    /// Too many requests, or the server has a break.
    case busy
    case timedOut
    /// The server can't be trusted to be the one that is meant.
    case certificate
    /// It leads elsewhere, where credentials don't go.
    case redirected
    /// Fewer bytes than announced came or stayed.
    case incomplete
    /// An answer that the protocol doesn't have, such as a page for people in place of data.
    case badAnswer
    /// The file is known and its bytes aren't here yet.
    case notDownloaded
    /// Several files have this name.
    case ambiguous
    /// The place gave the file another name, or doesn't list it.
    case misplaced
  }
  /// What failed.
  public var code: Code
  /// The file or folder, as the person knows it.
  public var place: String
  /// What the system said, in its own words; never contents.
  public var reason: String
  /// The setting that can't be used, where it is one's fault.
  public var field: String?

  /// A failure.
  public init(_ code: Code, place: String, reason: String = "", field: String? = nil) {
    self.code = code
    self.place = place
    self.reason = reason
    self.field = field
  }

  public static func == (left: TransportError, right: TransportError) -> Bool { left.code == right.code }

  public var description: String {
    let what = code.words(for: place)
    return reason.isEmpty ? what : "\(what) (\(reason))"
  }
}

extension TransportError.Code {
  /// Whether the same request may do better in a moment, so that it is sent again over HTTP.
  public var isRetried: Bool {
    switch self {
    case .busy, .timedOut, .unavailable: true
    default: false
    }
  }

  func words(for place: String) -> String {
    switch self {
    case .notFound: "\(place) isn't there"
    case .exists: "\(place) exists already"
    case .noPermission: "there is no permission for \(place)"
    case .notAFolder: "\(place) isn't a folder"
    case .full: "there is no space left for \(place)"
    case .readOnly: "\(place) can't be written to: the file system is read-only"
    case .tooLarge: "\(place) is larger than a backup may be"
    case .unavailable: "\(place) can't be reached"
    case .failed: "\(place) couldn't be read or written"
    case .badSettings: "the settings of \(place) can't be used"
    case .unauthorized: "\(place) refuses the credentials"
    case .locked: "\(place) is locked by somebody else"
    case .busy: "\(place) has no time for requests now"
    case .timedOut: "\(place) didn't answer in time"
    case .certificate: "\(place) can't be trusted to be the one that is meant"
    case .redirected: "\(place) leads elsewhere"
    case .incomplete: "\(place) is incomplete"
    case .badAnswer: "\(place) gave an answer that isn't of its protocol"
    case .notDownloaded: "\(place) isn't downloaded yet"
    case .ambiguous: "\(place) stands for several files"
    case .misplaced: "\(place) isn't stored under its name"
    }
  }
}
