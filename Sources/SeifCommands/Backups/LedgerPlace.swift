internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// A place of the ledger, found without asking the place: it may be gone for good.
struct LedgerPlace {
  /// Its name in the ledger.
  var place: String
  /// What the vault calls it now; nil: it knows no destination there.
  var name: String?

  /// How a person knows it.
  var shown: String { name ?? place }

  /// The place of a destination's name, of a folder, or as the ledger and `seif status` spell it.
  static func find(
    _ given: String, _ history: LedgerHistory, _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> LedgerPlace {
    let known = history.destinations
    let names = try withVault(folder) { () throws(VaultUseError) in
      try TransportItem.names(in: vault, vault.list(), context)
    }
    func found(_ place: String) -> LedgerPlace? {
      guard known.contains(where: { utf8Equal($0, place) }) else { return nil }
      return LedgerPlace(place: place, name: names[Array(place.utf8)])
    }
    if let named = names.first(where: { utf8Equal($0.value, given) }) {
      let place = String(decoding: named.key, as: UTF8.self)
      guard let found = found(place) else {
        throw CommandFailure(.notFound, "the ledger has nothing of \(given)", hint: "See: seif status")
      }
      return found
    }
    let file = given.hasPrefix("file:") ? "file:" + AbsolutePath.of(String(given.dropFirst(5))) : nil
    for spelled in [given, file ?? AbsolutePath.of(given)] { if let found = found(spelled) { return found } }
    throw CommandFailure(
      .notFound, "the ledger has nothing of \(given)",
      hint: known.isEmpty
        ? "See: seif status" : "It has: \(known.map { names[Array($0.utf8)] ?? $0 }.joined(separator: ", ")).")
  }
}
