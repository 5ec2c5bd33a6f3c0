import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTransportTesting

@testable import SeifNetworkTransports

/// Makes transports as the registry does, but for the waiting.
func googleDrive(_ settings: TransportSettings, time: NoTime = NoTime()) throws(TransportError) -> GoogleDriveTransport
{
  let (client, quick) = try GoogleDriveTransport.clients(settings, time: time.time)
  return try GoogleDriveTransport(settings, client: client, quickClient: quick)
}

func dropbox(_ settings: TransportSettings, time: NoTime = NoTime()) throws(TransportError) -> DropboxTransport {
  let quick = try DropboxTransport.quickClient(settings)
  return try DropboxTransport(settings, client: RetryingClient(quick, time: time.time), quickClient: quick)
}

/// Which of the two.
enum CloudService: String, Sendable, CaseIterable {
  case googleDrive, dropbox

  func settings(_ standIn: CloudStandIn, port: UInt16? = nil) -> TransportSettings {
    switch self {
    case .googleDrive: standIn.googleDrive(port: port)
    case .dropbox: standIn.dropbox(port: port)
    }
  }

  func transport(
    _ standIn: CloudStandIn, port: UInt16? = nil, time: NoTime = NoTime(),
    _ change: (inout TransportSettings) -> Void = { _ in }
  ) throws(TransportError) -> any BackupTransport {
    var settings = settings(standIn, port: port)
    change(&settings)
    switch self {
    case .googleDrive: return try SeifNetworkTransportsTests.googleDrive(settings, time: time)
    case .dropbox: return try SeifNetworkTransportsTests.dropbox(settings, time: time)
    }
  }

  /// Where it is asked for its list.
  var listing: String { self == .googleDrive ? "GET /drive/v3/files" : "POST /2/files/list_folder" }
  var upload: String { self == .googleDrive ? "POST /upload/drive/v3/files" : "POST /2/files/upload" }
  var download: String { self == .googleDrive ? "GET /drive/v3/files/1" : "POST /2/files/download" }
}

extension CloudStandIn {
  /// Has the next requests that begin so answered by something else.
  func script(
    _ match: String, _ status: Int, _ body: String = "", headers: String = "{}", times: Int = 1, isDone: Bool = false
  ) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("script")
    writer.beginArray()
    writer.beginObject()
    writer.key("match")
    writer.string(match)
    writer.key("status")
    writer.integer(Int64(status))
    writer.key("body")
    writer.string(body)
    writer.key("headers")
    writer.raw(SecretValue(utf8: headers))
    writer.key("times")
    writer.integer(Int64(times))
    writer.key("do")
    writer.bool(isDone)
    writer.key("drop")
    // No status at all: the connection ends without an answer.
    writer.bool(status == 0)
    writer.endObject()
    writer.endArray()
    writer.endObject()
    try control(writer.finish().exposedText() ?? "")
  }
}
