internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifNetworkTransports
internal import SeifTransports

/// A file to a destination and back, by what moves backups.
struct TransportBench {
  let transport: any BackupTransport

  /// - Parameters:
  ///   - settings: `FIELD=VALUE` each.
  ///   - secret: of the field that is secret.
  init(kind: String, settings: [String], secret: String) throws {
    let registry = TransportRegistry(LocalTransports.kinds + NetworkTransports.kinds)
    guard let found = registry[kind] else { throw BenchFailure(what: "no transport \(kind)") }
    var values = TransportSettings(name: "bench", kind: kind, createsConditionally: false)
    for setting in settings {
      let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw BenchFailure(what: setting) }
      values.values[parts[0]] = parts[1]
    }
    for field in found.fields where field.isSecret { values.secrets[field.name] = SecretValue(utf8: secret) }
    transport = try registry.transport(values)
  }

  func run(megabytes: Int, rounds: Int) throws {
    let content = SecretValue(RandomSource.system.makeBytes(megabytes << 20))
    for round in 0..<rounds {
      var stored: BackupDescriptor?
      let name = "seif-backup-20260101T000000Z-\(round).authbackup"
      print("stored", try measureSeconds { stored = try transport.upload(content, name: name) })
      guard let stored else { throw BenchFailure(what: "nothing stored") }
      var back: SecretValue?
      print("fetched", try measureSeconds { back = try transport.download(id: stored.id, limit: content.byteCount) })
      guard back == content else { throw BenchFailure(what: "other bytes came back") }
      try transport.delete(id: stored.id)
    }
  }
}
