internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifClipboard
internal import SeifDevices
internal import SeifVault

/// What the checks look at: this machine, or one that a test makes up.
struct Machine {
  var environment: Environment
  var clock: Clock
  var location: VaultLocation
  /// Where the kernel tells of processes and devices.
  var processes = "/proc"
  var devices = "/sys"
  /// Where drills are made if the session has no folder of its own.
  var temporaryFolder = "/tmp"
  /// 0: the clock is synchronised; 1: it isn't; -1: nobody says.
  var clockState: () -> Int32 = { seif_clock_unsynchronised() }
  /// Whether core files are walled off: no size allowed, and the process marked.
  var coreLimit: () -> UInt64? = { Self.limit(RLIMIT_CORE) }
  var isDumpable: () -> Bool = { seif_is_dumpable() != 0 }
  /// Whether so many bytes can be kept out of swap.
  var canLock: (Int) -> Bool = { count in
    SecretBytes(byteCount: count) { _ in count }.isLocked
  }

  /// The vault's ways in, which stand in it in clear; none where there is no vault yet.
  var waysIn: () -> [WayIn]
  var tpm: () -> TPMState
  /// Whether the TPM gives the key of a way in out again; nil: it does.
  var unseal: (WayIn) -> VaultError?
  var keyring: () -> SecretService

  init(_ context: Context, _ location: VaultLocation) {
    environment = context.environment
    clock = context.clock
    self.location = location
    waysIn = { (try? Vault.open(at: location, access: .readOnly).waysIn) ?? [] }
    let devices = Devices(environment: context.environment)
    tpm = { TPMState(address: devices.tpmAddress, isQuiet: true) }
    unseal = { way in
      do throws(VaultError) {
        let provider = TPMProvider(address: devices.tpmAddress, isQuiet: true)
        // What a TPM seals is no vault's in particular.
        let isOut = try provider.withKeys(of: way, vaultID: way.id) { _ in true }
        return isOut == nil ? VaultError(.damaged, "way in") : nil
      } catch {
        return error
      }
    }
    keyring = { devices.sessionBus.map { SecretService(at: $0) } ?? .unknown }
  }

  static func limit(_ resource: __rlimit_resource) -> UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return nil }
    return UInt64(limit.rlim_cur)
  }

  // MARK: - Files

  /// What `lstat` or `stat` says of a path; nil where there is nothing, or nothing may be known.
  static func status(_ path: String, followingLinks: Bool = true) -> stat? {
    var status = stat()
    return (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
  }

  /// Names in a folder in order of their bytes, at most so many.
  static func names(in folder: String, limit: Int = 10_000) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = readdir(stream) {
      let name = String(cString: seif_entry_name(entry))
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { utf8Precedes($0, $1) }
  }

  /// The first bytes of a file of the kernel's or of a regular one; nil where it can't be read.
  static func head(of path: String, byteCount: Int = 65_536) -> String? {
    // Not waiting for the writer of a pipe.
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var count = 0
    while count < byteCount {
      let read = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), byteCount - count)
      }
      guard read > 0 else { return read == 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil }
      count += read
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
