internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// `seif backup create --snapshot`: by the agent where it holds the vault and the destination is approved, else by this
/// process.
struct SnapshotCreate {
  /// Nil: all that are approved.
  let destination: DestinationOptions?
  var accepting: Set<Acceptance> = []
  var rule = RetentionRule()
  let unlock: UnlockOptions
  let output: OutputOptions

  func run(_ context: Context) throws(CommandFailure) -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    try destination?.checkSpelling()
    // The agent takes no command's word for what may go.
    let isUsual = accepting.isEmpty && rule == RetentionRule()
    if isUsual, destination?.isNamed ?? true, let deliveries = try byAgent(context) {
      return try SnapshotReport(deliveries).show(output, context)
    }
    let vault = try unlock.unlock(.readWrite, context)
    defer { vault.lock() }
    var delivery = SnapshotDelivery(
      turns: DirectTurns(vault), reach: Reach(registry: context.transports), clock: context.clock)
    (delivery.accepting, delivery.rule) = (accepting, rule)
    let deliveries: [Delivery]
    if let destination {
      let (transport, place) = try destination.transport(DirectVault(vault), folder, context)
      deliveries = try withVault(folder) { () throws(VaultUseError) in
        try delivery.deliver(to: [(destination.name, .success((transport, place)))])
      }
    } else {
      deliveries = try withVault(folder) { () throws(VaultUseError) in try delivery.run(nil) }
    }
    return try SnapshotReport(deliveries).show(output, context)
  }

  /// Nil: the agent doesn't hold the vault, or the one destination isn't approved.
  private func byAgent(_ context: Context) throws(CommandFailure) -> [Delivery]? {
    guard unlock.isOpenInAgent(context) else { return nil }
    do throws(CommandFailure) {
      return try unlock.inAgent(context) { (vault) throws(VaultUseError) in
        try vault.backUp(to: destination?.name, onlyIfChanged: false)
      }?.result
    } catch {
      guard destination != nil, error == CommandFailure(AgentRefusal(.notApproved, destination?.name ?? "")) else {
        throw error
      }
      context.talk.say("\(destination?.name ?? "") isn't approved for the agent, so this asks.")
      return nil
    }
  }
}

/// What became of a snapshot at its destinations.
struct SnapshotReport {
  let deliveries: [Delivery]

  init(_ deliveries: [Delivery]) { self.deliveries = deliveries }

  /// The gravest of them.
  var exitCode: ExitCode {
    let codes = deliveries.compactMap { ExitCode(rawValue: $0.exitCode) }.filter { $0 != .done }
    return codes.first { $0 == .checkFailed } ?? codes.first ?? .done
  }

  func show(_ output: OutputOptions, _ context: Context) throws(CommandFailure) -> ExitCode {
    for delivery in deliveries where delivery.isProven {
      for word in delivery.words { context.talk.warn("\(delivery.destination): \(word)") }
    }
    if output.json {
      try context.output.writeLine(json: document)
    } else {
      for delivery in deliveries {
        try context.output.writeLine(Self.line(delivery, context.output.style))
      }
      try context.output.flush()
    }
    return exitCode
  }

  private static func line(_ delivery: Delivery, _ style: TerminalStyle) -> String {
    let words = Display.cleaned(delivery.words.joined(separator: "; "))
    let place = Display.cleaned(delivery.destination)
    if delivery.isFound {
      let sign = delivery.exitCode == 0 ? Sign.warn : Sign.fail
      return "\(sign.text(style)) \(place)  \(delivery.name.isEmpty ? "" : delivery.name + "  ")\(words)"
    }
    if delivery.isProven { return "\(Sign.ok.text(style)) \(place)  \(delivery.name)  fetched again and opened" }
    if delivery.exitCode == 0 { return "- \(place)  \(delivery.name.isEmpty ? "" : delivery.name + "  ")\(words)" }
    return "\(Sign.fail.text(style)) \(place)  no snapshot: \(words)"
  }

  private var document: SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-snapshot", 1)
    writer.key("destinations")
    writer.beginArray()
    for delivery in deliveries {
      writer.beginObject()
      writer.member("destination", delivery.destination)
      writer.member("proven", delivery.isProven)
      writer.member("name", delivery.name)
      writer.member("bytes", delivery.byteCount)
      writer.member("exit", Int(delivery.exitCode))
      writer.member("words", delivery.words)
      if delivery.isFound { writer.member("foundElsewhere", true) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
