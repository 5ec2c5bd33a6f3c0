internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifProcesses

// What needs a terminal or a display.
extension LeakRun {
  // MARK: - Terminal

  /// The end of the vault, typed at a terminal: first a wrong word, then the right one.
  func destroy() throws(CommandFailure) {
    try type(secrets.plant, exits: [64, 77, 130])
    try type("destroy", exits: [0])
    terminal.isPlantFound = terminal.isPlantFound ?? false
    guard access(world.vault + "/vault.db", F_OK) != 0 else {
      throw CommandFailure(.internalFault, "the vault of the leak test isn't destroyed")
    }
  }

  private func type(_ word: String, exits: [Int32]) throws(CommandFailure) {
    guard let pair = PseudoTerminal(like: -1, isRaw: false) else {
      throw CommandFailure(.unavailable, "there is no terminal to be had for the leak test")
    }
    let step = LeakSteps.destroy(secrets)
    var invocation = invocation(step)
    invocation.terminal = pair.name
    let process = try world.start(invocation)
    pair.closeProgramEnd()
    var screen: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var typed = 0
    let status = process.follow(milliseconds: 120_000) {
      while case let count = Glibc.read(pair.master, &buffer, buffer.count), count > 0 { screen += buffer[..<count] }
      // Its question ends without a line end; a word that isn't right may be asked for once more.
      if typed < 4, screen.last == 0x20, screen.count > typed * 8 {
        typed += 1
        let line = Array((word + "\n").utf8)
        _ = line.withUnsafeBytes { seif_write_all(pair.master, $0.baseAddress, $0.count) }
        screen.append(0x0A)
      }
      return false
    }
    while case let count = Glibc.read(pair.master, &buffer, buffer.count), count > 0 { screen += buffer[..<count] }
    world.forget(process)
    take(screen, into: &terminal)
    var expected = step
    expected.exits = exits
    try settle(process, expected, status)
  }

  // MARK: - Clipboard

  /// Copies a password for two seconds, and looks at the clipboard before and after.
  func clipboard() throws(CommandFailure) {
    var place = LeakPlace("clipboard after its time")
    defer { others.append(place) }
    let environment = context.environment
    var variables = ["DISPLAY", "XAUTHORITY"].compactMap { name in environment[name].map { "\(name)=\($0)" } }
    if let display = environment["WAYLAND_DISPLAY"], !display.isEmpty {
      // By its whole path, since the folder of the session is another one here.
      let folder = environment["XDG_RUNTIME_DIR"].map { $0 + "/" } ?? ""
      variables.append("WAYLAND_DISPLAY=" + (display.hasPrefix("/") ? display : folder + display))
    }
    guard !variables.isEmpty else {
      place.reason = "there is no display"
      try finishCopy(variables)
      return
    }
    guard let reader = Self.clipboardReader(environment) else {
      place.reason = "neither xclip, xsel nor wl-paste is installed"
      try finishCopy(variables)
      return
    }
    guard try finishCopy(variables) == 0 else {
      place.reason = "there is no clipboard"
      return
    }
    var before = LeakPlace(place.name)
    search.search(Self.contents(reader), &before)
    let isLogins = before.found.keys.contains { canaries[$0].entry == "Login" }
    place.isPlantFound = isLogins
    sleep(4)
    search.search(Self.contents(reader), &place)
    place.byteCount += before.byteCount
  }

  @discardableResult
  private func finishCopy(_ variables: [String]) throws(CommandFailure) -> Int32 {
    var step = LeakSteps.copy()
    step.variables = variables
    let process = try world.start(invocation(step))
    let status = process.follow(milliseconds: 60_000)
    world.forget(process)
    try settle(process, step, status)
    return status.map { $0 >> 8 & 0xFF } ?? -1
  }

  private static func clipboardReader(_ environment: Environment) -> (path: String, words: [String])? {
    let readers: [(String, [String])] =
      environment["WAYLAND_DISPLAY"] == nil
      ? [("xclip", ["-selection", "clipboard", "-o"]), ("xsel", ["-b", "-o"])] : [("wl-paste", ["-n"])]
    for (name, words) in readers {
      if let path = ChildProcess.find(name, path: environment["PATH"]) { return (path, words) }
    }
    return nil
  }

  private static func contents(_ reader: (path: String, words: [String])) -> [UInt8] {
    guard let child = ChildProcess(reader.path, reader.words) else { return [] }
    child.closeInput()
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var poller = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
    while bytes.count < 1 << 20, poll(&poller, 1, 5_000) > 0 {
      let count = buffer.withUnsafeMutableBytes { Descriptor.read(child.output, into: $0) }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    if !child.hasExited(within: 200) { kill(child.identifier, SIGKILL) }
    child.wait()
    return bytes
  }
}
