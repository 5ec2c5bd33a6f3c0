internal import SeifCommandLine
internal import SeifBytes

/// The units of systemd's user manager that make backups by time and on change.
struct SystemdUnits {
  /// The program, by its whole path.
  let program: String
  /// The vault's folder.
  let folder: String
  /// What `OnCalendar` says.
  let calendar: String
  let isOnChange: Bool
  /// What a run may open the vault by; nil: nothing.
  var credential: SystemdCredential?

  static let timer = "seif-backup.timer"
  static let service = "seif-backup.service"
  static let path = "seif-backup.path"
  static let changeService = "seif-backup-change.service"
  static let names = [service, timer, changeService, path]

  /// What is enabled.
  var started: [String] { isOnChange ? [Self.timer, Self.path] : [Self.timer] }

  /// Their texts by their names.
  var files: [(name: String, text: String)] {
    var files = [
      (Self.service, service("a snapshot of the vault", arguments: "")),
      (
        Self.timer,
        """
        # Made by `seif backup schedule`.
        [Unit]
        Description=Seif: snapshots of the vault, by time

        [Timer]
        OnCalendar=\(calendar)
        # A run that was missed, since the machine was off, is made up for.
        Persistent=true
        RandomizedDelaySec=15min

        [Install]
        WantedBy=timers.target

        """
      ),
    ]
    guard isOnChange else { return files }
    files.append((Self.changeService, service("a snapshot of a vault that was changed", arguments: " --if-changed")))
    files.append(
      (
        Self.path,
        """
        # Made by `seif backup schedule`.
        [Unit]
        Description=Seif: snapshots of the vault, on change

        [Path]
        PathChanged=\(Self.escaped(folder + "/vault.db"))
        PathChanged=\(Self.escaped(folder + "/vault.db-wal"))
        Unit=\(Self.changeService)
        # An import writes many times.
        TriggerLimitIntervalSec=1min
        TriggerLimitBurst=60

        [Install]
        WantedBy=paths.target

        """
      ))
    return files
  }

  /// A service that talks to the agent and writes to folders: it has no network, the agent does what needs one. With a
  /// credential it does itself what the agent would.
  private func service(_ what: String, arguments: String) -> String {
    """
    # Made by `seif backup schedule`.
    [Unit]
    Description=Seif: \(what)

    [Service]
    Type=oneshot
    \(credential.map { "LoadCredentialEncrypted=\(Self.escaped($0.setting))\n" } ?? "")\
    \(arguments.isEmpty ? "" : "# What else is written just now is in it too.\nExecStartPre=/bin/sleep 20\n")\
    ExecStart=\(Self.quoted(program)) backup run\(arguments)\(credentialOption) --vault \(Self.quoted(folder))
    TimeoutStartSec=4h
    Nice=10
    UMask=0077
    NoNewPrivileges=yes
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    RestrictAddressFamilies=AF_UNIX\(credential == nil ? "" : " AF_INET AF_INET6 AF_NETLINK")
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native
    SystemCallFilter=@system-service

    """
  }

  private var credentialOption: String { credential.map { " --credential \($0.name)" } ?? "" }

  /// A path in a setting that takes one.
  private static func escaped(_ path: String) -> String { path.replacing("%", with: "%%") }

  /// A word of a command line.
  private static func quoted(_ word: String) -> String {
    var text = "\""
    for character in word.unicodeScalars {
      switch character {
      case "\"", "\\": text += "\\\(character)"
      case "%": text += "%%"
      case "$": text += "$$"
      default: text.unicodeScalars.append(character)
      }
    }
    return text + "\""
  }

  /// Whether a path can stand in a unit: systemd takes lines.
  static func canHold(_ path: String) -> Bool { path.hasPrefix("/") && !path.utf8.contains { $0 < 0x20 || $0 == 0x7F } }

  /// What `--every` takes, as calendar expressions: a missed run is made up for only by these.
  static let intervals: [(name: String, calendar: String)] = [
    ("1h", "hourly"), ("2h", "*-*-* 00/2:00:00"), ("3h", "*-*-* 00/3:00:00"), ("4h", "*-*-* 00/4:00:00"),
    ("6h", "*-*-* 00/6:00:00"), ("8h", "*-*-* 00/8:00:00"), ("12h", "*-*-* 00/12:00:00"), ("24h", "daily"),
    ("7d", "weekly"),
  ]
}
