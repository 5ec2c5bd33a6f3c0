import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import SeifNetworkTransports
import SeifTestSupport
import SeifTransportTesting
import Testing

@testable import SeifTransports

/// Every fault over every transport, on real servers; each fault has a folder of its own there.
@Suite struct HostilePlacesTests {
  private static let registry = TransportRegistry(LocalTransports.kinds + NetworkTransports.kinds)

  private func tryAll(_ place: (String) throws -> any BackupTransport) throws {
    for (index, fault) in Faults.all.enumerated() {
      try HostileTrial(place("fault-\(index)")).run(fault)
    }
  }

  @Test func aFolderKeptInStepWithICloud() throws {
    let home = try Home()
    try tryAll { name in
      _ = try home.folder("\(name)/Documents")
      return try ICloudTransport(path: home.file(name))
    }
  }

  @Test func aProgramOfOnesOwn() throws {
    let home = try Home()
    let script = TestData.packageRoot.path + "/Examples/transports/folder.sh"
    try tryAll { name in
      try ExternalTransport(program: script, argument: try home.folder(name), createsConditionally: true)
    }
  }

  @Test func aServerOfSFTP() throws {
    let server = try SSHServer()
    try tryAll { name in
      mkdir("\(server.backups)/\(name)", 0o700)
      return try SFTPTransport(
        SSHCommand(host: SSHServer.host, configFile: server.configFile), folder: "\(server.backups)/\(name)",
        createsConditionally: true)
    }
  }

  private static func webDAV(_ url: String, conditional: Bool) throws -> any BackupTransport {
    try registry.transport(
      TransportSettings(
        name: "dav", kind: "webdav",
        values: ["url": url, "user": ApacheDAV.user, "allow-http": "yes"],
        secrets: ["password": SecretValue(utf8: ApacheDAV.password)], createsConditionally: conditional))
  }

  @Test(arguments: [true, false]) func apachesWebDAV(conditional: Bool) throws {
    let server = try ApacheDAV()
    try tryAll { name in try Self.webDAV(server.makeFolder(name), conditional: conditional) }
  }

  @Test func bucketsThatRefuseToOverwrite() throws {
    let server = try MotoS3()
    try tryAll { name in
      try Self.registry.transport(server.settings(prefix: "\(name)/", createsConditionally: true))
    }
  }

  // Each fault has a storage of its own: that of another client.
  @Test func googleDrive() throws {
    let standIn = try CloudStandIn()
    try tryAll { name in try Self.registry.transport(standIn.googleDrive(client: name)) }
  }

  @Test func dropbox() throws {
    let standIn = try CloudStandIn()
    try tryAll { name in try Self.registry.transport(standIn.dropbox(app: name)) }
  }

  @Test func bucketsThatDont() throws {
    let server = try RcloneS3()
    try tryAll { name in try Self.registry.transport(server.settings(prefix: "\(name)/")) }
  }
}
