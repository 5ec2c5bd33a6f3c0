import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import SeifCrypto
import SeifDevices
import Testing

@testable import SeifCommands
@testable import SeifVault

/// What each check says of machines that are made up.
@Suite struct DoctorCheckTests {
  private let world: World
  private var root: String { world.folder.path }

  init() throws { world = try World(clock: .fixed(at: 1_790_000_000)) }

  private func machine(fileSystemType: UInt32? = nil) throws -> Machine {
    for name in ["vault", "state"] {
      try FileManager.default.createDirectory(atPath: root + "/" + name, withIntermediateDirectories: true)
      chmod(root + "/" + name, 0o700)
    }
    var machine = Machine(
      world.context,
      VaultLocation(folder: root + "/vault", stateFolder: root + "/state", vfs: nil, fileSystemType: fileSystemType))
    machine.processes = root + "/proc"
    machine.devices = root + "/sys"
    try write("x", "vault/vault.db")
    return machine
  }

  private func write(_ text: String, _ name: String, mode: mode_t = 0o600) throws {
    let path = root + "/" + name
    let parent = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
    chmod(path, mode)
  }

  @Test func everyCheckHasAnIdOfItsOwnAndAWarningHasACure() throws {
    let ids = DoctorChecks.ofTheMachine.map { type(of: $0).id } + [ServerClockCheck.id, BackupCheck.id]
    #expect(Set(ids).count == ids.count)
    let findings = try DoctorChecks.ofTheMachine.flatMap { $0.findings(on: try machine()) }
    for finding in findings {
      #expect(ids.contains(finding.id))
      #expect((finding.cure == nil) == (finding.state == .ok), "\(finding)")
    }
  }

  @Test func theClockIsRightUnlessTheKernelSaysOtherwise() throws {
    var machine = try machine()
    for (state, sign) in [(0, Sign.ok), (1, .warn), (-1, .warn)] as [(Int32, Sign)] {
      machine.clockState = { state }
      #expect(ClockCheck().findings(on: machine).map(\.state) == [sign])
    }
  }

  @Test func filesThatOthersCanReadOrWriteFail() throws {
    let machine = try machine()
    #expect(FileModesCheck().findings(on: machine).map(\.state) == [.ok])
    chmod(root + "/vault/vault.db", 0o640)
    let found = FileModesCheck().findings(on: machine)
    #expect(found.map(\.state) == [.fail])
    #expect(found.first?.cure == "chmod 600 \(FileModesCheck.quoted(root + "/vault/vault.db"))")
    chmod(root + "/vault/vault.db", 0o600)
    chmod(root + "/vault", 0o755)
    #expect(FileModesCheck().findings(on: machine).map(\.state) == [.warn])
    chmod(root + "/vault", 0o770)
    #expect(FileModesCheck().findings(on: machine).map(\.state) == [.fail])
    chmod(root + "/vault", 0o700)
    chmod(root + "/state", 0o777)
    #expect(FileModesCheck().findings(on: machine).map(\.state) == [.fail])
    chmod(root + "/state", 0o700)
    // A number to compare with is no secret, but nobody else may lower it.
    try write("1", "state/a.counter", mode: 0o644)
    #expect(FileModesCheck().findings(on: machine).map(\.state) == [.ok])
    chmod(root + "/state/a.counter", 0o666)
    #expect(FileModesCheck().findings(on: machine).map(\.state) == [.fail])
  }

  @Test func aCureCanBePastedWhateverTheFileIsCalled() {
    #expect(FileModesCheck.quoted("/home/ana/.local/seif") == "/home/ana/.local/seif")
    #expect(FileModesCheck.quoted("/a b/$(x)") == "'/a b/$(x)'")
    #expect(FileModesCheck.quoted("/it's") == "'/it'\\''s'")
  }

  @Test func aNetworkFileSystemIsWarnedOf() throws {
    #expect(FileSystemCheck().findings(on: try machine()).map(\.state) == [.ok])
    let found = FileSystemCheck().findings(on: try machine(fileSystemType: 0xFF53_4D42))
    #expect(found.map(\.state) == [.warn])
    #expect(found.first?.what.contains("on SMB") == true)
  }

  @Test func whatWasLeftBesideTheVaultIsNamed() throws {
    let machine = try machine()
    try write("", "vault/vault.db-wal")
    #expect(LeftOversCheck().findings(on: machine).map(\.state) == [.ok])
    for name in ["vault.db-wal", "vault.db.new-00ff", "vault.db.version-1", "vault.db.old"] {
      try write("x", "vault/" + name)
      let found = LeftOversCheck().findings(on: machine)
      #expect(found.map(\.state) == [.warn])
      #expect(found.first?.what.contains("/vault/" + name) == true)
      try FileManager.default.removeItem(atPath: root + "/vault/" + name)
    }
  }

