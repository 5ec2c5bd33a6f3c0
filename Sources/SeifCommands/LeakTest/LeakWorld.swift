internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import Synchronization

/// A home of its own for a leak test: folders that nobody else sees, and the processes that run in them. All of it goes at
/// the end, however that comes.
final class LeakWorld: Sendable {
  /// What has to be undone: the processes of each folder. Held while one starts, so that an interruption comes before it
  /// or kills it.
  private static let living = Mutex<[String: Set<Int32>]>([:])

  let folder: String
  private let inherited: [String]
  private let key: UInt64

  var home: String { folder + "/home" }
  var vault: String { home + "/.local/share/seif" }
  var temporary: String { folder + "/tmp" }
  /// What commands write for the person.
  var outputs: String { folder + "/out" }
  /// Where processes work, and so where a core file would lie.
  var work: String { folder + "/work" }
  var runtime: String { folder + "/run" }
  /// Sockets and files of the keyring and the TPM, which keep their own secrets there.
  var devices: String { folder + "/devices" }
  private var pinentry: String { folder + "/pinentry" }
  func output(_ name: String) -> String { outputs + "/" + name }

  /// - Throws: exit 73 where there is no place for it.
  init(_ environment: Environment) throws(CommandFailure) {
    let parent = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    Self.removeLeft(in: parent)
    var template = Array("\(parent)/\(Self.namePrefix)\(getpid())-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandFailure(.cannotCreate, "no folder can be made in \(parent): \(Descriptor.words(for: errno))")
    }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.folder = folder
    inherited = ["PATH", "LANG"].compactMap { name in environment[name].map { "\(name)=\($0)" } }
    Self.living.withLock { $0[folder] = [] }
    key = Interrupts.add(Interrupts.Actions(end: { Self.clear(folder) }))
    for name in ["home", "tmp", "out", "out/backups", "work", "run", "devices"]
    where mkdir("\(folder)/\(name)", 0o700) != 0 {
      throw CommandFailure(.cannotCreate, "\(folder)/\(name) can't be made: \(Descriptor.words(for: errno))")
    }
    // Says yes to each question of the agent, and gives no passphrase.
    let script = """
      #!/bin/sh
      echo "OK"
      while read -r command rest; do
        case $command in
          GETPIN) echo "ERR 83886179 Operation cancelled" ;;
          BYE) echo OK; exit 0 ;;
          *) echo OK ;;
        esac
      done

      """
    try write(script, as: pinentry, mode: 0o700)
  }

  /// Makes a file, such as a script.
  func write(_ text: String, as path: String, mode: UInt32) throws(CommandFailure) {
    let descriptor = seif_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    defer { if descriptor >= 0 { close(descriptor) } }
    let bytes = Array(text.utf8)
    guard descriptor >= 0, bytes.withUnsafeBytes({ seif_write_all(descriptor, $0.baseAddress, $0.count) }) == 0 else {
      throw CommandFailure(.cannotCreate, "\(folder) can't be written: \(Descriptor.words(for: errno))")
    }
  }

  deinit {
    Interrupts.remove(key)
    Self.clear(folder)
  }

  /// The variables of every process here.
  func variables(_ plant: String, _ more: [String] = []) -> [String] {
    inherited + [
      "HOME=\(home)", "XDG_RUNTIME_DIR=\(runtime)", "TMPDIR=\(temporary)", "SEIF_PINENTRY=\(pinentry)",
      "SEIF_LEAK_PLANT=\(plant)",
    ] + more
  }

  /// How another program is started that stands for a device: apart from the home of the test.
  func invocation(of program: String, _ words: [String], _ more: [String] = []) -> LeakInvocation {
    LeakInvocation(
      program: program, words: words,
      environment: inherited + [
        "HOME=\(devices)", "XDG_RUNTIME_DIR=\(devices)", "XDG_DATA_HOME=\(devices)", "TMPDIR=\(devices)",
      ] + more, folder: devices)
  }

  /// Starts a process; it is ended with this.
  func start(_ invocation: LeakInvocation) throws(CommandFailure) -> LeakProcess {
    let started = Self.living.withLock { living -> LeakProcess? in
      guard living[folder] != nil, let process = LeakProcess(invocation) else { return nil }
      living[folder]?.insert(process.identifier)
      return process
    }
    guard let started else {
      throw CommandFailure(.unavailable, "no process can be started: \(Descriptor.words(for: errno))")
    }
    return started
  }

  /// A process that has ended.
  func forget(_ process: LeakProcess) { _ = Self.living.withLock { $0[folder]?.remove(process.identifier) } }

  private static func clear(_ folder: String) {
    guard let processes = living.withLock({ $0.removeValue(forKey: folder) }) else { return }
    for process in processes {
      // Each leads a session of its own: what it started goes with it.
      kill(-process, SIGKILL)
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    // What runs on meanwhile may have made a file in it.
    for _ in 0..<10 where access(folder, F_OK) == 0 { remove(folder) }
  }

  private static let namePrefix = "seif-leak-test-"

  /// Removes the folders of runs that were killed. Their names hold the run's process; an agent whose socket is gone ends.
  static func removeLeft(in parent: String) {
    for name in Machine.names(in: parent, limit: 100_000) where name.hasPrefix(namePrefix) {
      let parts = name.dropFirst(namePrefix.count).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let process = Int32(parts[0]), process > 0, process != getpid(),
        parts[1].utf8.count == 6, kill(process, 0) != 0, errno == ESRCH,
        let status = Machine.status(parent + "/" + name, followingLinks: false), status.st_uid == getuid(),
        status.st_mode & S_IFMT == S_IFDIR
      else { continue }
      remove(parent + "/" + name)
    }
  }

  /// Removes a file, or a folder with all that is in it; links aren't followed.
  static func remove(_ path: String, depth: Int = 0) {
    if unlink(path) == 0 || depth > 64 { return }
    for name in Machine.names(in: path) { remove(path + "/" + name, depth: depth + 1) }
    rmdir(path)
  }
}
