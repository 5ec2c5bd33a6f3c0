internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifProcesses

/// How a program of the leak test is started, with pipes for all it reads and writes.
struct LeakInvocation {
  /// This one, where nothing else is said.
  var program = "/proc/self/exe"
  var words: [String]
  var environment: [String]
  var folder: String
  var input: [UInt8] = []
  /// By the number that the child sees, from 3 on.
  var secrets: [(descriptor: Int32, bytes: [UInt8])] = []
  /// A terminal that becomes the child's own; it is the only thing that is read of it then.
  var terminal: String?
}

/// A child of the leak test, what it wrote, and what the kernel shows of it and its children to others.
final class LeakProcess {
  let identifier: Int32
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  /// Arguments and variables of it and its children, as the kernel shows them.
  private(set) var arguments: [UInt8] = []
  private(set) var variables: [UInt8] = []
  private(set) var seen: Set<Int32> = []
  /// Whether the kernel kept the variables of one from us.
  private(set) var hidesVariables = false
  private var looks: Set<[UInt8]> = []
  private var descriptors: [Int32]

  /// Starts it; nil where that fails.
  init?(_ invocation: LeakInvocation) {
    var (input, output, errors): ([Int32], [Int32], [Int32]) = ([-1, -1], [-1, -1], [-1, -1])
    var opened: [Int32] = []
    func pipe(_ ends: inout [Int32]) -> Bool {
      guard seif_pipe(&ends) == 0 else { return false }
      // Above the numbers that the child gets.
      for place in 0...1 {
        let high = seif_duplicate_from(ends[place], 40)
        close(ends[place])
        ends[place] = high
        if high >= 0 { opened.append(high) }
      }
      return ends.allSatisfy { $0 >= 0 }
    }
    guard pipe(&input), pipe(&output), pipe(&errors) else {
      opened.forEach { close($0) }
      return nil
    }
    let spawn = Spawn(defaults: .all)
    if let terminal = invocation.terminal {
      // The first terminal that the leader of a new session opens is its own.
      for number: Int32 in 0...2 { spawn.open(terminal, O_RDWR, as: number) }
    } else {
      for (number, descriptor) in [input[0], output[1], errors[1]].enumerated() {
        spawn.hand(descriptor, as: Int32(number))
      }
    }
    for secret in invocation.secrets {
      var ends: [Int32] = [-1, -1]
      // Short enough for a pipe to hold.
      guard pipe(&ends), secret.bytes.withUnsafeBytes({ seif_write_all(ends[1], $0.baseAddress, $0.count) }) == 0 else {
        opened.forEach { close($0) }
        return nil
      }
      spawn.hand(ends[0], as: secret.descriptor)
    }
    spawn.work(in: invocation.folder)
    // A session of its own: ctrl-C is ours, and so is ending it, whatever ends us.
    spawn.startSession()
    spawn.endWithThisThread()
    let child = Spawn.withWords(invocation.environment) { variables in
      try? spawn.start(invocation.program, invocation.words, environment: variables)
    }
    let ours = [input[1], output[0], errors[0]]
    for descriptor in opened where !ours.contains(descriptor) || child == nil { close(descriptor) }
    guard let child else { return nil }
    identifier = child
    descriptors = [output[0], errors[0]]
    seen = [child]
    for descriptor in descriptors { _ = seif_fcntl_setfl(descriptor, O_NONBLOCK) }
    // Read by a child before it writes much, or short enough for the pipe.
    _ = invocation.input.withUnsafeBytes { seif_write_all(input[1], $0.baseAddress, $0.count) }
    close(input[1])
  }

  deinit { descriptors.forEach { close($0) } }

  /// Reads what it writes and looks at it and its children, until it ends or `isDone` says so.
  ///
  /// - Returns: how it ended, as `waitpid` has it; nil where it still runs.
  func follow(milliseconds: Int64, until isDone: () -> Bool = { false }) -> Int32? {
    let end = Clock.monotonicMilliseconds() + milliseconds
    while true {
      look()
      var pollers = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      _ = poll(&pollers, nfds_t(pollers.count), 4)
      read()
      var status: Int32 = 0
      if waitpid(identifier, &status, WNOHANG) == identifier {
        read()
        return status
      }
      if isDone() || Clock.monotonicMilliseconds() > end { return nil }
    }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    for (place, descriptor) in descriptors.enumerated() {
      while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
        if place == 0 { output += buffer[..<count] } else { errors += buffer[..<count] }
      }
    }
  }

  // MARK: - What others see of it

  /// Of the arguments or the variables of one.
  private static let limit = 4 << 20

  private func look() {
    var waiting = [identifier]
    while let process = waiting.popLast(), seen.count < 10_000 {
      seen.insert(process)
      if let words = Machine.bytes(of: "/proc/\(process)/cmdline", limit: Self.limit), looks.insert(words).inserted {
        arguments += words + [10]
      }
      if let values = Machine.bytes(of: "/proc/\(process)/environ", limit: Self.limit) {
        if looks.insert(values).inserted { variables += values + [10] }
      } else if errno == EACCES || errno == EPERM {
        hidesVariables = true
      }
      let children = Machine.head(of: "/proc/\(process)/task/\(process)/children") ?? ""
      waiting += children.split(separator: " ").compactMap { Int32($0) }
    }
  }
}
