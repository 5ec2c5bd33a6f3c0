internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// The values of references, taken from the vault in one go, after which the vault is locked again.
struct ReferenceValues {
  struct Value {
    let bytes: SecretValue
    /// Whether it is masked in output: passwords are, user names aren't.
    let isSecret: Bool
  }

  private(set) var values: [Reference: Value] = [:]

  subscript(_ reference: Reference) -> SecretValue { values[reference]?.bytes ?? .empty }

  /// What has to be masked.
  var secrets: [SecretValue] { values.values.filter(\.isSecret).map(\.bytes) }

  /// Opens the vault, resolves all references, and locks it.
  ///
  /// - Parameter nothing: what didn't happen because of a failure: `Nothing was started.`
  /// - Throws: exit 66 that names every reference without a value; no counter has moved then.
  init(
    _ references: [Reference], unlock: UnlockOptions, otherwise nothing: String, _ context: Context
  ) throws(CommandFailure) {
    guard !references.isEmpty else { return }
    let folder = try unlock.vault.folder(context.environment)
    // A counter has to move before its code is given; whether one is needed is known only once the entry is found.
    let mayMove = references.contains { $0.field.known == .code }
    let vault = try unlock.use(mayMove ? .readWrite : .readOnly, mayOnlyRead: mayMove, context)
    defer { vault.lock() }
    let summaries = try withVault(folder) { () throws(VaultUseError) in try vault.list() }
    _ = vault.tell(context)

    var failures: [String] = []
    var found: [(reference: Reference, hit: Hit)] = []
    for reference in references where !found.contains(where: { $0.reference == reference }) {
      let (hits, count) = try Self.hits(reference, summaries, vault, folder)
      if let only = hits.first, hits.count == 1, count <= Self.hitLimit {
        found.append((reference, only))
      } else {
        failures.append("\(reference): \(Self.reason(reference, hits.map(\.summary), count, summaries))")
      }
    }
    guard failures.isEmpty else {
      let what = failures.count == 1 ? "a reference has no value" : "\(failures.count) references have no value"
      throw CommandFailure(.notFound, what, hint: nothing, details: failures)
    }
    let time = Timestamp(seconds: context.clock.now())
    // Those that count come last: nothing can fail after a counter has moved but the moving of the next.
    for (reference, hit) in found.filter({ !$0.hit.value.moves }) + found.filter(\.hit.value.moves) {
      values[reference] = try withVault(folder) { () throws(VaultUseError) in
        if let bytes = try vault.value(hit.value, of: hit.read) {
          return Value(bytes: bytes, isSecret: hit.value.isSecret)
        }
        let code = try vault.code(hit.summary.id.description, next: false, at: time).code
        return code.map { Value(bytes: SecretValue(utf8: $0.text), isSecret: true) }
      }
      guard values[reference] != nil else {
        throw CommandFailure(.badInput, "\(reference): there is no code for this entry", hint: nothing)
      }
    }
  }

  private struct Hit {
    let summary: EntrySummary
    let read: ReadEntry
    let value: EntryField.Found
  }

  /// The entries that fit and have the field, and how many fit.
  private static func hits(
    _ reference: Reference, _ summaries: [EntrySummary], _ vault: any UnlockedVault, _ folder: String
  ) throws(CommandFailure) -> (hits: [Hit], count: Int) {
    func search(
      among entries: [EntrySummary], _ value: (Entry) -> EntryField.Found?
    ) throws(CommandFailure) -> (hits: [Hit], count: Int) {
      let fitting = Query(reference.item).matches(entries)
      var hits: [Hit] = []
      for summary in fitting.prefix(hitLimit) {
        let read = try withVault(folder) { () throws(VaultUseError) in try vault.entry(summary.id) }
        if let value = value(read.stored.entry) { hits.append(Hit(summary: summary, read: read, value: value)) }
      }
      return (hits, fitting.count)
    }
    guard let known = reference.field.known else {
      return try search(among: summaries.filter { $0.kind != .documents }) { reference.field.own(of: $0) }
    }
    var (hits, count) = try search(among: summaries.filter { known.mayStand(in: $0) }) { known.value(of: $0) }
    if hits.isEmpty, count <= hitLimit {
      return try search(among: summaries.filter { $0.kind != .documents }) { reference.field.own(of: $0) }
    }
    if hits.count > 1, known == .user {
      // A login and its code have one name; the login is what a person means.
      let logins = hits.filter { $0.summary.kind == .passwords }
      if logins.count == 1 { hits = logins }
    }
    return (hits, count)
  }

  private static let hitLimit = 16

  private static func reason(
    _ reference: Reference, _ found: [EntrySummary], _ hitCount: Int, _ all: [EntrySummary]
  ) -> String {
    if hitCount > hitLimit { return "it fits \(hitCount) entries" }
    if found.count > 1 {
      // Identifiers, since what tells two entries apart may be nothing else.
      let names = found.prefix(4).map { "\(EntryLabel.text($0.name, $0.account)) (\($0.id))" }
      return "it fits \(found.count) entries: \(names.joined(separator: "; "))"
    }
    return Query(reference.item).matches(all).isEmpty ? "nothing in the vault fits" : "what fits has no such field"
  }
}
