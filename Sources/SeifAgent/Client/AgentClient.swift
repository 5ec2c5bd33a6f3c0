internal import Glibc
internal import SeifBytes

/// A client of the agent: one connection, made again if the agent closed it while it was idle.
package final class AgentClient {
  /// Waited for without an answer: a look from a screen that shows a secret, work on the vault, a derivation, a person.
  package enum Patience: Int64, Sendable {
    case glance = 500
    case work = 60_000
    case derivation = 180_000
    case person = 600_000
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
    guard payload.byteCount <= MessageChannel.requestLimit else { throw AgentRefusal(.tooLarge) }
    let channel = try connected()
    let isFirst = agent == nil
    var unsent: AgentRefusal?
    do throws(AgentRefusal) {
      try channel.send(
        payload, after: isFirst ? hello.payload : nil, patience: min(patience.rawValue, Patience.work.rawValue))
    } catch {
      // One that refuses says why and closes, maybe before it was asked.
      unsent = error
    }
    func receive(_ limit: Int) throws(AgentRefusal) -> SecretValue {
      let received = try channel.receive(
        limit: limit, first: Deadline(in: patience.rawValue),
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
