internal import SeifCommandLine
internal import Glibc
internal import SeifBytes
internal import SeifDevices
internal import SeifProcesses
internal import SeifVault

/// What opens the vault of a leak test beside what a person knows, in software and for this run alone: a keyring on a bus of
/// its own, and a TPM.
final class LeakDevices {
  /// A way in, and why it isn't tried; nil: it is.
  struct Way {
    let kind: WayIn.Kind
    let reason: String?
  }

  /// All that there are, in the order of the report.
  let ways: [Way]
  /// What processes find the devices by.
  let variables: [String]
  /// Both have to live as long as this.
  private let processes: [LeakProcess]
  private let secretTool: String
  private let tpmAddress: String

  /// Those that are tried.
  var kinds: [WayIn.Kind] {
    [.keyring, .tpm2].filter { kind in ways.contains { $0.kind == kind && $0.reason == nil } }
  }

  /// What a person touches can't be tried by a program.
  private static let touched = "a security key has to be touched by a person"

  init(_ world: LeakWorld, _ environment: Environment) throws(CommandFailure) {
    let folder = world.devices
    tpmAddress = "swtpm:path=\(folder)/tpm"
    secretTool = folder + "/secret-tool"
    var processes: [LeakProcess] = []
    var variables: [String] = []
    // As addresses are written.
    let isPlain = folder.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/._-".utf8.contains(byte)
    }
    let strange = isPlain ? nil : "the path of \(folder) has characters that an address can't have"
    let path = environment["PATH"]
    var (tpm, keyring) = (strange, strange)
    if strange == nil { tpm = try Self.startTPM(world, path, tpmAddress, &processes) }
    if tpm == nil { variables.append("SEIF_TCTI=\(tpmAddress)") }
    let bus = "unix:path=\(folder)/bus"
    if strange == nil { keyring = try Self.startKeyring(world, path, bus, secretTool, &processes) }
    if keyring == nil { variables.append("DBUS_SESSION_BUS_ADDRESS=\(bus)") }
    self.processes = processes
    self.variables = variables
    ways = [
      Way(kind: .passphrase, reason: nil), Way(kind: .recovery, reason: nil), Way(kind: .keyring, reason: keyring),
      Way(kind: .tpm2, reason: tpm), Way(kind: .fido2, reason: Self.touched),
    ]
  }

  /// - Returns: why there is none; nil: there is.
  private static func startTPM(
    _ world: LeakWorld, _ path: String?, _ address: String, _ processes: inout [LeakProcess]
  ) throws(CommandFailure) -> String? {
    guard let program = ChildProcess.find("swtpm", path: path) else { return "swtpm isn't installed" }
    let folder = world.devices
    let words = [
      "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=unixio,path=\(folder)/tpm",
      "--ctrl", "type=unixio,path=\(folder)/tpm.ctrl", "--flags", "not-need-init,startup-clear",
    ]
    let hasStarted = try start(world, world.invocation(of: program, words), milliseconds: 60_000, &processes) {
      access(folder + "/tpm", F_OK) == 0 && access(folder + "/tpm.ctrl", F_OK) == 0
    }
    guard hasStarted else { return "swtpm doesn't start" }
    do throws(VaultError) {
      try TPMProvider(address: address, isQuiet: true).look()
    } catch {
      return error.detail.isEmpty ? "swtpm doesn't answer" : error.detail
    }
    return nil
  }

  /// - Returns: why there is none; nil: there is.
  private static func startKeyring(
    _ world: LeakWorld, _ path: String?, _ address: String, _ secretTool: String, _ processes: inout [LeakProcess]
  ) throws(CommandFailure) -> String? {
    var programs: [String: String] = [:]
    for name in ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"] {
      guard let program = ChildProcess.find(name, path: path) else { return "\(name) isn't installed" }
      programs[name] = program
    }
    guard let daemon = programs["dbus-daemon"], let keeper = programs["gnome-keyring-daemon"],
      let tool = programs["secret-tool"]
    else { return "no program of it is installed" }
    let folder = world.devices
    // Without folders of services: the bus starts nobody.
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth><policy context="default">
      <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>

      """
    try world.write(configuration, as: folder + "/bus.conf", mode: 0o600)
    try world.write(
      "#!/bin/sh\nDBUS_SESSION_BUS_ADDRESS='\(address)' exec '\(tool)' \"$@\"\n", as: secretTool, mode: 0o700)
    let bus = world.invocation(
      of: daemon, ["dbus-daemon", "--nofork", "--nopidfile", "--config-file=\(folder)/bus.conf"])
    guard
      try start(world, bus, milliseconds: 60_000, &processes, until: { access(folder + "/bus", F_OK) == 0 })
    else { return "dbus-daemon doesn't start" }
    var invocation = world.invocation(
      of: keeper, ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"],
      ["DBUS_SESSION_BUS_ADDRESS=\(address)"])
    // The password of a keyring that goes with this run.
    invocation.input = Array("leak-test".utf8)
    let hasStarted = try start(world, invocation, milliseconds: 60_000, &processes) {
      usleep(20_000)
      guard case .owned(_, _, isLocked: false) = SecretService(at: address) else { return false }
      return true
    }
    return hasStarted ? nil : "gnome-keyring-daemon doesn't start"
  }

  /// Starts a program that is to stay, and waits until it works.
  private static func start(
    _ world: LeakWorld, _ invocation: LeakInvocation, milliseconds: Int64, _ processes: inout [LeakProcess],
    until isThere: () -> Bool
  ) throws(CommandFailure) -> Bool {
    let process = try world.start(invocation)
    if process.follow(milliseconds: milliseconds, until: isThere) != nil {
      // Its number may be another's by now.
      world.forget(process)
      return false
    }
    processes.append(process)
    return isThere()
  }

  /// The keys that the devices keep for a vault, each with its name for the report.
  func keys(of location: VaultLocation, pin: String) throws(VaultError) -> [(name: String, bytes: [UInt8])] {
    let vault = try Vault.open(at: location, access: .readOnly)
    let id = vault.id
    var keys: [(name: String, bytes: [UInt8])] = []
    for way in vault.waysIn where kinds.contains(way.kind) {
      let (provider, name): (any WayInProvider, String) =
        way.kind == .keyring
        ? (KeyringProvider(program: secretTool), "the vault's key in the keyring")
        : (
          TPMProvider(address: tpmAddress, pin: SecretBytes(copying: SecretValue(utf8: pin)), isQuiet: true),
          "the vault's key in the TPM"
        )
      // EXPOSE: opens nothing but the vault of this run.
      let key: [UInt8]? = try provider.withKeys(of: way, vaultID: id) { key in
        key.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
      }
      guard let key, !key.isEmpty else { throw VaultError(.deviceMissing, way.kind.name) }
      keys.append((name, key))
    }
    return keys
  }
}
