internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifCommandLine
internal import SeifServer
internal import SeifServerCommands
internal import SeifServerStore

extension ServerRun {
  func backup(_ command: ServeBackupCommand) throws -> ExitCode {
    let folder = try ServerFolder(command.place.folder(environment))
    let (store, blobs) = (try folder.open(), try folder.blobs())
    guard mkdir(command.folder, 0o700) == 0 else {
      throw CommandFailure(
        .cannotCreate, "\(command.folder): \(String(cString: strerror(errno)))", hint: "Name a folder that isn't there."
      )
    }
    let progress = Progress(talk, "Copying")
    defer { progress.finish() }
    let count = try ServerCopy(store, blobs).run(
      database: command.folder + "/server.db", blobs: command.folder + "/blobs"
    ) { progress.update(done: $0, of: 0) }
    for name in [ServerKey.fileName, "origin"] {
      try Self.copy(folder.path + "/" + name, to: command.folder + "/" + name)
    }
    progress.finish()
    if command.output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-serve-backup", 1)
      writer.member("objects", count)
      writer.endObject()
      try output.writeLine(json: writer.finish())
    }
    talk.say(.ok, "\(command.folder) is a copy, with \(count) sealed document\(count == 1 ? "" : "s").")
    return .done
  }

  /// A small file of the server's folder, where it is there: mode 0600, durable.
  private static func copy(_ source: String, to target: String) throws(CommandFailure) {
    let from = seif_open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
    guard from >= 0 else { return }
    defer { close(from) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(from, &bytes, bytes.count)
    let to = seif_open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    defer { if to >= 0 { close(to) } }
    defer { bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } } }
    guard count >= 0, to >= 0, Descriptor.writeAll(bytes.span.bytes.extracting(0..<count), to: to) == 0, fsync(to) == 0
    else { throw CommandFailure(.ioFailed, "\(target): \(String(cString: strerror(errno)))") }
  }

  func check(_ command: ServeCheckCommand) throws -> ExitCode {
    let folder = try ServerFolder(command.place.folder(environment))
    let progress = Progress(talk, "Reading")
    defer { progress.finish() }
    let report = try ServerCheck(try folder.open(), try folder.blobs()).run(reads: !command.isQuick) {
      progress.update(done: $0, of: 0)
    }
    progress.finish()
    if command.output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-serve-check", 1)
      writer.member("checked", report.checked)
      writer.member("database", report.database)
      writer.member("missing", report.missing.map(\.description))
      writer.member("damaged", report.damaged.map(\.description))
      writer.member("unnamed", report.unnamed)
      writer.endObject()
      try output.writeLine(json: writer.finish())
    }
    for problem in report.database { talk.warn("the database: \(problem)") }
    for blob in report.missing { talk.warn("the sealed document \(blob) is missing") }
    for blob in report.damaged { talk.warn("the sealed document \(blob) isn't as it was stored") }
    let documents = "\(report.checked) sealed document\(report.checked == 1 ? "" : "s")"
    guard report.isWell else {
      talk.warn("what is missing or damaged is whole in a backup: seif help serve backup")
      return .checkFailed
    }
    talk.say(.ok, "\(documents) there, \(command.isQuick ? "by length" : "and each as it was stored").")
    return .done
  }
}
