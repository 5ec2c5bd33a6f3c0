internal import SeifBackups

// What a program writes, read strictly: it is as far away as any server.
extension ExternalTransport {
  /// A listing: `SIZE TAB ID TAB NAME` a line, SIZE in bytes or `-`.
  static func listing(_ output: [UInt8], place: String) throws(TransportError) -> [BackupDescriptor] {
    func refusal(_ line: Int, _ what: String) -> TransportError {
      TransportError(.badAnswer, place: place, reason: "line \(line) of the listing \(what)")
    }
    var found: [BackupDescriptor] = []
    // By their bytes: texts that look alike can be two files.
    var seen = Set<[UInt8]>()
    var rest = output[...]
    var line = 0
    while !rest.isEmpty {
      line += 1
      guard line <= fileLimit else { throw refusal(line, "is one too many") }
      guard let end = rest.firstIndex(of: 0x0A) else { throw refusal(line, "has no end") }
      let fields = rest[..<end].split(separator: 0x09, omittingEmptySubsequences: false)
      let text = String(validating: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      guard fields.count == 3 else { throw refusal(line, "hasn't three fields") }
      // Nobody could ask for it, and a shell can't tell it from others.
      guard text != nil else { continue }
      guard let id = String(validating: fields[1], as: UTF8.self), PlainName.isIdentifier(id) else {
        throw refusal(line, "has an identifier that can't be used")
      }
      guard let name = String(validating: fields[2], as: UTF8.self), PlainName.isName(name) else {
        throw refusal(line, "has a name that can't be used")
      }
      guard seen.insert(Array(id.utf8)).inserted else { throw refusal(line, "has an identifier that another has") }
      let size = size(fields[0])
      guard size != nil || fields[0].elementsEqual("-".utf8) else { throw refusal(line, "has no size") }
      found.append(BackupDescriptor(id: id, name: name, byteCount: size))
    }
    return found
  }

  /// What an upload printed: the identifier as a line, or nothing where the name is the identifier.
  static func identifier(_ output: [UInt8], _ name: String) -> String? {
    if output.isEmpty { return name }
    let line = output.last == 0x0A ? output.dropLast() : output[...]
    guard let id = String(validating: line, as: UTF8.self), PlainName.isIdentifier(id) else { return nil }
    return id
  }

  // At most 15 digits: no sum of sizes overflows.
  private static func size(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...15).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
