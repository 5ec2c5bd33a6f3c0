import FoundationEssentials
import Testing

/// The server's program can read no vault, since nothing in it knows how: none of its symbols is of a module that does.
@Suite("What seif-server is made of")
struct ServerSymbolTests {
  static let forbidden = [
    "SeifRecords", "SeifFormats", "SeifBackups", "SeifDocumentFormat", "SeifVault", "SeifDocuments", "SeifTransports",
    "SeifAgent", "SeifCommands",
  ]

  /// The program beside the bundle of the tests.
  private func symbols(of name: String) throws -> String {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = bundle.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 }
    let listed = try run(["nm", folder + "/" + name])
    try #require(listed.status == 0 && listed.output.utf8.count > 10_000, "nm \(name)")
    return listed.output
  }

  /// A module in a mangled name: its length, then itself.
  private func holds(_ symbols: String, _ module: String) -> Bool {
    symbols.utf8.count > 0 && symbols.firstRange(of: "\(module.utf8.count)\(module)") != nil
  }

  @Test func noneOfItsSymbolsIsOfAVaultOrAFormat() throws {
    let server = try symbols(of: "seif-server")
    for module in Self.forbidden { #expect(!holds(server, module), "\(module)") }
    #expect(holds(server, "SeifServerStore"))
    // The same look finds them where they are.
    let seif = try symbols(of: "seif")
    for module in Self.forbidden { #expect(holds(seif, module), "\(module)") }
  }

  @Test func seifHoldsNothingOfTheServer() throws {
    let seif = try symbols(of: "seif")
    for module in ["SeifServer", "SeifHTTPServer", "SeifServerStore"] { #expect(!holds(seif, module), "\(module)") }
  }
}
