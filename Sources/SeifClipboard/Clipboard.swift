internal import CSeif
internal import Glibc
package import SeifBytes

/// How long and where something stays copied.
package struct ClipboardOptions: Sendable, Equatable {
  /// The seconds after which it is taken away, ``Clipboard/secondsAllowed``.
  package var seconds: Int
  /// Whether the primary selection, which the middle button pastes, gets it too.
  package var alsoPrimary: Bool
  /// Whether `wl-copy` may be used, which keeps the value in a file of its own meanwhile.
  package var allowsWlCopy: Bool

  package init(seconds: Int = 30, alsoPrimary: Bool = false, allowsWlCopy: Bool = false) {
    self.seconds = seconds
    self.alsoPrimary = alsoPrimary
    self.allowsWlCopy = allowsWlCopy
  }
}

/// How it was copied.
package enum ClipboardWay: UInt8, Sendable, CaseIterable {
  case x11 = 1
  case wayland
  /// By `wl-copy` with its mark for secrets.
  case wlCopySensitive
  /// By a `wl-copy` that has no such mark.
  case wlCopy

  /// Whether clipboard managers are asked not to keep it.
  package var isMarkedSecret: Bool { self != .wlCopy }
}

/// Puts secrets on the desktop's clipboard for a while.
///
/// A clipboard belongs to a process that answers for it. Ours is a child with nothing but the secret, so that a command
/// can end at once: see ``ClipboardOwner``. The secret reaches it by a pipe, from locked memory to locked memory.
package enum Clipboard {
  /// The most bytes that are copied: what one answer holds on every display.
  package static let byteLimit = 65_536
  package static let secondsAllowed = 1...600
  /// The one argument that makes this program the owner of a clipboard. No command: it shows in no help.
  package static let ownerArgument = "clipboard-owner"
  private static let secondsToAnswer: Int64 = 5

  /// Copies a secret; returns once the clipboard is ours.
  ///
  /// - Parameters:
  ///   - environment: the variables of this process; the child gets those that find the display, and no others.
  ///   - program: the program that knows ``ownerArgument``.
  /// - Returns: how, and the child's process, which a long-lived caller waits for.
  package static func copy(
    _ text: borrowing SecretBytes, _ options: ClipboardOptions, environment: (String) -> String?,
    program: String = "/proc/self/exe"
  ) throws(ClipboardError) -> (way: ClipboardWay, process: Int32) {
    guard text.byteCount > 0 else { throw .empty }
    guard text.byteCount <= byteLimit else { throw .tooLarge }
    precondition(secondsAllowed.contains(options.seconds), "internal error: a stay that no option allows")
    var ends: (toChild: (Int32, Int32), fromChild: (Int32, Int32)) = ((-1, -1), (-1, -1))
    guard pipe(&ends.toChild), pipe(&ends.fromChild) else { throw .noOwner }
    let child = start(program, input: ends.toChild.0, output: ends.fromChild.1, variables(environment))
    close(ends.toChild.0)
    close(ends.fromChild.1)
    defer { close(ends.fromChild.0) }
    guard let child else {
      close(ends.toChild.1)
      throw .noOwner
    }
    let head = ClipboardMessage.head(options)
    // It reads all of it before it answers, so this can't wait for long; one that died is seen by its silence.
    let sent =
      head.withUnsafeBytes { write($0, to: ends.toChild.1) }
      && text.withBytes { bytes in bytes.withUnsafeBytes { write($0, to: ends.toChild.1) } }
    close(ends.toChild.1)
    guard sent, let answer = answer(ends.fromChild.0) else {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
      throw .noOwner
    }
    guard let way = ClipboardWay(rawValue: answer) else {
      waitpid(child, nil, 0)
      throw ClipboardError(rawValue: answer) ?? .noOwner
    }
    return (way, child)
  }

  /// What a display is found by, and `wl-copy`.
  private static func variables(_ environment: (String) -> String?) -> [String] {
    let names = ["WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY", "XAUTHORITY", "HOME", "PATH"]
    return names.compactMap { name in environment(name).map { "\(name)=\($0)" } }
  }

  private static func pipe(_ ends: inout (Int32, Int32)) -> Bool {
    var both: [Int32] = [-1, -1]
    guard seif_pipe(&both) == 0 else { return false }
    ends = (both[0], both[1])
    return true
  }

  private static func start(_ program: String, input: Int32, output: Int32, _ variables: [String]) -> Int32? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // A session of its own: ctrl-C and the end of the terminal are no end of what was copied.
    let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, for which Glibc wants _GNU_SOURCE
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | newSession))
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("seif"), strdup(ownerArgument), nil]
    var pairs: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
    pairs.append(nil)
    defer { (words + pairs).forEach { free($0) } }
    var child: pid_t = 0
    return posix_spawn(&child, program, &actions, &attributes, &words, &pairs) == 0 ? child : nil
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { return false }
    }
    return true
  }

  /// The child's one byte; nil where it ends or stays silent.
  private static func answer(_ descriptor: Int32) -> UInt8? {
    let end = Moment.now + secondsToAnswer * 1000
    while true {
      guard Wait.readable(descriptor, until: end) else { return nil }
      var byte: UInt8 = 0
      let count = read(descriptor, &byte, 1)
      if count == 1 { return byte }
      if count == 0 || errno != EINTR { return nil }
    }
  }
}
