private import Glibc

/// The independent second opinion of tests: a script for Python, which is given bytes and gives bytes. `SEIF_PYTHON` names
/// the one that has the packages of the openers; else it is `python3` on PATH.
public enum Python {
  /// What went wrong with a script.
  public struct Failure: Error {
    /// The exit status, or nil if it could not be started.
    public let status: Int32?
  }

  /// The standard output of a script that reads `input` from standard input.
  public static func run(_ script: String, input: [UInt8] = []) throws -> [UInt8] {
    // Files and not pipes: nothing can block, however long either side writes.
    guard let source = tmpfile(), let target = tmpfile() else { throw Failure(status: nil) }
    defer {
      fclose(source)
      fclose(target)
    }
    guard fwrite(input, 1, input.count, source) == input.count, fflush(source) == 0 else { throw Failure(status: nil) }
    rewind(source)
    lseek(fileno(source), 0, SEEK_SET)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, fileno(source), 0)
    posix_spawn_file_actions_adddup2(&actions, fileno(target), 1)
    var child = pid_t()
    let python = getenv("SEIF_PYTHON").map { String(cString: $0) } ?? "python3"
    var arguments: [UnsafeMutablePointer<CChar>?] = [python, "-c", script].map { (text: String) in strdup(text) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    guard posix_spawnp(&child, python, &actions, nil, arguments, environ) == 0 else { throw Failure(status: nil) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { throw Failure(status: nil) }
    }
    guard status == 0 else { throw Failure(status: status) }
    let length = lseek(fileno(target), 0, SEEK_END)
    var output = [UInt8](repeating: 0, count: max(0, length))
    guard pread(fileno(target), &output, output.count, 0) == output.count else { throw Failure(status: nil) }
    return output
  }

  /// The lines of the standard output of a script.
  public static func lines(_ script: String, input: [UInt8] = []) throws -> [Substring] {
    String(decoding: try run(script, input: input), as: UTF8.self).split(separator: "\n")
  }
}
