package import SeifCommandLine
internal import CSeif
internal import Glibc
package import SeifBytes

/// Reads whole inputs into memory, within a limit.
package enum InputFile {
  /// The largest input that is read: 64 MiB.
  package static let byteLimit = 64 * 1024 * 1024

  /// The bytes of a file or pipe; `-` is standard input.
  /// - Parameter onlyFile: nothing but a file is read, so that nothing is waited for.
  /// - Throws: exit 66 where there is no such file, it is a folder or mayn't be read; 65 above the limit; 74 where reading
  ///   fails.
  package static func read(
    _ path: String, _ context: Context, byteLimit: Int = byteLimit, onlyFile: Bool = false
  ) throws(CommandFailure) -> SecretValue {
    if path == "-" {
      try context.claim(descriptor: 0)
      if isatty(context.inputDescriptor) == 1 {
        let isHidden = context.hiddenInput.attributesBefore != nil
        context.talk.say("Reading from the terminal\(isHidden ? ", not shown" : ""); end with Ctrl-D.")
      }
      return try readAll(context.inputDescriptor, name: "standard input", byteLimit: byteLimit)
    }
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (onlyFile ? O_NONBLOCK : 0), 0)
    guard descriptor >= 0 else { throw notReadable(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw notReadable(path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw notReadable(path, EISDIR)
    case let kind where onlyFile && kind != S_IFREG:
      throw CommandFailure(.badInput, "\(path) isn't a file")
    case S_IFREG where status.st_size > byteLimit: throw tooLarge(path, byteLimit)
    default: break
    }
    return try readAll(descriptor, name: path, byteLimit: byteLimit, expected: Int(status.st_size))
  }

  private static func readAll(
    _ descriptor: Int32, name: String, byteLimit: Int, expected: Int = 0
  ) throws(CommandFailure) -> SecretValue {
    // One byte beyond the size shows the end without growing; a size that lies costs a copy, never memory.
    var bytes = [UInt8](repeating: 0, count: min(max(expected, 0), byteLimit) + 1)
    defer { wipe(&bytes) }
    var count = 0
    while true {
      if count == bytes.count {
        var larger = [UInt8](repeating: 0, count: min(max(2 * count, 64 * 1024), byteLimit + 1))
        larger.replaceSubrange(..<count, with: bytes)
        wipe(&bytes)
        bytes = larger
      }
      let result = bytes.withUnsafeMutableBytes { buffer in
        Descriptor.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      }
      if result < 0 {
        let code = Int32(truncatingIfNeeded: -result)
        if code == EISDIR { throw notReadable(name, code) }
        throw CommandFailure(.ioFailed, "\(name) can't be read: \(Descriptor.words(for: code))")
      }
      if result == 0 { return SecretValue(copying: bytes.span.bytes.extracting(first: count)) }
      count += result
      if count > byteLimit { throw tooLarge(name, byteLimit) }
    }
  }

  /// An input may be a backup in clear.
  private static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
  }

  private static func tooLarge(_ name: String, _ limit: Int) -> CommandFailure {
    let most = limit < 1 << 20 ? "\(limit / 1024) KB" : "\(limit / 1024 / 1024) MB"
    return CommandFailure(.badInput, "\(name) is larger than \(most), the most that is read")
  }

  static func notReadable(_ name: String, _ code: Int32) -> CommandFailure {
    switch code {
    case ENOENT: CommandFailure(.notFound, "there is no file \(name)", hint: "Check the name and the folder.")
    case EISDIR: CommandFailure(.notFound, "\(name) is a folder", hint: "Give the name of a file in it.")
    case EACCES, EPERM:
      CommandFailure(.notFound, "you may not read \(name)", hint: "Its owner can allow it: see ls -l.")
    default: CommandFailure(.notFound, "\(name) can't be opened: \(Descriptor.words(for: code))")
    }
  }
}
