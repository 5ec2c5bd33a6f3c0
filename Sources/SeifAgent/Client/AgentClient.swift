internal import Glibc
internal import SeifBytes

/// A client of the agent: one connection, made again if the agent closed it while it was idle.
package final class AgentClient {
  /// Waited for without an answer: a look from a screen that shows a secret, a look whether the agent speaks at all, work
  /// on the vault, a derivation, a person, bytes on their way to somewhere slow.
  package enum Patience: Int64, Sendable {
    case glance = 500
    case pulse = 3_000
    case work = 60_000
    case derivation = 180_000
    case person = 600_000
    case transfer = 14_400_000
  }

  private let folder: RuntimeFolder
  private let hello: Hello
  private var channel: MessageChannel?
  /// What the agent said of itself; nil before the first answer.
  package private(set) var agent: Hello?

  /// Finds the agent of a folder.
  ///
  /// - Throws: `gone`, `unsafeFolder`, `stranger`.
  package init(folder path: String, hello: Hello) throws(AgentRefusal) {
    folder = try RuntimeFolder(path, making: false)
    self.hello = hello
    channel = MessageChannel(descriptor: try folder.connect())
  }

  deinit { disconnect() }

  private func disconnect() {
    if let channel { close(channel.descriptor) }
    channel = nil
  }

  /// Asks, and opens the answer: the result is left in the reader.
  package func call(
    _ request: AgentRequest, _ patience: Patience = .work
  ) throws(VaultUseError) -> (AgentAnswer.Notices, WireReader) {
    let payload = request.payload
    let answer = try agentCall { () throws(AgentRefusal) in try exchange(payload, patience) }
    return try AgentAnswer.open(answer)
  }

  /// Has an agent of any build lock all and end.
  package func end() throws(AgentRefusal) {
    do throws(AgentRefusal) {
      _ = try exchange(SecretValue([Hello.end]), .work, anyBuild: true)
    } catch {
      // One that ends at once may not come to answer.
      guard error.code == .gone else { throw error }
    }
    disconnect()
  }

  private func exchange(
    _ payload: SecretValue, _ patience: Patience, anyBuild: Bool = false
  ) throws(AgentRefusal) -> SecretValue {
    do throws(AgentRefusal) {
      return try converse(payload, patience, anyBuild: anyBuild)
    } catch {
      // An answer that comes too late must not be taken for that to another question.
      if error.code != .otherVersion { disconnect() }
      throw error
    }
  }

  private func converse(
    _ payload: SecretValue, _ patience: Patience, anyBuild: Bool
  ) throws(AgentRefusal) -> SecretValue {
    guard payload.byteCount <= MessageChannel.requestLimit else { throw AgentRefusal(.tooLarge) }
    let channel = try connected()
    let isFirst = agent == nil
    var unsent: AgentRefusal?
    do throws(AgentRefusal) {
      try channel.send(
        payload, after: isFirst ? hello.payload : nil, patience: min(patience.rawValue, Patience.pulse.rawValue))
    } catch {
      // One that refuses says why and closes, maybe before it was asked.
      unsent = error
    }
    func receive(_ limit: Int) throws(AgentRefusal) -> SecretValue {
      let end = Deadline(in: patience.rawValue)
      try waitForAnswer(on: channel, patience, until: end)
      let received = try channel.receive(
        limit: limit, first: end,
        patience: min(patience.rawValue, Patience.work.rawValue))
      guard let received else { throw unsent ?? AgentRefusal(.gone) }
      return received
    }
    if isFirst {
      let agent = try Hello(try receive(4_096))
      self.agent = agent
    }
    // Taken even from another build, whose next answer is then the one to the next question.
    let answer = try receive(MessageChannel.answerLimit)
    guard anyBuild || agent?.isSameBuild(as: hello) == true else { throw AgentRefusal(.otherVersion) }
    return answer
  }

  /// Waits for the first byte of an answer, and meanwhile looks whether the agent answers others.
  ///
  /// - Throws: `tooSlow` within five seconds where it hangs, whatever is waited for.
  private func waitForAnswer(
    on channel: MessageChannel, _ patience: Patience, until end: Deadline
  ) throws(AgentRefusal) {
    guard patience.rawValue > Patience.pulse.rawValue else { return }
    var pause: Int64 = 1_000
    while !waitFor(POLLIN, on: channel.descriptor, until: Deadline(in: min(pause, end.millisecondsLeft))) {
      if end.isOver { return }
      guard speaksToOthers else { throw AgentRefusal(.tooSlow) }
      pause = 1_500
    }
  }

  /// Whether it answers a question that takes no time, or refuses to.
  private var speaksToOthers: Bool {
    guard let other = try? AgentClient(folder: folder.path, hello: hello) else { return true }
    do throws(VaultUseError) {
      _ = try other.status(.pulse)
      return true
    } catch {
      if case .agent(let refusal) = error { return refusal.code != .tooSlow }
      return true
    }
  }

  // An agent closes a connection that is idle for two minutes, as while a person types. Nothing was sent yet, so nothing
  // is done twice.
  private func connected() throws(AgentRefusal) -> MessageChannel {
    if let channel {
      if agent == nil || !waitFor(POLLIN, on: channel.descriptor, until: Deadline(in: 0)) { return channel }
      disconnect()
    }
    let made = MessageChannel(descriptor: try folder.connect())
    channel = made
    agent = nil
    return made
  }
}
