internal import CSeif
internal import Glibc
package import SeifBytes

/// What both sides say first: which protocol, and which build of Seif speaks it.
///
/// These bytes stay as they are in every version: `SEIF` ‖ protocol (4) ‖ lp(version) ‖ lp(build) ‖ process (8). So does
/// the message of one byte ``end``, by which a client asks an agent of another build to lock all and end.
package struct Hello: Sendable, Equatable {
  /// The protocol of docs/agent.md.
  package static let protocolVersion = 1
  /// The whole of the message that asks an agent to lock all and end.
  package static let end: UInt8 = 0xE0

  package var protocolVersion: Int
  /// `0.1.0`.
  package var version: String
  /// What tells one build from another.
  package var build: String
  /// The process that says it.
  package var process: Int64

  package init(version: String, build: String, protocolVersion: Int = Hello.protocolVersion, process: Int64 = 0) {
    self.protocolVersion = protocolVersion
    self.version = version
    self.build = build
    self.process = process
  }

  /// Of this process. An executable stands for its build: place, length and time of the file.
  package static func own(version: String) -> Hello {
    var status = stat()
    guard stat(SeifProgram.build, &status) == 0 else { return Hello(version: version, build: "unknown") }
    let build =
      "\(status.st_dev):\(status.st_ino):\(status.st_size):\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    return Hello(version: version, build: build, process: Int64(getpid()))
  }

  /// Whether both are of one build, so that each understands all of the other.
  package func isSameBuild(as other: Hello) -> Bool {
    protocolVersion == other.protocolVersion && utf8Equal(version, other.version) && utf8Equal(build, other.build)
  }

  package var payload: SecretValue {
    var writer = WireWriter()
    for byte in "SEIF".utf8 { writer.byte(byte) }
    writer.count(protocolVersion)
    writer.text(version)
    writer.text(build)
    writer.number(process)
    return writer.finish()
  }

  package init(_ payload: SecretValue) throws(AgentRefusal) {
    var reader = WireReader(payload)
    for byte in "SEIF".utf8 where try reader.byte() != byte { throw AgentRefusal(.badMessage, "hello") }
    protocolVersion = try reader.count()
    version = try reader.text()
    build = try reader.text()
    process = try reader.number()
    // A later version may say more.
  }
}
