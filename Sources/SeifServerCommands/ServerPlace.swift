package import SeifCommandLine

/// Where a server keeps what it keeps: `--data DIR`, else the folder that systemd gives, else
/// `$XDG_DATA_HOME/seif-server`.
package struct ServerPlace: OptionGroup, Sendable {
  package static let data = Option.value("data", "DIR", "the server's folder (else the usual place)")
  package static var options: [Option] { [data] }

  package let given: String?

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    given = arguments.value(Self.data)
    if given == "" { throw UsageError("--data needs the name of a folder") }
  }

  /// The folder, whether it exists or not.
  package func folder(_ environment: Environment) throws(CommandFailure) -> String {
    if let given { return given }
    // systemd separates several by colons; ours has one.
    if let path = environment["STATE_DIRECTORY"], path.hasPrefix("/"), !path.contains(":") { return path }
    if let data = UserFolders.data(environment) { return data + "/seif-server" }
    throw CommandFailure(.usage, "nothing says where the server's folder is", hint: "Give --data DIR.")
  }
}

/// The name of an account: 1 to 64 characters `a-z`, `0-9`, `.`, `_`, `-`.
package enum AccountName {
  package static func isValid(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D
      }
  }

  package static func parse(_ text: String) throws(UsageError) -> String {
    guard isValid(text) else {
      throw UsageError("a name has 1 to 64 of the characters a-z 0-9 . _ -")
    }
    return text
  }
}

/// A size as people write it: `500M`, `10G`, a number of bytes. Units are powers of 1024.
package enum ByteSize {
  package static func parse(_ text: String) throws(UsageError) -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    var digits = Substring(text)
    var unit = 1
    if let last = digits.last, let known = units[Character(last.uppercased())] {
      unit = known
      digits.removeLast()
    }
    let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isNumber, let number = Int(digits), case let (bytes, overflow) = number.multipliedReportingOverflow(by: unit),
      !overflow, bytes >= 1 << 20, bytes <= 1 << 50
    else { throw UsageError("a size is a number with K, M, G or T, from 1M on: 10G") }
    return bytes
  }

  /// The shortest exact form.
  package static func text(_ bytes: Int) -> String {
    for (unit, shift) in [("T", 40), ("G", 30), ("M", 20), ("K", 10)] where bytes > 0 && bytes & ((1 << shift) - 1) == 0
    {
      return "\(bytes >> shift)\(unit)"
    }
    return "\(bytes)"
  }
}
