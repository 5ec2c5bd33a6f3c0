internal import SeifCommandLine
internal import Glibc
internal import SeifBytes
internal import SeifImages
internal import SeifProcesses

/// The QR codes of a picture file, read by a process of its own that can open nothing.
enum PictureCodes {
  /// What each code holds, in the order they were found.
  /// - Throws: exit 66 where there is no such file; 65 where it is no picture, is damaged or too large, or has brought the
  ///   reading process down; 69 where a library isn't installed or the process can't be walled in.
  ///
  /// - Parameter name: what the picture is called where a person reads.
  static func read(_ file: SecretValue, named name: String) throws(CommandFailure) -> [SecretValue] {
    // The program itself, also where its file has been replaced meanwhile.
    guard let child = ChildProcess("/proc/self/exe", [PictureReader.argument]) else {
      throw CommandFailure(.unavailable, "the process that reads pictures can't be started")
    }
    let key = Interrupts.add(.init(end: { [identifier = child.identifier] in kill(identifier, SIGKILL) }))
    defer { Interrupts.remove(key) }
    var length = UInt64(file.byteCount).bigEndian
    // It may have gone already, and says why by its exit status.
    if withUnsafeBytes(of: &length, { Descriptor.writeAll($0.bytes, to: child.input) }) == 0 {
      _ = file.withBytes { Descriptor.writeAll($0, to: child.input) }
    }
    let answer = read(child.output)
    let status = child.wait()
    switch PictureStatus(rawValue: status) {
    case .done?: break
    case .tooLarge?:
      throw CommandFailure(.badInput, "\(name) has more pixels than are read", hint: "Cut out the part with the code.")
    case .noLibrary?:
      throw CommandFailure(
        .unavailable, "libpng, libturbojpeg or ZBar isn't installed",
        hint: "On Debian: libpng16-16 libturbojpeg0 libzbar0.")
    case .noSandbox?:
      throw CommandFailure(
        .unavailable, "this kernel can't wall in the process that reads pictures", hint: "Nothing was read.")
    case nil:
      throw CommandFailure(
        .badInput, "reading \(name) brought down the process that did it", hint: "Nothing else was touched.")
    case .unreadable?:
      throw CommandFailure(.badInput, "\(name) isn't a PNG or JPEG picture, or is damaged")
    }
    guard let codes = answer.withBytes({ bytes in bytes.withUnsafeBytes(parse) }) else {
      throw CommandFailure(.badInput, "the process that reads pictures gave no answer for \(name)")
    }
    return codes
  }

  private static func read(_ descriptor: Int32) -> SecretValue {
    var answer = SecretBuffer()
    let limit = 4 + PictureReader.codeLimit * (4 + PictureReader.codeByteLimit)
    var buffer = [UInt8](repeating: 0, count: 4096)
    while answer.byteCount <= limit {
      let count = buffer.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) }
      guard count > 0 else { break }
      answer.append(buffer.span.bytes.extracting(first: count))
    }
    buffer.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
    return answer.finish()
  }

  /// The codes of an answer, which comes from a process that has read hostile bytes and is judged like them.
  private static func parse(_ bytes: UnsafeRawBufferPointer) -> [SecretValue]? {
    var offset = 0
    func number() -> Int? {
      guard bytes.count - offset >= 4 else { return nil }
      defer { offset += 4 }
      return Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    guard let count = number(), count <= PictureReader.codeLimit else { return nil }
    var codes: [SecretValue] = []
    for _ in 0..<count {
      guard let length = number(), length <= PictureReader.codeByteLimit, length <= bytes.count - offset else {
        return nil
      }
      codes.append(SecretValue(copying: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]).bytes))
      offset += length
    }
    return offset == bytes.count ? codes : nil
  }
}