  @Test func theVaultOfADrillThatWasKilledIsNamedAndOneThatRunsIsnt() throws {
    var machine = try machine()
    machine.temporaryFolder = root + "/tmp"
    try write("x", "tmp/seif-drill-aaaaaa/vault.db")
    try write("x", "tmp/seif-drill-bbbbbb")
    #expect(LeftOversCheck().findings(on: machine).map(\.state) == [.ok])
    machine.clock = .fixed(at: Clock.system.now() + 7_200)
    let found = LeftOversCheck().findings(on: machine)
    #expect(found.map(\.state) == [.warn])
    #expect(found.first?.what.contains("/tmp/seif-drill-aaaaaa is the vault of a drill") == true)
    // In the session's folder too.
    machine.environment = Environment(["XDG_RUNTIME_DIR": root + "/run"])
    try write("x", "run/seif-drill-cccccc/vault.db")
    #expect(LeftOversCheck().findings(on: machine).count == 2)
  }

  @Test func aRecoverySheetThatLiesAboutIsNamedAndNotShown() throws {
    var machine = try machine()
    machine.environment = Environment(["HOME": root + "/home"])
    try write("Seif: shopping\n", "home/list.txt")
    #expect(RecoverySheetCheck().findings(on: machine).map(\.state) == [.ok])
    try write("Seif: recovery code\n\n  ABCD-EFGH\n", "home/Documents/any name.txt")
    let found = RecoverySheetCheck().findings(on: machine)
    #expect(found.map(\.state) == [.warn])
    #expect(found.first?.what.contains("any name.txt") == true)
    #expect(found.first?.what.contains("ABCD") == false)
  }

  @Test func theAgentsFolderMustBeTheUsersAlone() throws {
    var machine = try machine()
    #expect(AgentCheck().findings(on: machine).map(\.state) == [.ok])
    machine.environment = Environment(["XDG_RUNTIME_DIR": root + "/run"])
    #expect(AgentCheck().findings(on: machine).map(\.what) == ["not running; seif unlock starts it"])
    try FileManager.default.createDirectory(atPath: root + "/run/seif", withIntermediateDirectories: true)
    chmod(root + "/run/seif", 0o755)
    #expect(AgentCheck().findings(on: machine).map(\.state) == [.fail])
  }

  @Test func wallsThatTheSystemRefusesAreSaid() throws {
    var machine = try machine()
    (machine.coreLimit, machine.isDumpable, machine.canLock) = ({ 0 }, { false }, { _ in true })
    #expect(CoreDumpsCheck().findings(on: machine).map(\.state) == [.ok])
    #expect(LockedMemoryCheck().findings(on: machine).map(\.state) == [.ok])
    machine.isDumpable = { true }
    #expect(CoreDumpsCheck().findings(on: machine).map(\.state) == [.fail])
    (machine.isDumpable, machine.coreLimit) = ({ false }, { UInt64.max })
    #expect(CoreDumpsCheck().findings(on: machine).map(\.state) == [.fail])
    machine.canLock = { _ in false }
    #expect(LockedMemoryCheck().findings(on: machine).map(\.state) == [.warn])
  }

  @Test func swapInClearIsWarnedOfAndEncryptedSwapIsNot() throws {
    let machine = try machine()
    #expect(SwapCheck().findings(on: machine).map(\.state) == [.warn])
    let head = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
    try write(head, "proc/swaps")
    #expect(SwapCheck().findings(on: machine).map(\.what) == ["none"])
    try write(head + "/dev/dm-7  partition\t8388604\t0\t-2\n", "proc/swaps")
    try write("LVM-abc\n", "sys/block/dm-7/dm/uuid")
    #expect(SwapCheck().findings(on: machine).map(\.state) == [.warn])
    // On dm-crypt by itself, or by what it stands on.
    try write("CRYPT-LUKS2-abc\n", "sys/block/dm-7/slaves/dm-1/dm/uuid")
    #expect(SwapCheck().findings(on: machine).map(\.state) == [.ok])
    try write("LVM-def\n", "sys/block/dm-7/slaves/sdb1/dm/uuid")
    #expect(SwapCheck().findings(on: machine).map(\.state) == [.warn])
    try write("CRYPT-PLAIN-swap\n", "sys/block/dm-7/dm/uuid")
    #expect(SwapCheck().findings(on: machine).map(\.state) == [.ok])
    try write(head + "/dev/zram0 partition 1 0 100\n", "proc/swaps")
    #expect(SwapCheck().findings(on: machine).map(\.state) == [.ok])
    try write("/dev/sda3\n", "sys/block/zram0/backing_dev")
    #expect(SwapCheck().findings(on: machine).map(\.state) == [.warn])
    try write(head + "/dev/sda2 partition 1 0 -2\n/swap\\040file file 1 0 -3\n", "proc/swaps")
    let found = SwapCheck().findings(on: machine)
    #expect(found.first?.what.hasPrefix("/dev/sda2 and 1 more isn't encrypted") == true)
    #expect(SwapCheck.areas(head + "/swap\\040file file 1 0 -3\n") == [.init(path: "/swap file", isFile: true)])
  }

