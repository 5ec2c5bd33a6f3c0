internal import Glibc
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// One client, on its thread, from its hello to its end.
final class ClientConnection: Sendable {
  private static let helloMilliseconds: Int64 = 10_000
  private static let idleMilliseconds: Int64 = 120_000
  private static let messageMilliseconds: Int64 = 10_000
  /// Longest hello.
  private static let helloLimit = 4_096

  private let server: AgentServer
  private let channel: MessageChannel
  private let peer: Peer
  /// Its number among the clients.
  private let number: UInt64

  init(_ server: AgentServer, _ channel: MessageChannel, _ peer: Peer, number: UInt64) {
    self.server = server
    self.channel = channel
    self.peer = peer
    self.number = number
  }

  func serve() {
    var used: [OpenVault] = []
    do throws(AgentRefusal) {
      try talk(&used)
    } catch {
      // What couldn't be read is answered once; who is gone or too slow isn't waited for.
      if [.badMessage, .tooLarge].contains(error.code) {
        try? channel.send(AgentAnswer.failure(.agent(error)), patience: 0)
      }
    }
    server.clients.leave(number)
    close(channel.descriptor)
    // "As soon as the first command that uses it has ended."
    for vault in used where vault.lockAfter == .use { server.vaults.lock { $0 === vault } }
  }

  private func talk(_ used: inout [OpenVault]) throws(AgentRefusal) {
    guard
      let greeting = try channel.receive(
        limit: Self.helloLimit, first: Deadline(in: Self.helloMilliseconds), patience: Self.messageMilliseconds)
    else { return }
    let hello = try Hello(greeting)
    try channel.send(server.parts.hello.payload, patience: Self.messageMilliseconds)
    while true {
      guard
        let payload = try channel.receive(
          limit: MessageChannel.requestLimit, first: Deadline(in: Self.idleMilliseconds),
          patience: Self.messageMilliseconds)
      else { return }
      guard server.clients.isWorkedFor(number) else { return }
      defer { server.clients.isWaitedFor(number) }
      if payload == SecretValue([Hello.end]) {
        server.end()
        try channel.send(AgentAnswer.success { _ in }, patience: Self.messageMilliseconds)
        return
      }
      guard server.parts.hello.isSameBuild(as: hello) else {
        try channel.send(
          AgentAnswer.failure(.agent(AgentRefusal(.otherVersion))), patience: Self.messageMilliseconds)
        continue
      }
      let request = try AgentRequest(payload)
      guard request.takesNoTime || server.clients.hasPlace(number) else {
        try channel.send(AgentAnswer.failure(.agent(AgentRefusal(.full))), patience: Self.messageMilliseconds)
        return
      }
      let answer: SecretValue
      do throws(VaultUseError) {
        answer = try self.answer(request, &used)
      } catch {
        answer = AgentAnswer.failure(error)
      }
      server.clients.isWaitedFor(number)
      try channel.send(answer, patience: Self.messageMilliseconds)
    }
  }

