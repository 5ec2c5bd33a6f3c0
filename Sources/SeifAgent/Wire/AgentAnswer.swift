package import SeifBytes
internal import SeifVault

/// The payload of an answer: 0, what the vault has to say of itself, the result; or 1 and why not.
package enum AgentAnswer {
  /// What unlocking and reading found, in words, for every command to repeat.
  package struct Notices: Sendable, Equatable {
    /// Of unlocking.
    package var faults: [String] = []
    /// Rows that the list leaves out.
    package var damage: [String] = []

    package init(faults: [String] = [], damage: [String] = []) {
      self.faults = faults
      self.damage = damage
    }
  }

  /// A result.
  package static func success(_ notices: Notices = Notices(), _ write: (inout WireWriter) -> Void) -> SecretValue {
    var writer = WireWriter()
    writer.byte(0)
    writer.texts(notices.faults)
    writer.texts(notices.damage)
    write(&writer)
    return writer.finish()
  }

  /// A failure.
  package static func failure(_ error: VaultUseError) -> SecretValue {
    var writer = WireWriter()
    writer.byte(1)
    switch error {
    case .vault(let error):
      writer.byte(1)
      writer.text(error.code.rawValue)
      writer.text(error.detail)
    case .agent(let refusal):
      writer.byte(2)
      writer.byte(refusal.code.rawValue)
      writer.text(refusal.detail)
    }
    return writer.finish()
  }

  /// Takes an answer apart: the result is left in the reader.
  package static func open(_ payload: SecretValue) throws(VaultUseError) -> (Notices, WireReader) {
    var reader = WireReader(payload)
    let failure: VaultUseError?
    var notices = Notices()
    do throws(AgentRefusal) {
      switch try reader.byte() {
      case 0:
        notices.faults = try reader.texts()
        notices.damage = try reader.texts()
        failure = nil
      case 1: failure = try Self.failure(&reader)
      default: throw AgentRefusal(.badMessage, "answer")
      }
    } catch {
      throw .agent(error)
    }
    if let failure { throw failure }
    return (notices, reader)
  }

  private static func failure(_ reader: inout WireReader) throws(AgentRefusal) -> VaultUseError {
    switch try reader.byte() {
    case 1:
      guard let code = VaultError.Code(rawValue: try reader.text()) else { throw AgentRefusal(.badMessage, "code") }
      return .vault(VaultError(code, try reader.text()))
    case 2:
      guard let code = AgentRefusal.Code(rawValue: try reader.byte()) else { throw AgentRefusal(.badMessage, "code") }
      return .agent(AgentRefusal(code, try reader.text()))
    default: throw AgentRefusal(.badMessage, "failure")
    }
  }
}
