internal import SeifCommandLine
internal import CSeif
internal import Glibc

/// A pseudo-terminal between a program and the person's own.
final class PseudoTerminal {
  let master: Int32
  let name: String
  /// Kept open until the program has it.
  private var slave: Int32

  /// Like the terminal at a descriptor: its size, and its settings or none at all.
  /// - Parameter isRaw: bytes go through as they are, since they reach the person's terminal, which does the rest.
  init?(like terminal: Int32, isRaw: Bool) {
    var master: Int32 = -1
    var slave: Int32 = -1
    guard openpty(&master, &slave, nil, nil, nil) == 0 else { return nil }
    for descriptor in [master, slave] { _ = seif_fcntl_setfd(descriptor, FD_CLOEXEC) }
    guard let name = ttyname(slave) else {
      close(master)
      close(slave)
      return nil
    }
    self.master = master
    self.slave = slave
    self.name = String(cString: name)
    var attributes = termios()
    if tcgetattr(terminal, &attributes) == 0 {
      if isRaw { cfmakeraw(&attributes) }
      tcsetattr(slave, TCSANOW, &attributes)
    }
    seif_copy_window_size(terminal, master)
    _ = seif_fcntl_setfl(master, seif_fcntl_getfl(master) | O_NONBLOCK)
  }

  /// The program's end, while it is open here.
  var programEnd: Int32 { slave }

  /// Once the program has its end, ours goes: else the end of its output would never come.
  func closeProgramEnd() {
    if slave >= 0 { close(slave) }
    slave = -1
  }

  /// The character that suspends what runs there, where it does so now.
  var suspendCharacter: UInt8? {
    var attributes = termios()
    guard tcgetattr(master, &attributes) == 0, attributes.c_lflag & tcflag_t(ISIG) != 0 else { return nil }
    // c_cc is a tuple in Swift; VSUSP is its place in it.
    let character = withUnsafeBytes(of: attributes.c_cc) { $0[Int(VSUSP)] }
    return character == 0 ? nil : character
  }

  deinit {
    closeProgramEnd()
    close(master)
  }
}

/// The person's terminal, passing every byte on while a program has one of its own.
final class RawTerminal {
  private let descriptor: Int32
  private var before = termios()
  private let isKnown: Bool

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isKnown = tcgetattr(descriptor, &before) == 0
  }

  func begin() {
    guard isKnown else { return }
    var raw = before
    cfmakeraw(&raw)
    set(&raw)
  }

  func restore() {
    guard isKnown else { return }
    var attributes = before
    set(&attributes)
  }

  var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  private func set(_ attributes: inout termios) {
    while tcsetattr(descriptor, TCSADRAIN, &attributes) != 0, errno == EINTR {}
  }

  deinit { restore() }
}
