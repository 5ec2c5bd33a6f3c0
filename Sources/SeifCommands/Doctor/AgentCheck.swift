internal import SeifCommandLine
internal import SeifAgent

/// The agent, and whether the folder of its socket is safe.
struct AgentCheck: DoctorCheck {
  static let id = "agent"

  func findings(on machine: Machine) -> [DoctorFinding] {
    guard let folder = AgentAccess.folder(machine.environment) else {
      return [ok("none can run: this session has no folder of its own (XDG_RUNTIME_DIR)")]
    }
    let client: AgentClient
    do throws(AgentRefusal) {
      client = try AgentClient(folder: folder, hello: AgentAccess.hello)
    } catch {
      return [refused(error, folder)]
    }
    do throws(VaultUseError) {
      // It says who it is with its first answer.
      return [ok("running, process \(try client.status().process)")]
    } catch {
      guard case .agent(let refusal) = error else { return [refused(AgentRefusal(.badMessage), folder)] }
      return [refused(refusal, folder)]
    }
  }

  private func refused(_ refusal: AgentRefusal, _ folder: String) -> DoctorFinding {
    switch refusal.code {
    case .otherVersion: warn("it is another Seif than this one", cure: "seif lock --all ends it.")
    case .gone: ok("not running; seif unlock starts it")
    case .unsafeFolder:
      fail("its folder \(folder) isn't yours alone", cure: "chmod 700 \(FileModesCheck.quoted(folder)), or remove it")
    case .stranger: fail("its socket belongs to another user", cure: "Remove \(FileModesCheck.quoted(folder))")
    default: warn("it doesn't answer as it should", cure: "seif lock --all ends it.")
    }
  }
}