  private func way(_ kind: WayIn.Kind, _ parameters: String = "{}") -> WayIn {
    WayIn(id: RandomSource.system.makeUUID(), kind: kind, createdAt: nil, generation: 1, parameters: parameters)
  }

  @Test func aTPMIsWarnedOfOnlyWhereTheVaultNeedsItOrGuessesAreMany() throws {
    var machine = try machine()
    machine.unseal = { _ in nil }
    func states(_ tpm: TPMState) -> [Sign] {
      machine.tpm = { tpm }
      return TPMCheck().findings(on: machine).map(\.state)
    }
    func counted(_ failures: Int) -> TPMState { .usable(.init(failures: failures, limit: 32, interval: 7200)) }
    let broken: [TPMState] = [.none, .forbidden, .noLibraries, .refuses("code 0x1")]
    machine.waysIn = { [self.way(.passphrase)] }
    for state in broken { #expect(states(state) == [.ok], "\(state)") }
    for (failures, sign) in [(0, Sign.ok), (16, .ok), (17, .warn), (32, .warn)] {
      #expect(states(counted(failures)) == [sign], "\(failures)")
    }
    #expect(TPMCheck().findings(on: machine).first?.cure?.contains("each 120 minutes") == true)
    #expect(states(.usable(nil)) == [.ok])
    machine.waysIn = { [self.way(.tpm2)] }
    for state in broken { #expect(states(state) == [.warn], "\(state)") }
    #expect(states(counted(0)) == [.ok, .ok])
    for code in [VaultError.Code.deviceChanged, .otherDevice, .deviceMissing] {
      machine.unseal = { _ in VaultError(code) }
      #expect(states(counted(0)) == [.ok, .warn], "\(code)")
    }
    // With a PIN nothing is tried: a wrong one would count.
    machine.waysIn = { [self.way(.tpm2, #"{"pin":true}"#)] }
    #expect(states(counted(0)) == [.ok, .ok])
  }

  @Test func aKeyringIsToldOfAndWarnedOfOnlyWhereTheVaultNeedsIt() throws {
    var machine = try machine()
    func states(_ service: SecretService) -> [Sign] {
      machine.keyring = { service }
      return KeyringCheck().findings(on: machine).map(\.state)
    }
    func owned(_ isLocked: Bool?) -> SecretService { .owned(program: "keeper", process: 7, isLocked: isLocked) }
    machine.waysIn = { [] }
    #expect(states(.unknown) == [])
    for service in [.nobody, owned(nil), owned(true), owned(false)] { #expect(states(service) == [.ok]) }
    machine.waysIn = { [self.way(.keyring)] }
    for service in [.unknown, .nobody, owned(nil), owned(true)] { #expect(states(service) == [.warn]) }
    #expect(states(owned(false)) == [.ok])
    let found = KeyringCheck().findings(on: machine)
    #expect(found.map(\.what) == ["keeper, process 7: unlocked, so every program of yours can read what lies there"])
  }

  @Test func theSessionsBusIsWhereItSaysOrInItsFolder() throws {
    func bus(_ variables: [String: String]) -> String? { Devices(environment: Environment(variables)).sessionBus }
    #expect(bus([:]) == nil)
    #expect(bus(["XDG_RUNTIME_DIR": root]) == nil)
    try write("", "bus")
    #expect(bus(["XDG_RUNTIME_DIR": root]) == "unix:path=\(root)/bus")
    #expect(bus(["XDG_RUNTIME_DIR": root, "DBUS_SESSION_BUS_ADDRESS": "unix:abstract=x"]) == "unix:abstract=x")
    #expect(bus(["XDG_RUNTIME_DIR": "run"]) == nil)
  }

  @Test func aBackupThatIsOldOrMissingIsWarnedOf() throws {
    let machine = try machine()
    #expect(BackupCheck(ledger: []).findings(on: machine).map(\.state) == [.warn])
    func proof(daysAgo: Int64) -> [LedgerEvent] {
      let at = Timestamp(seconds: 1_790_000_000 - daysAgo * 86_400)
      return [LedgerEvent.Kind.stored, .proven].map {
        LedgerEvent(
          at: at, kind: $0, destination: "/d", name: "n", sha256: [UInt8](repeating: 1, count: 32), byteCount: 1,
          format: "authbackup", counts: [:])
      }
    }
    #expect(BackupCheck(ledger: proof(daysAgo: 3)).findings(on: machine).map(\.what) == ["last proven 3 d ago (/d)"])
    #expect(BackupCheck(ledger: proof(daysAgo: 31)).findings(on: machine).map(\.state) == [.warn])
  }
}
