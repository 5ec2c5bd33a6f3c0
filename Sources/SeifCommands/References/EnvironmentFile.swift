internal import SeifCommandLine
internal import Glibc
internal import SeifBytes

/// A file of variables, `KEY=VALUE` a line, for `seif run --env-file`. docs/references.md has the grammar.
enum EnvironmentFile {
  static let byteLimit = 1 << 20
  static let lineLimit = 4096

  /// The variables in the file's order, values as they stand there.
  /// - Throws: exit 65 with the line, never with what stands in it; 66 where there is no file.
  static func read(_ path: String, _ context: Context) throws(CommandFailure) -> [(name: String, value: SecretValue)] {
    let text = try InputFile.read(path, context, byteLimit: byteLimit)
    return try text.withBytes { (bytes) throws(CommandFailure) in
      try bytes.withUnsafeBytes { (buffer) throws(CommandFailure) in try parse(buffer, path) }
    }
  }

  private static func parse(
    _ bytes: UnsafeRawBufferPointer, _ path: String
  ) throws(CommandFailure) -> [(name: String, value: SecretValue)] {
    var variables: [(name: String, value: SecretValue)] = []
    var names: Set<String> = []
    var number = 0
    var start = 0
    while start < bytes.count {
      number += 1
      guard number <= lineLimit else {
        throw CommandFailure(.badInput, "\(path) has more than \(lineLimit) lines", hint: "Nothing was started.")
      }
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      var line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      start = end + 1
      if line.last == 0x0D { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
      guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }), first != UInt8(ascii: "#") else { continue }
      func fault(_ what: String) -> CommandFailure {
        CommandFailure(.badInput, "\(path), line \(number): \(what)", hint: "Nothing was started.")
      }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { throw fault("a line is KEY=VALUE") }
      let name = String(decoding: line[..<equals], as: UTF8.self)
      guard isName(name) else { throw fault("a key is letters, digits and _, without spaces around it") }
      guard names.insert(name).inserted else { throw fault("\(name) stands here a second time") }
      var value = UnsafeRawBufferPointer(rebasing: line[(equals + 1)...])
      if let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
        guard value.count >= 2, value.last == quote, !value.dropFirst().dropLast().contains(quote) else {
          throw fault("a value that begins with a quote ends with it and has no other")
        }
        value = UnsafeRawBufferPointer(rebasing: value.dropFirst().dropLast())
      }
      guard !value.contains(0) else { throw fault("a value can't hold a zero byte") }
      variables.append((name, SecretValue(copying: value.bytes)))
    }
    return variables
  }

  static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }
  }
}
