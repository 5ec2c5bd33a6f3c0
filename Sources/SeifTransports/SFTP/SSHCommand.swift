internal import SeifBackups
internal import SeifBytes
internal import SeifProcesses

/// How the system's `ssh` is called for SFTP, and what its failures mean.
struct SSHCommand {
  var host: String
  var user = ""
  var port = ""
  var identityFile = ""
  /// In place of the person's own, in tests.
  var configFile = ""
  /// Where `ssh` is looked for; nil: in the PATH of the environment.
  var searchPath: String?
  /// How many milliseconds a packet may take.
  var patience: Int64 = 60_000

  /// What can't be handed to `ssh`, in words; nil: all can. Words are matched, never cleaned.
  var fault: (field: String, words: String)? {
    guard Self.matches(host, "._-:", limit: 255) else { return ("host", "isn't the name of one") }
    guard user.isEmpty || Self.matches(user, "._-+@", limit: 64) else { return ("user", "isn't the name of one") }
    guard port.isEmpty || (port.utf8.count <= 5 && Self.matches(port, "", limit: 5) && UInt16(port) ?? 0 > 0) else {
      return ("port", "isn't a number from 1 to 65535")
    }
    for (name, path) in [("identity-file", identityFile), ("config-file", configFile)] where !path.isEmpty {
      guard path.hasPrefix("/"), PlainName.isIdentifier(path) else { return (name, "isn't a whole path") }
    }
    return nil
  }

  /// Its arguments. Host keys are judged as the person's own configuration says: in `BatchMode`, what it would ask is
  /// refused. Nothing is asked, forwarded, shared or run on this machine beside it.
  var words: [String] {
    var words = configFile.isEmpty ? [] : ["-F", configFile]
    for option in [
      "BatchMode=yes", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "Tunnel=no", "RequestTTY=no",
      "PermitLocalCommand=no", "RemoteCommand=none", "ControlMaster=no", "EscapeChar=none", "LogLevel=INFO",
      "ForkAfterAuthentication=no", "StdinNull=no", "ConnectTimeout=20", "ServerAliveInterval=15",
      "ServerAliveCountMax=3",
    ] {
      words.append("-o" + option)
    }
    if !user.isEmpty { words += ["-l", user] }
    if !port.isEmpty { words += ["-p", port] }
    if !identityFile.isEmpty { words += ["-i", identityFile] }
    return words + ["-s", "--", host, "sftp"]
  }

  /// Starts it and says hello.
  func connect() throws(TransportError) -> SFTPSession {
    guard let ssh = ChildProcess.find("ssh", path: searchPath ?? ProgramEnvironment.value("PATH")) else {
      throw TransportError(.unavailable, place: host, reason: "ssh isn't on the PATH: install openssh-client")
    }
    let program: PipedProgram
    do throws(PipedProgram.Failure) {
      program = try PipedProgram(ssh, ["ssh"] + words, environment: ProgramEnvironment.pairs)
    } catch {
      throw TransportError(.unavailable, place: host, reason: "ssh can't be started")
    }
    do throws(TransportError) {
      return try SFTPSession(program, place: host, patience: patience)
    } catch  where error.code == .unavailable {
      // Its last words come before its end.
      _ = program.end()
      throw failure(program.messages, program.lastMessage)
    } catch  where error.code == .badAnswer {
      throw TransportError(
        .badAnswer, place: host, reason: "\(error.reason): is there SFTP, and does the login print nothing?")
    }
  }

  /// What ssh's messages say: its exit status is 255 for every failure, so there is nothing else to go by. They aren't
  /// translated.
  func failure(_ messages: String, _ lastLine: String) -> TransportError {
    let name = port.isEmpty ? host : "[\(host)]:\(port)"
    for (text, code) in Self.meanings where messages.contains(text) {
      guard code == .certificate else { return TransportError(code, place: host, reason: lastLine) }
      let isChanged = messages.contains("HOST IDENTIFICATION HAS CHANGED")
      let cure =
        isChanged
        ? "its host key has changed: ask who runs it why; only if that is as it should be, ssh-keygen -R \(name)"
        : "its host key isn't known: connect once by ssh \(port.isEmpty ? "" : "-p \(port) ")\(host) and compare the "
          + "fingerprint that it shows with what its owner says"
      return TransportError(.certificate, place: host, reason: cure)
    }
    return TransportError(.unavailable, place: host, reason: lastLine)
  }

  private static let meanings: [(String, TransportError.Code)] = [
    ("HOST IDENTIFICATION HAS CHANGED", .certificate), ("Host key verification failed", .certificate),
    ("Permission denied (", .unauthorized), ("Too many authentication failures", .unauthorized),
    ("subsystem request failed", .failed), ("timed out", .timedOut),
  ]

  private static func matches(_ text: String, _ others: String, limit: Int) -> Bool {
    guard (1...limit).contains(text.utf8.count), !text.hasPrefix("-") else { return false }
    return text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || others.utf8.contains(byte)
    }
  }
}
