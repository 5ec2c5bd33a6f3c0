internal import SeifBackups
internal import SeifBytes

/// What a process without the network asks of one that has it, and what that answers: a line of JSON, then bytes. Both are
/// of one build, so there is no version; each is read strictly all the same.
struct HelperRequest {
  enum Verb: String { case describe, check, list, upload, download, delete }
  var verb: Verb
  /// The name of an upload, the identifier of a download or a deletion.
  var subject = ""
  /// Most bytes of a download.
  var limit = 0
  var settings: TransportSettings
  /// The file of an upload.
  var content = SecretValue.empty

  init(_ verb: Verb, subject: String = "", limit: Int = 0, settings: TransportSettings, content: SecretValue = .empty) {
    self.verb = verb
    self.subject = subject
    self.limit = limit
    self.settings = settings
    self.content = content
  }

  var message: SecretValue {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("conditional")
    writer.bool(settings.createsConditionally)
    writer.key("kind")
    writer.string(settings.kind)
    writer.key("limit")
    writer.integer(Int64(limit))
    writer.key("name")
    writer.string(settings.name)
    settings.writeSecrets(&writer)
    writer.key("subject")
    writer.string(subject)
    settings.writeValues(&writer)
    writer.key("verb")
    writer.string(verb.rawValue)
    writer.endObject()
    return HelperLine.message(writer.finish(), content)
  }

  /// Nil: it isn't one.
  init?(_ message: SecretValue) {
    guard let (line, content) = HelperLine.parts(message),
      let root = try? JSONDocument(parsing: line, policy: .strict).root,
      let verb = root["verb"]?.string.flatMap(Verb.init), let subject = root["subject"]?.string,
      let limit = root["limit"]?.int64.flatMap({ Int(exactly: $0) }), limit >= 0, let kind = root["kind"]?.string,
      let name = root["name"]?.string, let conditional = root["conditional"]?.bool,
      let values = root["values"], values.kind == .object, let secrets = root["secrets"], secrets.kind == .object
    else { return nil }
    var settings = TransportSettings(name: name, kind: kind, createsConditionally: conditional)
    for member in values.members {
      guard let text = member.value.string else { return nil }
      settings.values[member.key.text] = text
    }
    for member in secrets.members {
      guard let bytes = member.value.withString({ try? Base64.decode($0) }) ?? nil else { return nil }
      settings.secrets[member.key.text] = bytes
    }
    self.init(verb, subject: subject, limit: limit, settings: settings, content: content)
  }
}

/// An answer: what the verb gives, or why not.
enum HelperAnswer {
  /// What a transport says of itself.
  struct Description: Equatable {
    var id: String
    var displayName: String
    var place: String
    var fixedName: String?
    var requiresAuthentication: Bool
    var supportsAutomaticRestore: Bool
    var createsConditionally: Bool
  }
  case description(Description)
  case files([BackupDescriptor])
  case content(SecretValue)
  case done
  case failed(TransportError)

  var message: SecretValue {
    var writer = JSONWriter()
    var content = SecretValue.empty
    writer.beginObject()
    switch self {
    case .description(let description):
      writer.key("conditional")
      writer.bool(description.createsConditionally)
      writer.key("displayName")
      writer.string(description.displayName)
      if let name = description.fixedName {
        writer.key("fixedName")
        writer.string(name)
      }
      writer.key("id")
      writer.string(description.id)
      writer.key("place")
      writer.string(description.place)
      writer.key("restores")
      writer.bool(description.supportsAutomaticRestore)
      writer.key("secret")
      writer.bool(description.requiresAuthentication)
    case .files(let files):
      writer.key("files")
      writer.beginArray()
      for file in files { Self.write(file, &writer) }
      writer.endArray()
    case .content(let bytes):
      writer.key("bytes")
      writer.integer(Int64(bytes.byteCount))
      content = bytes
    case .done:
      writer.key("done")
      writer.bool(true)
    case .failed(let error):
      writer.key("failed")
      writer.string(error.code.rawValue)
      writer.key("place")
      writer.string(error.place)
      writer.key("reason")
      writer.string(error.reason)
    }
    writer.endObject()
    return HelperLine.message(writer.finish(), content)
  }

  private static func write(_ file: BackupDescriptor, _ writer: inout JSONWriter) {
    writer.beginObject()
    if let count = file.byteCount {
      writer.key("bytes")
      writer.integer(Int64(count))
    }
    writer.key("id")
    writer.string(file.id)
    writer.key("name")
    writer.string(file.name)
    writer.endObject()
  }

  /// Nil: it isn't one.
  init?(_ message: SecretValue) {
    guard let (line, content) = HelperLine.parts(message),
      let root = try? JSONDocument(parsing: line, policy: .strict).root
    else { return nil }
    if let code = root["failed"]?.string {
      guard let code = TransportError.Code(rawValue: code) else { return nil }
      self = .failed(TransportError(code, place: root["place"]?.string ?? "", reason: root["reason"]?.string ?? ""))
    } else if root["done"]?.bool == true {
      self = .done
    } else if let count = root["bytes"]?.int64 {
      guard count == Int64(content.byteCount) else { return nil }
      self = .content(content)
    } else if let list = root["files"] {
      var files: [BackupDescriptor] = []
      for file in list.elements {
        guard let id = file["id"]?.string, let name = file["name"]?.string else { return nil }
        files.append(
          BackupDescriptor(id: id, name: name, byteCount: file["bytes"]?.int64.flatMap { Int(exactly: $0) }))
      }
      self = .files(files)
    } else {
      guard let id = root["id"]?.string, let displayName = root["displayName"]?.string,
        let place = root["place"]?.string, let conditional = root["conditional"]?.bool,
        let restores = root["restores"]?.bool, let secret = root["secret"]?.bool
      else { return nil }
      self = .description(
        Description(
          id: id, displayName: displayName, place: place, fixedName: root["fixedName"]?.string,
          requiresAuthentication: secret, supportsAutomaticRestore: restores, createsConditionally: conditional))
    }
  }
}

/// A line of JSON, which holds no line feed, and bytes after it.
enum HelperLine {
  static func message(_ line: SecretValue, _ content: SecretValue) -> SecretValue {
    var buffer = SecretBuffer(capacity: line.byteCount + content.byteCount + 1)
    buffer.append(line)
    buffer.append(0x0A)
    buffer.append(content)
    return buffer.finish()
  }

  static func parts(_ message: SecretValue) -> (line: SecretValue, content: SecretValue)? {
    message.withBytes { bytes in
      guard let end = bytes.withUnsafeBytes({ $0.firstIndex(of: 0x0A) }) else { return nil }
      return (
        SecretValue(copying: bytes.extracting(0..<end)),
        SecretValue(copying: bytes.extracting((end + 1)..<bytes.byteCount))
      )
    }
  }
}
