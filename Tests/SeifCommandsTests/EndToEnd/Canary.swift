import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

/// The secrets that the tests of the whole program use: none of them may be found in anything that was written, unless
/// the file is meant to hold it and says so by "in-clear" in its name.
enum Canary {
  static let vaultPassphrase = "vault-canary umbrella quartz 09 lantern"
  static let filePassphrase = "file-canary walnut ferry 27 compass"
  static let password = "Canary-password-5xQ!ripple"
  static let newPassword = "Canary-second-password-8vK"
  static let cardNumber = "6011000990139424"
  static let note = "Canary note: the spare key is under the fern"
  /// Seeds as base32; the search looks for their bytes, and so for every spelling of them.
  static let timedSeed = "IZQW4Y3ZKNSWKZCGN5ZEGYLOMFZHSMRR"
  static let countedSeed = "LURP7RUHKSQT3AHUGIXCFVHGNRV62HMD"
  static let steamSeed = "KNQWM4TPNZKGQZKTORSWC3KDMFXGC4TZ"

  static let all = [vaultPassphrase, filePassphrase, password, newPassword, cardNumber, note]
  static let seeds = [timedSeed, countedSeed, steamSeed]

  /// The lines of `Tests/canaries.txt`, from which `scripts/canary` takes what it looks for.
  static var lines: [String] { all.map { "utf-8 " + $0 } + seeds.map { "base32 " + $0 } }

  /// Whether a text shows one.
  static func isShown(in text: String) -> Bool {
    let bytes = Array(text.utf8)
    return (all + seeds).contains { bytes.firstRange(of: Array($0.utf8)) != nil }
  }

  /// What `scripts/canary` finds below a folder: nothing, or lines that name files.
  static func search(_ folder: String) throws -> (status: Int32?, output: String) {
    let script = TestData.packageRoot.path + "/scripts/canary"
    let result = try Terminal([script, folder], program: "/usr/bin/python3", hasTerminal: false).finish()
    return (result.exitCode, result.output + result.errors)
  }
}
