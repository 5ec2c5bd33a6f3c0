internal import SeifCommandLine
internal import Glibc
internal import SeifBytes
internal import SeifProcesses
internal import SeifVault

/// Another process of this program that opens a vault by one way in, so that what only this one remembers can't be what
/// opens it.
///
/// It gets all it needs over a pipe: a line of JSON, then what the person gave. Nothing stands in its arguments.
enum FreshProcess {
  /// Opens a vault by one way in of it.
  ///
  /// - Parameters:
  ///   - way: the way in that must open it.
  ///   - candidate: the row of a way in that isn't in the vault yet.
  /// - Throws: the failure of the other process, or exit 69 where none can be started.
  static func prove(
    _ material: WayInMaterial, opens location: VaultLocation, way: UUID, candidate: NewWayIn? = nil, _ context: Context
  ) throws(CommandFailure) {
    guard let child = ChildProcess("/proc/self/exe", [ProveCommand.name], blocked: [SIGINT, SIGTSTP]) else {
      throw CommandFailure(.unavailable, "no other process can be started to prove the way in")
    }
    var writer = JSONWriter()
    writer.beginObject()
    if let candidate { writer.member("candidate", candidate.encoded) }
    writer.member("fileName", location.fileName)
    writer.member("folder", location.folder)
    writer.member("kind", material.kind.name)
    writer.member("secret", material.secret != nil)
    writer.member("stateFolder", location.stateFolder)
    writer.member("way", way.description)
    writer.endObject()
    var message = SecretBuffer(capacity: 4096)
    message.append(writer.finish())
    message.append(0x0A)
    material.secret?.withBytes { message.append($0) }
    let sent = message.withBytes { Descriptor.writeAll($0, to: child.input) }
    child.closeInput()
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1024)
    while sent == 0 {
      let count = buffer.withUnsafeMutableBytes { Descriptor.read(child.output, into: $0) }
      guard count > 0, answer.count < 64 << 10 else { break }
      answer += buffer[..<count]
    }
    let status = child.wait()
    guard status == 0, answer == Array("proven\n".utf8) else {
      let code = ExitCode(rawValue: status).flatMap { $0 == .done ? nil : $0 } ?? .refused
      throw CommandFailure(code, "\(material.kind.words) doesn't open the vault in another process")
    }
  }
}

/// The other process. No command for people: it isn't listed.
struct ProveCommand: Command {
  static let name = "prove-way-in"
  static let summary = "open a vault by a way in, for the process that started this one"
  static let usage = """
    seif prove-way-in

    Reads what to open, and with what, from standard input.
    """
  static let options: [Option] = []

  init(_ arguments: inout ParsedArguments) throws(UsageError) {}

  func run(_ context: Context) throws -> ExitCode {
    let given = Self.read(context.inputDescriptor)
    // What stands before the line feed isn't secret.
    guard let end = given.withBytes({ bytes in bytes.withUnsafeBytes { $0.firstIndex(of: 0x0A) } }) else {
      throw CommandFailure(.usage, "there is no request on standard input")
    }
    let line = given.withBytes { SecretValue(copying: $0.extracting(first: end)) }
    guard let root = try? JSONDocument(parsing: line, policy: .strict).root,
      let folder = root["folder"]?.string, let stateFolder = root["stateFolder"]?.string,
      let fileName = root["fileName"]?.string, let kind = root["kind"]?.string,
      let way = root["way"]?.string.flatMap({ UUID($0) })
    else { throw CommandFailure(.usage, "the request on standard input isn't understood") }
    let hasSecret = root["secret"]?.bool == true
    let secret = hasSecret ? given.withBytes { SecretBytes(copying: $0.extracting(droppingFirst: end + 1)) } : nil
    let material = WayInMaterial(WayIn.Kind(name: kind), secret: secret)
    let location = VaultLocation(folder: folder, stateFolder: stateFolder, vfs: nil, fileName: fileName)
    let isWrong = try withVaultErrors(folder) { () throws(VaultError) in
      do throws(VaultError) {
        try Self.open(location, material, way, candidate: root["candidate"]?.string, context)
        return false
      } catch {
        guard error.code == .wrongPassphrase, hasSecret else { throw error }
        return true
      }
    }
    // The process that asks says it, and of several passphrases which one it is.
    if isWrong { throw CommandFailure(.refused, "it doesn't open the vault", isSilent: true) }
    try context.output.write("proven\n")
    return .done
  }

  private static func open(
    _ location: VaultLocation, _ material: WayInMaterial, _ way: UUID, candidate text: String?, _ context: Context
  ) throws(VaultError) {
    let provider = try material.provider(Devices(environment: context.environment))
    let locked = try Vault.open(at: location, access: .readOnly)
    let vault: Vault
    if let text {
      guard let candidate = NewWayIn(encoded: text), candidate.wayIn.id == way else {
        throw VaultError(.internalFailure, "candidate")
      }
      vault = try locked.unlock(with: provider, candidate: candidate)
    } else {
      vault = try locked.unlock(with: provider, only: way)
    }
    defer { vault.lock() }
    guard vault.openingFaults.isEmpty else { throw VaultError(.unverified) }
  }

  private static func read(_ descriptor: Int32) -> SecretBytes {
    let limit = 256 << 10
    let given = SecretBytes(byteCount: limit) { buffer in
      var count = 0
      while count < limit {
        let got = Descriptor.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        guard got > 0 else { break }
        count += got
      }
      return count
    }
    return given.duplicate()
  }
}
