internal import Glibc
internal import SeifBytes
internal import SeifVault

/// Times work inside one process, beside the least that the libraries need for it; `scripts/bench` reads the lines
/// `what seconds`.
///
///     seif-bench import FOLDER COUNT          an import into a new vault in FOLDER, which stays, and the bare inserts
///     seif-bench list FOLDER ROUNDS           the list of that vault, and the bare openings of as many bytes
///     seif-bench argon2id                     one bare derivation of `.authbackup` version 2
///     seif-bench transport KIND MEGABYTES ROUNDS FIELD=VALUE...   a file to a destination and back; its secret on stdin
@main
struct SeifBench {
  static let passphrase = SecretValue(utf8: "benchmark, not a secret")

  static func main() {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      switch arguments.first {
      case "import" where arguments.count == 3:
        guard let count = Int(arguments[3]) else { break }
        try VaultBench(folder: arguments[2]).importing(count)
        return
      case "list" where arguments.count == 3:
        guard let rounds = Int(arguments[3]) else { break }
        try VaultBench(folder: arguments[2]).list(rounds: rounds)
        return
      case "argon2id":
        print("argon2id", try BareArgon2id.seconds())
        return
      case "transport" where arguments.count > 4:
        guard let megabytes = Int(arguments[3]), let rounds = Int(arguments[4]) else { break }
        try TransportBench(kind: arguments[2], settings: Array(arguments.dropFirst(4)), secret: readLine() ?? "")
          .run(megabytes: megabytes, rounds: rounds)
        return
      default: break
      }
      fatalError("see Tests/Benchmarks/SeifBench.swift for the arguments")
    } catch {
      fatalError("\(error)")
    }
  }
}

struct BenchFailure: Error {
  let what: String
}

/// Seconds that `work` takes.
func measureSeconds(_ work: () throws -> Void) rethrows -> Double {
  let duration = try ContinuousClock().measure(work)
  return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}
