import FoundationEssentials
import Glibc
import SeifTestSupport
import Synchronization

@testable import SeifTransports

/// A folder with programs that a test writes; it goes with the value.
final class ProgramFolder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appending(path: "seif-programs-\(UInt64.random(in: 0 ... .max))").path
    mkdir(path, 0o700)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a program; gives its path.
  func add(_ name: String, _ text: String) throws -> String {
    let program = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: program))
    ExecutableFile.settle(program)
    return program
  }

  /// Makes a folder in it.
  func folder(_ name: String) -> String {
    mkdir("\(path)/\(name)", 0o700)
    return "\(path)/\(name)"
  }

  func read(_ name: String) -> String { (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)) ?? "" }

  /// What stands in a file, which another process may yet have to write.
  func wait(for name: String) -> String {
    for _ in 0..<3_000 where read(name).isEmpty { usleep(2_000) }
    return read(name)
  }
}

/// Whether a process of a number, or a group of it (negative), is there.
func isAlive(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

/// A result that another thread gives.
final class Answer<Value: Sendable>: Sendable {
  private let state = Mutex<(isSet: Bool, value: Value?)>((false, nil))
  var isSet: Bool { state.withLock { $0.isSet } }
  var value: Value? { state.withLock { $0.value } }
  func set(_ value: Value?) { state.withLock { $0 = (true, value) } }
}