  private func answer(
    _ request: AgentRequest, _ used: inout [OpenVault]
  ) throws(VaultUseError) -> SecretValue {
    func vault(_ folder: String) throws(VaultUseError) -> OpenVault {
      let vault = try server.vaults.vault(folder)
      if !used.contains(where: { $0 === vault }) { used.append(vault) }
      return vault
    }
    switch request {
    case .status: return status()
    case .unlock(let folder, let stateFolder, let way, let secret, let lockAfter):
      let location = VaultLocation(folder: folder, stateFolder: stateFolder)
      let opened = try server.vaults.unlock(location, way, secret, lockAfter ?? .standard, peer: peer.closer)
      return AgentAnswer.success(opened.notices) { writer in
        writer.number(opened.vault.lockAfter.wireNumber)
        writer.bool(opened.keepsCounter)
      }
    case .lock(let folder):
      let count = folder.map { server.vaults.lock(folder: $0) ? 1 : 0 } ?? server.vaults.lockAll()
      return AgentAnswer.success { $0.count(count) }
    case .isOpen(let folder):
      _ = try vault(folder)
      return AgentAnswer.success { _ in }
    case .ledger(let folder): return try vault(folder).ledger()
    case .list(let folder): return try vault(folder).list()
    case .names(let folder): return try server.vaults.vault(folder).list(counts: false)
    case .find(let folder, let query, let onlyCodes): return try vault(folder).find(query, onlyCodes: onlyCodes)
    case .code(let folder, let query, let next, let at):
      return try vault(folder).code(query, next: next, at: Timestamp(seconds: at))
    case .entry(let folder, let id): return try vault(folder).entry(id)
    case .reveal(let folder, let id, let field):
      let vault = try vault(folder)
      let subject = try vault.subject(id)
      let kind = Self.consent(toReveal: field, of: subject.kind)
      try require(kind, vault, entry: kind == .cvc ? (id, subject.name) : nil)
      return try vault.reveal(id, field: field)
    case .apply(let folder, let changes, let expected): return try vault(folder).apply(changes, expected: expected)
    case .undo(let folder, let step): return try vault(folder).undo(ifStepIs: step)
    case .lastChange(let folder): return try vault(folder).lastChange()
    case .bin(let folder): return try vault(folder).bin()
    case .binnedCount(let folder): return try vault(folder).binnedCount()
    case .merge(let folder, let records, let options):
      let vault = try vault(folder)
      try require(.importing, vault)
      return try vault.merge(records, options)
    case .verify(let folder): return try vault(folder).verify()
    case .backUp(let folder, let destination, let onlyIfChanged):
      // No use that keeps the vault open, nor one that it locks after: a timer asks for it.
      let (vault, descriptor) = (try server.vaults.vault(folder), channel.descriptor)
      let deliveries = try server.backUp(vault, to: destination, onlyIfChanged: onlyIfChanged) {
        !MessageChannel.isHungUp(descriptor)
      }
      return AgentAnswer.success { writer in
        writer.count(deliveries.count)
        for delivery in deliveries { writer.delivery(delivery) }
      }
    case .records(let folder, _):
      let vault = try vault(folder)
      try require(.export, vault)
      return try vault.records()
    }
  }

  /// What a document vault keeps beside its key may be a key too: nobody here understands it.
  private static func consent(toReveal field: String, of kind: RecordKind) -> ConsentKind {
    if kind == .documents { return .keys }
    return field == "cvc" ? .cvc : .reveal
  }

  private func require(
    _ kind: ConsentKind, _ vault: OpenVault, entry: (id: UUID, name: String)? = nil
  ) throws(VaultUseError) {
    let (server, descriptor) = (server, channel.descriptor)
    server.clients.waitsForPerson(number)
    defer { _ = server.clients.isWorkedFor(number) }
    try agentCall { () throws(AgentRefusal) in
      let peer = peer.closer
      // Whoever holds the socket of a process that is gone is nobody that a question could name.
      guard peer.isRunning else { throw AgentRefusal(.denied, kind.rawValue) }
      do throws(AgentRefusal) {
        try server.consent.require(
          kind, vault: vault.folder, opening: vault.opening, peer: peer, entry: entry,
          isWanted: { peer.isRunning && !MessageChannel.isHungUp(descriptor) && server.vaults.holds(vault) },
          opensVault: { attempt in server.vaults.opens(vault, attempt) })
      } catch {
        // Nobody said no: there is nothing left to agree to.
        throw server.vaults.holds(vault) ? error : AgentRefusal(.locked)
      }
    }
  }

  private func status() -> SecretValue {
    let now = Deadline.now
    let vaults = server.vaults.all.sorted { utf8Precedes($0.folder, $1.folder) }
    let knowsSessions = server.knowsSessions
    return AgentAnswer.success { writer in
      writer.number(Int64(getpid()))
      writer.bool(knowsSessions)
      writer.count(vaults.count)
      for vault in vaults {
        writer.text(vault.folder)
        writer.optional(vault.due) { $0.number(max(0, $1 &- now)) }
        writer.number(Int64(clamping: vault.opening))
      }
    }
  }
}

extension AgentRequest {
  /// Whether a reserved place does for it.
  fileprivate var takesNoTime: Bool {
    switch self {
    case .status, .lock: true
    default: false
    }
  }
}
