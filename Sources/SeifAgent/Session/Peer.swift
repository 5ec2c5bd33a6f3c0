internal import CSeif
internal import Glibc

/// Who asks, as the kernel names them: what a client says of itself counts for nothing.
package struct Peer: Sendable, Equatable {
  package let process: Int32
  package let user: UInt32
  /// When the process started, in the kernel's ticks: another process with its number is another.
  package let started: UInt64
  /// The path of its program; nil before a closer look, and where the kernel keeps it from us, as it does for a process
  /// that is closed to others.
  package let program: String?
  /// The name that the process goes by; it chose that itself.
  package let ownName: String
  /// Session, process group, terminal and the group in its foreground.
  package let session: Int32
  package let group: Int32
  package let terminalDevice: UInt64
  package let terminalGroup: Int32
  /// The login session by the kernel's control groups, as logind numbers it; nil outside of one.
  package let loginSession: String?

  package init(
    process: Int32, user: UInt32, started: UInt64 = 0, program: String? = nil, ownName: String = "", session: Int32 = 0,
    group: Int32 = 0, terminalDevice: UInt64 = 0, terminalGroup: Int32 = -1, loginSession: String? = nil
  ) {
    self.process = process
    self.user = user
    self.started = started
    self.program = program
    self.ownName = ownName
    self.session = session
    self.group = group
    self.terminalDevice = terminalDevice
    self.terminalGroup = terminalGroup
    self.loginSession = loginSession
  }

  /// The process at the other end of a socket.
  package static func of(_ descriptor: Int32) -> Peer? {
    var (process, user): (Int32, UInt32) = (0, 0)
    guard seif_peer(descriptor, &process, &user) == 0 else { return nil }
    return look(at: process, user: user) ?? Peer(process: process, user: user)
  }

  /// What `/proc` says of a process; nil if it is gone.
  static func look(at process: Int32, user: UInt32) -> Peer? {
    guard let status = ProcFile.read("/proc/\(process)/stat"), let open = status.firstIndex(of: "("),
      let close = status.lastIndex(of: ")")
    else { return nil }
    // state ppid pgrp session tty_nr tpgid … starttime, proc(5).
    let fields = status[status.index(after: close)...].split(separator: " ")
    guard fields.count > 19, let group = Int32(fields[2]), let session = Int32(fields[3]),
      let terminal = Int32(fields[4]), let foreground = Int32(fields[5]), let started = UInt64(fields[19])
    else { return nil }
    return Peer(
      process: process, user: user, started: started, ownName: String(status[status.index(after: open)..<close]),
      session: session, group: group, terminalDevice: UInt64(UInt32(bitPattern: terminal)), terminalGroup: foreground)
  }

  /// The same process looked at more closely: its program and its login session, which cost more to find out.
  package var closer: Peer {
    guard let now = Self.look(at: process, user: user), now.started == started else { return self }
    return Peer(
      process: process, user: user, started: started, program: ProcFile.link("/proc/\(process)/exe"),
      ownName: now.ownName, session: now.session, group: now.group, terminalDevice: now.terminalDevice,
      terminalGroup: now.terminalGroup,
      loginSession: ProcFile.read("/proc/\(process)/cgroup").flatMap(Self.loginSession))
  }

  /// Whether the process still runs, so that what the kernel says is of it and of no other.
  package var isRunning: Bool { started != 0 && Self.look(at: process, user: user)?.started == started }

  /// Whether the process still runs and is in the foreground of the terminal that it had.
  package var isInForeground: Bool {
    guard terminalDevice != 0, let now = Self.look(at: process, user: user), now.started == started else {
      return false
    }
    return now.terminalDevice == terminalDevice && now.terminalGroup == now.group && now.session == session
  }

  /// The number in `…/session-3.scope`.
  static func loginSession(inControlGroups text: String) -> String? {
    for line in text.split(separator: "\n") {
      for part in line.split(separator: "/") where part.hasPrefix("session-") && part.hasSuffix(".scope") {
        return String(part.dropFirst("session-".count).dropLast(".scope".count))
      }
    }
    return nil
  }

  /// How a person is told who asks. A program's path is its own choice: in quotes that it can't end, and short enough
  /// for what stands behind it to be seen.
  package var description: String {
    program.map { "\(Self.quoted($0, head: 40, tail: 80)) (process \(process))" }
      ?? "\(Self.quoted(ownName, head: 32, tail: 0)) (process \(process), as it calls itself)"
  }

  /// A text in quotes, without quotes of its own; where it is longer in UTF-8, with its middle left out.
  static func quoted(_ text: String, head: Int, tail: Int) -> String {
    var scalars = Array(text.unicodeScalars.map { $0 == "\"" ? "'" : $0 })
    func fitting(_ scalars: some Sequence<Unicode.Scalar>, _ limit: Int) -> [Unicode.Scalar] {
      var left = limit
      return Array(
        scalars.prefix { scalar in
          left -= UTF8.width(scalar)
          return left >= 0
        })
    }
    if text.utf8.count > head + tail {
      scalars = fitting(scalars, head) + ["…"] + fitting(scalars.reversed(), tail).reversed()
    }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return "\"\(String(view))\""
  }

  /// What a consent is given to. One that hides its program is known by nothing but itself: any other could call itself
  /// the same.
  var identity: String { program.map { "\(session) \($0)" } ?? "\(process) \(started)" }
}

/// Small files of `/proc`.
enum ProcFile {
  static func read(_ path: String) -> String? {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }

  static func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { readlink(path, $0, 4096) } ?? -1 }
    }
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }
}
