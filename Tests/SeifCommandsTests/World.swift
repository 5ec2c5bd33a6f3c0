import SeifCommandLine
import CSeif
import Glibc

@testable import SeifCommands

/// A context whose stdout and stderr are files in a folder of its own, without a terminal.
final class World {
  let folder: TemporaryFolder
  let context: Context
  private let descriptors: [Int32]

  init(
    style: TerminalStyle = .plain, environment: [String: String] = [:], input: String = "", clock: Clock = .system,
    sharedFile: String? = nil, pageDigest: String? = nil
  ) throws {
    folder = try TemporaryFolder()
    _ = try folder.write(input, as: "in")
    descriptors = [
      seif_open(folder.path + "/in", O_RDONLY | O_CLOEXEC, 0),
      seif_open(folder.path + "/out", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600),
      seif_open(folder.path + "/err", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600),
    ]
    context = Context(
      output: Output(descriptor: descriptors[1], style: style), talk: Talk(descriptor: descriptors[2], style: style),
      environment: Environment(environment), clock: clock, inputDescriptor: descriptors[0], terminalPath: nil,
      sharedFile: { _ in sharedFile }, pageDigest: pageDigest)
  }

  deinit { descriptors.forEach { close($0) } }

  var output: String { (try? folder.read("out")) ?? "" }
  var errors: String { (try? folder.read("err")) ?? "" }
}
